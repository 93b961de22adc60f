import { Registry } from './registry.js';

it('a registry refuses a second registration of a name', () => {
  const registry = new Registry<string, number>();
  registry.set('delete-users', 1);
  expect(() => registry.set('delete-users', 2)).toThrow('delete-users is registered already.');
  expect([...registry]).toEqual([['delete-users', 1]]);
});
