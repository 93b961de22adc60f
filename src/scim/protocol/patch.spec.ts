import { CORE_GROUP, CORE_USER, ENTERPRISE_USER, membersOf } from './attributes.js';
import { parsePatch } from './patch.js';

const MIB = 1024 * 1024;
const INVALID_PATH = expect.objectContaining({ body: { scimType: 'invalidPath' } }) as Error;

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

  it.each(['values', 'Paths', '__proto__', 'schemas'])(
    'refuse %s beside op, path and value',
    (name) => {
      const operation: unknown = JSON.parse(`{"op":"remove","path":"members","${name}":[]}`);
      expect(() => changesOf(operation)).toThrow(
        expect.objectContaining({
          body: { scimType: 'invalidSyntax' },
          problem: expect.objectContaining({
            reason: 'scim.operation',
            values: { name: name.toLowerCase() },
          }),
        }) as Error,
      );
    },
  );

  it('reads the members of a PATCH operation in any case', () => {
    const [change] = changesOf({ Op: 'Replace', Path: 'active', Value: false });
    expect(change).toMatchObject({ op: 'replace', attribute: { name: 'active' }, value: false });
  });

  it('refuse an unknown extension of any depth', () => {
    let value: unknown = { active: false };
    for (let depth = 0; depth < MIB / 8; depth += 1) value = { 'urn:': value };
    expect(() => namesOf({ displayName: 'A', 'urn:x': value })).toThrow(INVALID_PATH);
  });

  it('refuse an extension of 1 MiB with a long name', () => {
    const members = Object.fromEntries(Array.from({ length: MIB / 20 }, (_, n) => [`a${n}`, 1]));
    const name = `urn:${'x'.repeat(MIB / 2)}`;
    expect(() => namesOf({ [name]: members, active: false })).toThrow(INVALID_PATH);
  });

  it('a PATCH of a group has no attributes of users', () => {
    const operation = { op: 'replace', path: `${CORE_USER}:displayName`, value: 'A' };
    const body = membersOf({ Operations: [operation] });
    expect(() => parsePatch(CORE_GROUP, body)).toThrow(INVALID_PATH);
  });
});
