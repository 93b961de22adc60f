import { keypairJson } from './keypair.js';

const nested = (depth: number): unknown => (depth === 0 ? {} : { a: nested(depth - 1) });

describe('keypairJson', () => {
  it('accepts a "keypair" that is an object, or a string that contains one', () => {
    expect(keypairJson({ name: 'Blue key' })).toBe('{"name":"Blue key"}');
    expect(keypairJson('{ "name": "Blue key" }')).toBe('{"name":"Blue key"}');
    expect(keypairJson({})).toBe('{}');
  });

  it.each(['str', '{bad', '[]', '1', 'null', 1, true, null, [], [{}]])(
    'refuses %p as "keypair"',
    (value) => expect(keypairJson(value)).toBeUndefined(),
  );

  it('accepts a "keypair" of at most 8 levels and 4 KiB', () => {
    expect(keypairJson(nested(7))).toBeDefined();
    expect(keypairJson(nested(8))).toBeUndefined();
    expect(
      keypairJson(JSON.parse(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`)),
    ).toBeUndefined();
    expect(keypairJson({ a: 'x'.repeat(4088) })).toBeDefined();
    expect(keypairJson({ a: 'x'.repeat(4089) })).toBeUndefined();
  });
});
