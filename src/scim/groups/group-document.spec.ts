import { membersOf } from '../protocol/attributes.js';
import { parseGroup, parseGroupPatch, type MemberWishes } from './group-document.js';

const [A, B, C] = ['A', 'B', 'C'].map((letter) => `${letter.repeat(21)}A`) as [
  string,
  string,
  string,
];
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';

const invalid = (scimType: string) => expect.objectContaining({ body: { scimType } });
const patch = (...operations: readonly unknown[]) =>
  parseGroupPatch(membersOf({ Operations: operations }));
const textsOf = ({ replaces, add, remove }: MemberWishes) => ({
  replaces,
  add: [...add.values()].map((id) => id.toString('base64url')),
  remove: [...remove.values()].map((id) => id.toString('base64url')),
});
const members = (...operations: readonly unknown[]) => {
  const wishes = patch(...operations).members;
  return wishes && textsOf(wishes);
};

describe('parseGroup', () => {
  it('reads name, externalId and members, and drops everything else', () => {
    const { members: wishes, ...facts } = parseGroup(
      membersOf({
        schemas: [GROUP],
        DISPLAYNAME: 'Zu\u0308rich',
        externalId: 'g-1',
        members: [{ value: A, display: 'Anna', $ref: '../Users/A', type: 'User' }],
        meta: { resourceType: 'Group' },
      }),
    );
    expect(facts).toEqual({ name: 'Zürich', externalId: 'g-1' });
    expect(wishes && textsOf(wishes)).toEqual({ replaces: true, add: [A], remove: [] });
  });

  it.each<[string, object]>([
    ['an unknown attribute', { owners: ['x'] }],
    ['an attribute of users', { userName: 'x' }],
    ['a misspelt part of a member', { members: [{ value: A }, { vallue: B }] }],
    ['the schema of users', { schemas: [USER] }],
    ['an extension of users', { [ENTERPRISE]: { department: 'IT' } }],
  ])('refuses %s', (_, members) => {
    const body = membersOf({ displayName: 'g', ...members });
    expect(() => parseGroup(body)).toThrow(invalid('invalidSyntax'));
  });

  it('a replacement of a group keeps what it does not name', () => {
    const body = membersOf({ displayName: 'g', externalId: null, members: null });
    expect(parseGroup(body)).toEqual({ name: 'g' });
  });
});

describe('parseGroupPatch', () => {
  const add = (...ids: readonly string[]) => ({
    op: 'Add',
    path: 'members',
    value: ids.map((value) => ({ value })),
  });
  const remove = (id: string) => ({ op: 'remove', path: `members[value eq "${id}"]` });

  it.each<[string, readonly unknown[], object]>([
    ['an addition', [add(A, B)], { replaces: false, add: [A, B], remove: [] }],
    ['one member', [{ op: 'add', path: 'members', value: { value: A } }], { add: [A] }],
    [
      'an addition without a path',
      [{ op: 'add', value: { members: [{ value: A }] } }],
      { add: [A] },
    ],
    ['a URN', [{ op: 'add', path: `${GROUP}:members`, value: [{ value: A }] }], { add: [A] }],
    ['a removal', [remove(A)], { replaces: false, add: [], remove: [A] }],
    [
      'a removal of Entra',
      [{ op: 'Remove', path: 'members', value: [{ $ref: null, value: A }] }],
      { remove: [A] },
    ],
    ['a removal of nobody', [remove('nobody')], { add: [], remove: [] }],
    ['a removal of all', [{ op: 'remove', path: 'members' }], { replaces: true, add: [] }],
    ['an addition after a removal', [remove(A), add(A)], { add: [A], remove: [] }],
    ['a removal after an addition', [add(A, B), remove(A)], { add: [B], remove: [A] }],
    [
      'a replacement after others',
      [add(A), remove(B), { op: 'replace', path: 'members', value: [{ value: C }] }, remove(B)],
      { replaces: true, add: [C], remove: [] },
    ],
  ])('reads %s', (_, operations, wanted) => {
    expect(members(...operations)).toMatchObject(wanted);
  });

  it('reads what Okta and Entra change besides members', () => {
    const okta = { op: 'replace', value: { id: 'x', displayName: 'New' } };
    expect(patch(okta)).toEqual({ name: 'New' });
    const entra = { op: 'Replace', path: 'externalId', value: '8aa1' };
    expect(patch(entra)).toEqual({ externalId: '8aa1' });
    expect(patch({ op: 'remove', path: 'externalId' })).toEqual({ externalId: null });
  });

  it.each<[string, unknown, string]>([
    ['a path into __proto__', { op: 'add', path: '__proto__.members', value: [] }, 'invalidPath'],
    ['constructor', { op: 'add', path: 'constructor', value: [] }, 'invalidPath'],
    ['an attribute of users', { op: 'add', path: 'userName', value: 'x' }, 'invalidPath'],
    ['a misspelt member', { op: 'replace', value: { memebers: [] } }, 'invalidPath'],
    [
      'a misspelt part of a member',
      { op: 'remove', path: 'members', value: [{ vallue: A }] },
      'invalidSyntax',
    ],
    ['another schema', { op: 'add', path: `${USER}:nothing`, value: 'x' }, 'invalidPath'],
    ['a sub-attribute', { op: 'add', path: 'members.value', value: 'x' }, 'invalidPath'],
    ['another filter', { op: 'remove', path: 'members[type eq "User"]' }, 'invalidPath'],
    ['a filter without a value', { op: 'remove', path: 'members[value pr]' }, 'invalidFilter'],
    ['an empty filter', { op: 'remove', path: 'members[]' }, 'invalidFilter'],
    ['a number', { op: 'add', path: 'members', value: [7] }, 'invalidValue'],
    ['a user who cannot exist', { op: 'add', path: 'members', value: ['x'] }, 'invalidValue'],
    ['an empty name', { op: 'replace', path: 'displayName', value: '' }, 'invalidValue'],
  ])('refuses %s', (_, operation, scimType) => {
    expect(() => patch(operation)).toThrow(invalid(scimType));
  });

  it.each(['displayName[x eq "y"]', 'Members.value', 'Members[value eq "x"]', 'Members[x eq "y"]'])(
    'refuses %s by the path as it was written',
    (path) => {
      const op = path.includes('[x') ? 'remove' : 'add';
      expect(() => patch({ op, path, value: 'x' })).toThrow(`"${path}"`);
    },
  );
});
