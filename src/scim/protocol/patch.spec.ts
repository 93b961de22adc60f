import { CORE_USER, ENTERPRISE_USER, membersOf } from './attributes.js';
import { parsePatch } from './patch.js';

const MIB = 1024 * 1024;

const changesOf = (operation: unknown) =>
  parsePatch(CORE_USER, membersOf({ Operations: [operation] }));
const namesOf = (value: unknown) =>
  changesOf({ op: 'replace', value }).map(({ attribute, value: to }) => [attribute.name, to]);

describe('the operations of a PATCH', () => {
  it('read the members of an extension with its URN in any case', () => {
    const manager = [['manager', { value: '1' }]];
    expect(namesOf({ [ENTERPRISE_USER]: { manager: { value: '1' } } })).toEqual(manager);
    expect(namesOf({ [ENTERPRISE_USER.toUpperCase()]: { manager: { value: '1' } } })).toEqual(
      manager,
    );
    expect(namesOf({ [`${ENTERPRISE_USER}:manager`]: { value: '1' } })).toEqual(manager);
  });

  it.each<[unknown]>([
    [{ toString: null }],
    [{}],
    [[]],
    [['add']],
    [1],
    [null],
    [undefined],
    ['move'],
  ])('refuse %j as their op', (op) => {
    const operation = { op, path: 'active', value: false };
    expect(() => changesOf(operation)).toThrow(
      expect.objectContaining({ code: 'E0045R' }) as Error,
    );
  });

  it('drop an unknown extension of any depth', () => {
    let value: unknown = { active: false };
    for (let depth = 0; depth < MIB / 8; depth += 1) value = { 'urn:': value };
    expect(namesOf({ displayName: 'A', 'urn:x': value })).toEqual([['displayname', 'A']]);
  });

  it('read a body of 1 MiB of an extension with a long name as quickly as another one', () => {
    const members = Object.fromEntries(Array.from({ length: MIB / 20 }, (_, n) => [`a${n}`, 1]));
    const name = `urn:${'x'.repeat(MIB / 2)}`;
    expect(namesOf({ [name]: members, active: false })).toEqual([['active', false]]);
  });
});
