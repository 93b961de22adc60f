import { membersOf } from '../protocol/attributes.js';
import { parseUser, parseUserPatch } from './user-document.js';

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const ENROLMENT = 'urn:servicefido:scim:schemas:extension:enrolment:1.0:User';

const invalid = (scimType: string) => expect.objectContaining({ body: { scimType } });
const read = (body: unknown) => parseUser(membersOf(body));
const patch = (...operations: readonly unknown[]) =>
  parseUserPatch(membersOf({ Operations: operations }));

describe('parseUser', () => {
  it('reads what is stored, and drops everything else, including passwords', () => {
    expect(
      read({
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', ENTERPRISE],
        id: 'ignored',
        externalId: '9f3a',
        userName: 'alice',
        password: 'secret',
        name: { formatted: 'Alice Ext', familyName: 'Ext' },
        displayName: 'Alice',
        emails: [{ value: 'alice@example.com', type: 'work', primary: true }],
        groups: [{ value: 'admins' }],
        active: true,
        [ENTERPRISE]: { department: 'IT', manager: { value: '26118915', $ref: '../Users/26' } },
        [ENROLMENT]: { enrol: true, enrolmentUrl: 'https://evil.example' },
      }),
    ).toEqual({
      username: 'alice',
      displayName: 'Alice',
      externalId: '9f3a',
      active: true,
      manager: '26118915',
      enrol: true,
    });
  });

  it.each([
    [true, true],
    ['True', true],
    ['true', true],
    [false, false],
    ['False', false],
    ['FALSE', false],
  ])('reads active %j as %j', (active, wanted) => {
    expect(read({ userName: 'alice', active }).active).toBe(wanted);
  });

  it('takes names of attributes in any case', () => {
    expect(read({ USERNAME: 'alice', displayname: 'Alice' })).toEqual({
      username: 'alice',
      displayName: 'Alice',
    });
  });

  it('takes name.formatted where there is no displayName', () => {
    const name = { formatted: 'Alice Ext' };
    expect(read({ userName: 'alice', name }).displayName).toBe('Alice Ext');
    expect(read({ userName: 'alice', name, displayName: '' }).displayName).toBe('Alice Ext');
  });

  it('takes attributes that are null as absent', () => {
    const body = { userName: 'alice', externalId: null, active: null, displayName: null };
    expect(read(body)).toEqual({ username: 'alice' });
  });

  it('normalises the user name', () => {
    expect(read({ userName: 'Ame\u0301lie' }).username).toBe('Am\u00e9lie');
  });

  it.each([
    {},
    { userName: null },
    { userName: '' },
    { userName: 7 },
    { userName: ' alice' },
    { userName: 'a\u200bb' },
    { userName: 'x'.repeat(256) },
    { userName: 'alice', active: 'yes' },
    { userName: 'alice', active: 1 },
    { userName: 'alice', externalId: 7 },
    { userName: 'alice', externalId: 'x'.repeat(256) },
    { userName: 'alice', externalId: '\uffff' },
    { userName: 'alice', displayName: '\u0007' },
    { userName: 'alice', [ENTERPRISE]: { manager: { value: 7 } } },
    { userName: 'alice', [ENROLMENT]: { enrol: 'perhaps' } },
  ])('refuses %j', (body) => {
    expect(() => read(body)).toThrow(invalid('invalidValue'));
  });

  it('is not misled by __proto__', () => {
    const body: unknown = JSON.parse(
      '{"userName":"alice","__proto__":{"active":false},"name":{"__proto__":{"formatted":"x"}}}',
    );
    expect(read(body)).toEqual({ username: 'alice' });
    expect(({} as { active?: boolean }).active).toBeUndefined();
  });
});

