import { membersOf } from '../protocol/attributes.js';
import { parseUser, parseUserPatch } from './user-document.js';

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
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

  it.each<[string, object, string]>([
    ['a misspelt attribute', { acitve: false }, 'acitve'],
    ['a member of our extension beside it', { enrol: true }, 'enrol'],
    [
      'an unknown member of our extension',
      { [ENROLMENT]: { enroll: true } },
      `${ENROLMENT}:enroll`,
    ],
    ['an unknown member of the enterprise extension', { [ENTERPRISE]: { manger: {} } }, 'manger'],
    ['an unknown extension', { 'urn:x:2.0:User': { a: 1 } }, 'urn:x:2.0:user'],
    ['its own schema as a member', { [USER]: { active: false } }, USER.toLowerCase()],
    ['the schema of groups', { schemas: ['urn:x', GROUP] }, GROUP],
    ['the schema of groups alone', { schemas: GROUP.toLowerCase() }, GROUP],
    ['a misspelt part of the name', { name: { givenNmae: 'A' } }, 'name.givenNmae'],
    ['a misspelt part of a value', { emails: [{ value: 'a' }, { vlaue: 'b' }] }, 'emails.vlaue'],
    [
      'a misspelt part of the manager',
      { [ENTERPRISE]: { manager: { valeu: '1' } } },
      'manager.valeu',
    ],
    ['__proto__', JSON.parse('{"__proto__":{"active":false}}') as object, '__proto__'],
  ])('refuses %s, and names it', (_, members, name) => {
    const body: unknown = Object.defineProperties(
      { userName: 'alice' },
      Object.getOwnPropertyDescriptors(members),
    );
    expect(() => read(body)).toThrow(invalid('invalidSyntax'));
    expect(() => read(body)).toThrow(name);
  });

  it('refuses an extension that is no object', () => {
    const body = { userName: 'alice', [ENROLMENT]: true };
    expect(() => read(body)).toThrow(invalid('invalidValue'));
  });

  it('takes an extension that is null as absent, and unknown schemas', () => {
    const body = { userName: 'alice', [ENTERPRISE]: null, schemas: [USER, 'urn:x', 7] };
    expect(read(body)).toEqual({ username: 'alice' });
  });

  it('takes every sub-attribute of the standard, and values without any', () => {
    const body = {
      userName: 'alice',
      name: { FormaTted: 'A', familyName: 'B', givenName: 'C', honorificSuffix: 'III' },
      emails: [{ value: 'x@y', display: 'x', type: 'work', primary: true, $ref: 'z' }],
      addresses: [{ formatted: '1', streetAddress: '2', locality: '3', postalCode: '4' }],
      phoneNumbers: ['555'],
      roles: null,
      meta: { resourceType: 'User', created: 'x', lastModified: 'y', location: 'z', version: 'v' },
      [ENTERPRISE]: { manager: { value: '7', displayName: 'Boss', $ref: '../7' } },
    };
    expect(read(body)).toEqual({ username: 'alice', displayName: 'A', manager: '7' });
  });

  it('a SCIM user is not misled by __proto__', () => {
    const body: unknown = JSON.parse('{"userName":"alice","name":{"__proto__":{"formatted":"x"}}}');
    expect(() => read(body)).toThrow('name.__proto__');
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
    ['a misspelt member', { op: 'replace', value: { acitve: false } }, 'invalidPath'],
    ['an unknown extension', { op: 'add', value: { 'urn:x': { active: false } } }, 'invalidPath'],
    ['a misspelt sub-attribute', { op: 'add', path: 'name.givenNmae', value: 'x' }, 'invalidPath'],
    [
      'a misspelt sub-attribute of a selected value',
      { op: 'add', path: 'emails[type eq "work"].vlaue', value: 'x' },
      'invalidPath',
    ],
    ['a part of a single value', { op: 'replace', path: 'active.x', value: false }, 'invalidPath'],
    [
      'a misspelt part of a value',
      { op: 'add', path: 'name', value: { formated: 'x' } },
      'invalidSyntax',
    ],
    [
      'a misspelt part of a value without a path',
      { op: 'add', value: { emails: [{ vlaue: 'x' }] } },
      'invalidSyntax',
    ],
    [
      'a misspelt part of a manager',
      { op: 'add', path: `${ENTERPRISE}:manager`, value: [{ valeu: '1' }] },
      'invalidSyntax',
    ],
    ['our member elsewhere', { op: 'add', value: { enrol: true } }, 'invalidPath'],
    [
      'another member of ours',
      { op: 'add', value: { [ENROLMENT]: { enroll: true } } },
      'invalidPath',
    ],
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

  it.each(['userName[x eq "y"]', 'DisplayName[x eq "y"].value', `${ENROLMENT}:Enrol[x eq "y"]`])(
    'refuses %s by the path as it was written',
    (path) => {
      const operation = { op: 'replace', path, value: 'x' };
      expect(() => patch(operation)).toThrow(`"${path}"`);
    },
  );

  it('refuses more than a thousand operations', () => {
    const operation = { op: 'replace', path: 'active', value: true };
    expect(() => patch(...Array<object>(10_000).fill(operation))).toThrow(invalid('invalidSyntax'));
  });
});
