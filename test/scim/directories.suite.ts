import { randomUUID } from 'node:crypto';
import { DATABASES } from '../support/databases.js';
import { ENTERPRISE, ScimClient, expectScimError } from '../support/scim-client.js';
import { TestServer } from '../support/test-server.js';

const NONE = { status: 200, body: { totalResults: 0, Resources: [] } };

/** The requests that directories send, as their documentation shows them. */
describe.each(DATABASES)('the requests of directories, on %s', (on) => {
  let server: TestServer;
  let directory: ScimClient;
  beforeAll(async () => {
    server = await TestServer.start({ on, options: { scim: true, domain: 'localhost' } });
    directory = await ScimClient.start(server.url, { tenant: 'default', domain: 'localhost' });
  });
  afterAll(() => server.stop());

  it('pass the connection test of Entra, which asks for a user who does not exist', async () => {
    expect(await directory.find(`userName eq "${randomUUID()}"`)).toMatchObject(NONE);
    expect(await directory.call('GET', '/Users?startIndex=1&count=1')).toMatchObject({
      status: 200,
    });
  });

  it('SCIM takes a user of Entra through all stages', async () => {
    expect(await directory.find('externalId eq "0a21f0f2"')).toMatchObject(NONE);
    expect(await directory.find('userName eq "Test_User_ab6490ee"')).toMatchObject(NONE);
    const created = await directory.create({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', ENTERPRISE],
      externalId: '0a21f0f2',
      userName: 'Test_User_ab6490ee',
      active: true,
      displayName: 'lennay',
      emails: [{ primary: true, type: 'work', value: 'Test_User_fd0ea19b@testuser.com' }],
      meta: { resourceType: 'User' },
      name: { formatted: 'Adrienne Hulls', familyName: 'Hulls', givenName: 'Adrienne' },
      roles: [],
    });
    expect(created).toMatchObject({ status: 201, body: { displayName: 'lennay', active: true } });
    const id = String(created.body['id']);
    const found = await directory.find('externalId eq "0a21f0f2"');
    expect(found.body).toMatchObject({ totalResults: 1, Resources: [{ id }] });
    const multi = await directory.patchUser(
      id,
      {
        op: 'Replace',
        path: 'emails[type eq "work"].value',
        value: 'updatedEmail@microsoft.com',
      },
      { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
      { op: 'Add', path: `${ENTERPRISE}:department`, value: 'IT' },
    );
    expect(multi).toMatchObject({ status: 200, body: { userName: 'Test_User_ab6490ee' } });
    const renamed = await directory.patchUser(id, {
      op: 'Replace',
      path: 'userName',
      value: '5b50642d@testuser.com',
    });
    expect(renamed.body).toMatchObject({ id, userName: '5b50642d@testuser.com' });
    const manager = await directory.patchUser(id, {
      op: 'Add',
      path: `${ENTERPRISE}:manager`,
      value: '28a1',
    });
    expect(manager.body).toMatchObject({ [ENTERPRISE]: { manager: { value: '28a1' } } });
    const reference = `attributes=id&filter=${encodeURIComponent(`id eq "${id}" and manager eq "28a1"`)}`;
    expect((await directory.call('GET', `/Users?${reference}`)).body).toMatchObject({
      totalResults: 1,
      Resources: [{ id }],
    });
    const deleted = await directory.call('DELETE', `/Users/${id}`);
    expect(deleted.status).toBe(204);
    expectScimError(await directory.user(id), 404, 'E0044R user.unknown');
  });

  it('take an existing user over when Entra finds the user by name', async () => {
    const id = await directory.created({ userName: 'known@example.com' });
    expect(await directory.find('externalId eq "11f0"')).toMatchObject(NONE);
    const found = await directory.find('userName eq "known@example.com"');
    expect(found.body).toMatchObject({ Resources: [{ id }] });
    const joined = await directory.patchUser(id, { op: 'Add', path: 'externalId', value: '11f0' });
    expect(joined.body).toMatchObject({ id, externalId: '11f0' });
  });

  it('SCIM takes a user of Okta through all stages', async () => {
    const lookUp =
      '/Users?filter=userName%20eq%20%22okta.user%40example.com%22&startIndex=1&count=100';
    expect(await directory.call('GET', lookUp)).toMatchObject(NONE);
    const user = {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: 'okta.user@example.com',
      name: { givenName: 'Test', familyName: 'User' },
      emails: [{ primary: true, value: 'okta.user@example.com', type: 'work' }],
      displayName: 'Test User',
      locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7',
      groups: [],
      password: '1mz050nq',
      active: true,
    };
    const created = await directory.create(user);
    expect(created).toMatchObject({ status: 201, body: { displayName: 'Test User' } });
    expect(created.text).not.toContain('1mz050nq');
    const id = String(created.body['id']);
    expect((await directory.call('GET', lookUp)).body).toMatchObject({ Resources: [{ id }] });
    const changed = await directory.replace(id, {
      ...user,
      ...created.body,
      name: { givenName: 'Another', middleName: 'Excited', familyName: 'User' },
      displayName: 'Another User',
    });
    expect(changed).toMatchObject({ status: 200, body: { id, displayName: 'Another User' } });
    expectScimError(await directory.create(user), 409, 'E0045R user.nameTaken', 'uniqueness');
  });

  it('SCIM takes a user of Keycloak through all stages', async () => {
    expect(await directory.call('GET', '/ServiceProviderConfig')).toMatchObject({ status: 200 });
    const user = {
      externalId: '6c1b1f0a-2b33-4c0e-9b54-3c0a8f8f6c55',
      userName: 'keycloak.user',
      displayName: 'Key Cloak',
      name: { familyName: 'Cloak', givenName: 'Key' },
      emails: [{ value: 'key@cloak.example', primary: true }],
      active: true,
      roles: [{ value: 'offline_access' }],
    };
    const created = await directory.create(user);
    const id = String(created.body['id']);
    expect(created.status).toBe(201);
    const changed = await directory.replace(id, { ...user, id, displayName: 'Key C.' });
    expect(changed).toMatchObject({ status: 200, body: { displayName: 'Key C.' } });
    expect((await directory.call('DELETE', `/Users/${id}`)).status).toBe(204);
  });

  const membersOf = async (group: string) => {
    const { body } = await directory.call('GET', `/Groups/${group}`);
    return (body['members'] as { value: string }[]).map(({ value }) => value).sort();
  };

  it('SCIM takes a group of Entra through all stages', async () => {
    const members = [
      await directory.created({ userName: 'entra.1', externalId: 'en-1' }),
      await directory.created({ userName: 'entra.2', externalId: 'en-2' }),
    ] as const;
    const displayName = 'displayName eq "BjfeSgtest"';
    const lookUp = `/Groups?excludedAttributes=members&filter=${encodeURIComponent(displayName)}`;
    expect(await directory.call('GET', lookUp)).toMatchObject(NONE);
    const created = await directory.call('POST', '/Groups', {
      schemas: [
        'urn:ietf:params:scim:schemas:core:2.0:Group',
        'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group',
      ],
      externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
      displayName: 'BjfeSgtest',
      meta: { resourceType: 'Group' },
    });
    expect(created).toMatchObject({ status: 201, body: { members: [] } });
    const id = String(created.body['id']);
    expect((await directory.call('GET', lookUp)).body).toMatchObject({ Resources: [{ id }] });
    const found = await directory.call('GET', `/Groups/${id}?excludedAttributes=members`);
    expect(found.body).toMatchObject({ id, displayName: 'BjfeSgtest' });
    const externalId = '0a2f1a44-9c0c-4f0a-a9b2-dd5d4ab8dd38';
    const answers = [
      await directory.patchGroup(id, { op: 'Replace', path: 'displayName', value: 'BjfeSg2' }),
      await directory.patchGroup(id, { op: 'Replace', path: 'externalId', value: externalId }),
      await directory.patchGroup(id, {
        op: 'Add',
        path: 'members',
        value: members.map((value) => ({ $ref: null, value })),
      }),
      await directory.patchGroup(id, {
        op: 'Remove',
        path: 'members',
        value: [{ $ref: null, value: members[0] }],
      }),
      await directory.patchGroup(id, { op: 'Remove', path: `members[value eq "${members[0]}"]` }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204]);
    expect(await membersOf(id)).toEqual([members[1]]);
    expect((await directory.find(`externalId eq "${externalId}"`, 'Groups')).body).toMatchObject({
      Resources: [{ id, displayName: 'BjfeSg2' }],
    });
    expect((await directory.call('DELETE', `/Groups/${id}`)).status).toBe(204);
  });

  it('SCIM takes a group of Okta through all stages', async () => {
    const [one, two] = [
      await directory.created({ userName: 'okta.1' }),
      await directory.created({ userName: 'okta.2' }),
    ];
    const lookUp = '/Groups?filter=displayName%20eq%20%22Test%20SCIMv2%22&startIndex=1&count=100';
    expect(await directory.call('GET', lookUp)).toMatchObject(NONE);
    const schemas = ['urn:ietf:params:scim:schemas:core:2.0:Group'];
    const group = { schemas, displayName: 'Test SCIMv2', members: [] };
    const created = await directory.createGroup(group);
    expect(created.status).toBe(201);
    const id = String(created.body['id']);
    const changed = [
      await directory.patchGroup(id, {
        op: 'replace',
        value: { id, displayName: 'Test SCIMv2 renamed' },
      }),
      await directory.patchGroup(id, {
        op: 'add',
        path: 'members',
        value: [
          { value: one, display: 'okta.1' },
          { value: two, display: 'okta.2' },
        ],
      }),
      await directory.patchGroup(
        id,
        { op: 'remove', path: `members[value eq "${one}"]` },
        { op: 'add', path: 'members', value: [{ value: two, display: 'okta.2' }] },
      ),
    ];
    expect(changed.map(({ status }) => status)).toEqual([204, 204, 204]);
    expect(await membersOf(id)).toEqual([two]);
    await directory.patchGroup(id, {
      op: 'replace',
      path: 'members',
      value: [{ value: one, display: 'okta.1' }],
    });
    expect(await membersOf(id)).toEqual([one]);
    const put = await directory.call('PUT', `/Groups/${id}`, {
      ...group,
      id,
      members: [{ value: two, display: 'okta.2' }],
    });
    expect(put).toMatchObject({
      status: 200,
      body: { displayName: 'Test SCIMv2', members: [{ value: two }] },
    });
    expect((await directory.call('DELETE', `/Groups/${id}`)).status).toBe(204);
  });

  it('SCIM takes a group of Keycloak through all stages', async () => {
    const value = await directory.created({ userName: 'keycloak.member' });
    const group = {
      externalId: '0d7f2a2f-6d39-4be6-a0e8-57d5a0f3a7b1',
      displayName: 'keycloak-group',
      members: [{ value, display: 'keycloak.member', type: 'User' }],
    };
    const created = await directory.createGroup(group);
    expect(created).toMatchObject({ status: 201, body: { members: [{ value }] } });
    const id = String(created.body['id']);
    const changed = await directory.call('PUT', `/Groups/${id}`, {
      ...group,
      id,
      displayName: 'keycloak-group-2',
      members: [],
    });
    expect(changed).toMatchObject({
      status: 200,
      body: { displayName: 'keycloak-group-2', members: [] },
    });
    expect((await directory.call('DELETE', `/Groups/${id}`)).status).toBe(204);
  });
});