describe('parseUserPatch', () => {
  it.each<[string, object, object]>([
    ['Entra, with a path', { op: 'Replace', path: 'active', value: 'False' }, { active: false }],
    ['Entra, without a path', { op: 'replace', value: { active: false } }, { active: false }],
    [
      'Entra, with dotted members',
      {
        op: 'Add',
        value: {
          displayName: 'Bob',
          'name.familyName': 'B',
          [`${ENTERPRISE}:department`]: 'IT',
          [`${ENTERPRISE}:manager`]: '28a1',
          'emails[type eq "work"].value': 'bob@example.com',
        },
      },
      { displayName: 'Bob', manager: '28a1' },
    ],
    [
      'Entra, a manager',
      { op: 'Add', path: `${ENTERPRISE}:manager`, value: '28a1' },
      { manager: '28a1' },
    ],
    [
      'Entra, a manager as an object',
      { op: 'Add', path: `${ENTERPRISE}:manager`, value: [{ $ref: 'x', value: '28a1' }] },
      { manager: '28a1' },
    ],
    ['no manager', { op: 'Remove', path: `${ENTERPRISE}:manager` }, { manager: null }],
    [
      'a dropped attribute with a filter',
      { op: 'Add', path: 'emails[type eq "work" and primary eq true].value', value: 'x@y' },
      {},
    ],
    ['a dropped password', { op: 'replace', path: 'password', value: 'x' }, {}],
    ['externalId', { op: 'Add', path: 'externalId', value: '9f3a' }, { externalId: '9f3a' }],
    ['no externalId', { op: 'remove', path: 'externalId' }, { externalId: null }],
    ['an empty externalId', { op: 'replace', path: 'externalId', value: '' }, { externalId: null }],
    [
      'a name with its URN',
      {
        op: 'replace',
        path: 'urn:ietf:params:scim:schemas:core:2.0:User:userName',
        value: 'bob',
      },
      { username: 'bob' },
    ],
    ['Okta', { op: 'replace', value: { active: false } }, { active: false }],
    [
      'an extension as a member',
      { op: 'add', value: { [ENTERPRISE]: { manager: { value: '1' }, costCenter: '7' } } },
      { manager: '1' },
    ],
    [
      'an unknown member',
      { op: 'add', value: { favouriteColour: 'red', active: true } },
      { active: true },
    ],
    [
      'a formatted name',
      { op: 'replace', path: 'name.formatted', value: 'Bob B' },
      { displayName: 'Bob B' },
    ],
    ['a removed display name', { op: 'remove', path: 'displayName' }, {}],
    ['our extension', { op: 'add', path: `${ENROLMENT}:enrol`, value: true }, { enrol: true }],
  ])('reads %s', (_, operation, wishes) => {
    expect(patch(operation)).toEqual(wishes);
  });

  it('lets the last of several operations win, and displayName before name.formatted', () => {
    expect(
      patch(
        { op: 'replace', path: 'displayName', value: 'Bob' },
        { op: 'replace', path: 'name.formatted', value: 'Robert' },
        { op: 'replace', path: 'active', value: true },
        { op: 'replace', path: 'active', value: false },
      ),
    ).toEqual({ displayName: 'Bob', active: false });
  });

  it.each<[string, unknown, string]>([
    ['no operation', undefined, 'invalidSyntax'],
    ['an unknown op', { op: 'move', path: 'active' }, 'invalidSyntax'],
    ['a text', 'active', 'invalidSyntax'],
    ['an unknown attribute', { op: 'add', path: 'favouriteColour', value: 'x' }, 'invalidPath'],
    ['a path into __proto__', { op: 'add', path: '__proto__.admin', value: true }, 'invalidPath'],
    ['constructor', { op: 'add', path: 'constructor.prototype', value: true }, 'invalidPath'],
    ['an unknown URN', { op: 'add', path: 'urn:x:active', value: true }, 'invalidPath'],
    [
      'a filter on a single value',
      { op: 'add', path: 'userName[x eq "y"]', value: 'b' },
      'invalidPath',
    ],
    ['brackets left open', { op: 'add', path: 'emails[type eq "x"', value: 'b' }, 'invalidPath'],
    ['a path that is no text', { op: 'add', path: 7, value: 'b' }, 'invalidPath'],
    ['a removal without a path', { op: 'remove' }, 'invalidPath'],
    ['a value that is no object', { op: 'replace', value: true }, 'invalidPath'],
    ['no value', { op: 'replace', path: 'active' }, 'invalidValue'],
    ['a removed user name', { op: 'remove', path: 'userName' }, 'invalidValue'],
    ['a removed active', { op: 'remove', path: 'active' }, 'invalidValue'],
    ['a wrong value', { op: 'replace', path: 'active', value: 'no' }, 'invalidValue'],
  ])('refuses %s', (_, operation, scimType) => {
    const operations = operation === undefined ? [] : [operation];
    expect(() => patch(...operations)).toThrow(invalid(scimType));
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it('refuses more than a thousand operations', () => {
    const operation = { op: 'replace', path: 'active', value: true };
    expect(() => patch(...Array<object>(10_000).fill(operation))).toThrow(invalid('invalidSyntax'));
  });
});
