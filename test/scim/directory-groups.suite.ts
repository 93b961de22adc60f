import { Database } from '../../src/platform/database/database.js';
import { ScimGroupRenames } from '../../src/scim/groups/scim-group-renames.js';
import { sendForm } from '../support/console-form.js';
import { AdminClient } from '../support/admin-client.js';
import { adminClient } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { rowsOf } from '../support/rows.js';
import { ScimClient, expectScimError } from '../support/scim-client.js';
import { TestServer } from '../support/test-server.js';

const PLACE = { tenant: 'default', domain: 'localhost' };
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';

describe.each(DATABASES)('the groups of a directory, on %s', (on) => {
  let server: TestServer;
  let directory: ScimClient;
  let admin: AdminClient;
  beforeAll(async () => {
    server = await TestServer.start({ on, options: { scim: true, domain: 'localhost' } });
    directory = await ScimClient.start(server.url, PLACE);
    admin = new AdminClient(server.url, 'localhost');
  });
  afterAll(() => server.stop());

  const membersOf = async (id: string) => {
    const { body } = await directory.call('GET', `/Groups/${id}`);
    return (body['members'] as { value: string }[]).map(({ value }) => value).sort();
  };
  const groupsOf = async (username: string) => {
    const { body } = await admin.get(`/userapi/users/groups?username=${username}`);
    return body['groups'];
  };
  const setGroups = (username: string, groups: readonly string[]) =>
    admin.put('/userapi/users/groups', { username, groups });
  const created = async (group: object) => {
    const { status, text, body } = await directory.createGroup(group);
    if (status !== 201) throw new Error(`create: ${status} ${text}`);
    return String(body['id']);
  };
  const users = (...names: readonly string[]) =>
    Promise.all(names.map((userName) => directory.created({ userName })));
  const rowsAbout = async (target: string) => {
    const { body } = await adminClient(server.url).get(`/userapi/audit?target=${target}`);
    return (body['entries'] as { action: string; detail: object }[]).map(({ action, detail }) => ({
      action,
      ...detail,
    }));
  };

  it('groups of a directory are created with members, whose groups they are everywhere', async () => {
    const [anna = '', bert = ''] = await users('anna', 'bert');
    const { status, body, headers } = await directory.createGroup({
      externalId: 'g-1',
      displayName: 'Zu\u0308rich',
      members: [{ value: anna, display: 'Anna' }, { value: bert }, { value: anna }],
    });
    expect(status).toBe(201);
    const id = String(body['id']);
    const location = `${server.url}/scim/v2/default/localhost/Groups/${id}`;
    expect(headers.get('location')).toBe(location);
    expect(body).toEqual({
      schemas: [GROUP],
      id: expect.stringMatching(/^[\w-]{22}$/),
      externalId: 'g-1',
      displayName: 'Zürich',
      members: expect.arrayContaining([{ value: anna }, { value: bert }]),
      meta: {
        resourceType: 'Group',
        created: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        location,
        version: headers.get('etag'),
      },
    });
    expect(body['members']).toHaveLength(2);
    expect((await directory.call('GET', `/Groups/${id}`)).body).toEqual(body);
    expect(await groupsOf('anna')).toEqual(['Zürich']);
    expect((await directory.user(anna)).body).toMatchObject({
      groups: [{ value: id, $ref: location, display: 'Zürich', type: 'direct' }],
    });
    expect(await rowsAbout('anna')).toEqual([
      { action: 'user.groups', before: '', after: 'Zürich' },
      { action: 'user.create' },
    ]);
    expect(await rowsAbout('Z%C3%BCrich')).toEqual([{ action: 'group.create', members: 2 }]);
    const events = await rowsOf<{ detail: string }>(
      server,
      "SELECT detail FROM events WHERE kind = 'user-groups-changed' AND username = ?",
      Buffer.from('anna'),
    );
    expect(events).toEqual([{ detail: 'Zürich' }]);
  });

  it('are found by displayName, externalId and id, and in lists without members', async () => {
    const [carl = ''] = await users('carl');
    const id = await created({ displayName: 'Found', externalId: 'F', members: [{ value: carl }] });
    const filters = ['displayName eq "Found"', 'externalId eq "F"', `id eq "${id}"`];
    for (const filter of [...filters, filters.join(' and ')]) {
      const { body } = await directory.find(filter, 'Groups');
      expect({ filter, body }).toMatchObject({
        body: { totalResults: 1, Resources: [{ id, members: [{ value: carl }] }] },
      });
    }
    await created({ displayName: '\uFFFD', externalId: '\uFFFD' });
    for (const filter of [
      ...['displayName eq "found"', 'externalId eq "f"', 'id eq "x"', `id eq "${id}="`].map(
        (other) => `${other} and ${filters[0]}`,
      ),
      'externalId eq "\uFFFD" and displayName eq "Found"',
      // Half a surrogate pair, which UTF-8 would make U+FFFD.
      'displayName eq "\\ud800"',
      'externalId eq "\\ud800"',
    ]) {
      const { body } = await directory.find(filter, 'Groups');
      expect({ filter, body }).toMatchObject({ body: { totalResults: 0, Resources: [] } });
    }
    for (const filter of [
      'members eq "x"',
      'displayName sw "F"',
      'displayName pr',
      'meta eq "x"',
      'displayName eq "Found" and members eq "x"',
    ]) {
      const answer = await directory.find(filter, 'Groups');
      expectScimError(answer, 400, 'E0045R scim.filter', 'invalidFilter');
    }
    const { body: all } = await directory.call('GET', '/Groups');
    const [first] = all['Resources'] as object[];
    const { body } = await directory.call('GET', '/Groups?startIndex=1&count=1');
    expect(body).toMatchObject({ itemsPerPage: 1, Resources: [first] });
    expect((body['Resources'] as object[])[0]).not.toHaveProperty('members');
    for (const query of ['excludedAttributes=members', 'attributes=displayName']) {
      const one = await directory.call('GET', `/Groups/${id}?${query}`);
      expect(one.body).toMatchObject({ id, displayName: 'Found' });
      expect(one.body).not.toHaveProperty('members');
    }
  });

  it('groups of a directory have different names and IDs', async () => {
    const id = await created({ displayName: 'Taken', externalId: 't' });
    await created({ displayName: 'Other', externalId: 'o' });
    for (const group of [{ displayName: 'Taken' }, { displayName: 'New', externalId: 't' }]) {
      const answer = await directory.createGroup(group);
      expectScimError(answer, 409, 'E0045R scim.groupTaken', 'uniqueness');
    }
    for (const group of [{ displayName: 'Other' }, { displayName: 'Taken', externalId: 'o' }]) {
      const answer = await directory.call('PUT', `/Groups/${id}`, group);
      expectScimError(answer, 409, 'E0045R scim.groupTaken', 'uniqueness');
    }
    expect((await directory.call('GET', `/Groups/${id}`)).body).toMatchObject({ externalId: 't' });
  });

  it.each([
    {},
    { displayName: '' },
    { displayName: 7 },
    { displayName: 'x'.repeat(256) },
    { displayName: 'a\nb' },
    { displayName: 'g', externalId: 7 },
    { displayName: 'g', members: 'x' },
    { displayName: 'g', members: [{ display: 'x' }] },
    { displayName: 'g', members: [{ value: 'nobody' }] },
    { displayName: 'g', members: [{ value: 'AAAAAAAAAAAAAAAAAAAAAA', type: 'Group' }] },
  ])('a group of a directory is refused for %j', async (group) => {
    const before = await server.snapshot();
    const { status, body } = await directory.createGroup(group);
    expect({ status, body }).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });
    expect(await server.snapshot()).toBe(before);
  });

  it('are replaced by a PUT, which keeps what it does not name', async () => {
    const [dora = '', emil = ''] = await users('dora', 'emil');
    const id = await created({ displayName: 'Put', externalId: 'p', members: [{ value: dora }] });
    const renamed = await directory.call('PUT', `/Groups/${id}`, { displayName: 'Put 2' });
    expect(renamed).toMatchObject({
      status: 200,
      body: { displayName: 'Put 2', externalId: 'p', members: [{ value: dora }] },
    });
    expect(await groupsOf('dora')).toEqual(['Put 2']);
    const members = [{ value: emil }];
    const replaced = await directory.call('PUT', `/Groups/${id}`, {
      displayName: 'Put 3',
      members,
    });
    expect(replaced).toMatchObject({ status: 200, body: { displayName: 'Put 3', members } });
    expect(await groupsOf('dora')).toEqual([]);
    expect(await groupsOf('emil')).toEqual(['Put 3']);
    const again = await directory.call('PUT', `/Groups/${id}`, replaced.body);
    expect(again.body).toEqual(replaced.body);
    expect(await rowsAbout('Put%202')).toEqual([{ action: 'group.change', name: 'Put 3' }]);
    await directory.call('PUT', `/Groups/${id}`, { displayName: 'Put 3', members: [] });
    expect(await membersOf(id)).toEqual([]);
  });

  it('are changed by a PATCH, with and without a path', async () => {
    const [fay = '', gus = '', hal = ''] = await users('fay', 'gus', 'hal');
    const id = await created({ displayName: 'Patch', members: [{ value: fay }] });
    const patch = async (...operations: Parameters<ScimClient['patchGroup']>[1][]) => {
      const { status, text } = await directory.patchGroup(id, ...operations);
      expect({ status, text }).toEqual({ status: 204, text: '' });
      return membersOf(id);
    };
    const both = [{ value: gus }, { value: hal }];
    expect(await patch({ op: 'add', path: 'members', value: both })).toEqual(
      [fay, gus, hal].sort(),
    );
    const filter = `members[value eq "${fay}"]`;
    expect(await patch({ op: 'remove', path: filter })).toEqual([gus, hal].sort());
    expect(await patch({ op: 'remove', path: filter })).toEqual([gus, hal].sort());
    expect(await patch({ op: 'Remove', path: 'members', value: [{ value: gus }] })).toEqual([hal]);
    expect(await patch({ op: 'replace', path: 'members', value: [{ value: fay }] })).toEqual([fay]);
    expect(await patch({ op: 'add', value: { members: [{ value: gus }] } })).toEqual(
      [fay, gus].sort(),
    );
    const facts = { displayName: 'Patched', externalId: 'x-1' };
    expect(await patch({ op: 'replace', value: facts })).toEqual([fay, gus].sort());
    expect(await groupsOf('gus')).toEqual(['Patched']);
    expect(await patch({ op: 'remove', path: 'members' })).toEqual([]);
    await patch({ op: 'remove', path: 'externalId' });
    const { body } = await directory.call('GET', `/Groups/${id}`);
    expect(body).toMatchObject({ displayName: 'Patched', members: [] });
    expect(body).not.toHaveProperty('externalId');
    const asked = await directory.call('PATCH', `/Groups/${id}?attributes=displayName`, {
      Operations: [{ op: 'add', path: 'members', value: [{ value: hal }] }],
    });
    expect(asked).toMatchObject({ status: 200, body: { id, displayName: 'Patched' } });
    expect(asked.body).not.toHaveProperty('members');
  });

  it('keep their members at a removal whose value is misspelt', async () => {
    const [kim = ''] = await users('kim');
    const id = await created({ displayName: 'Misspelt', members: [{ value: kim }] });
    const removal = { op: 'remove', path: 'members', values: [{ value: kim }] };
    const answer = await directory.patchGroup(id, removal);
    expectScimError(answer, 400, 'E0045R scim.operation', 'invalidSyntax');
    expect(answer.body['detail']).toContain('"values"');
    expect(await membersOf(id)).toEqual([kim]);
  });

  it.each<[string, object, string]>([
    ['another filter', { op: 'remove', path: 'members[display eq "x"]' }, 'invalidPath'],
    [
      'two members',
      { op: 'remove', path: 'members[value eq "a" or value eq "b"]' },
      'invalidFilter',
    ],
    ['a filter that adds', { op: 'add', path: 'members[value eq "a"]', value: [] }, 'invalidPath'],
    ['__proto__', { op: 'add', path: '__proto__.members', value: [] }, 'invalidPath'],
    ['an unknown attribute', { op: 'add', path: 'colour', value: 'red' }, 'invalidPath'],
    ['a member without a value', { op: 'add', path: 'members', value: [{}] }, 'invalidValue'],
    ['__proto__ as a member', { op: 'add', path: 'members', value: '__proto__' }, 'invalidValue'],
    ['no name', { op: 'remove', path: 'displayName' }, 'invalidValue'],
  ])('refuse a PATCH with %s', async (fault, operation, scimType) => {
    const id = await created({ displayName: `Refuses ${fault}` });
    const before = await server.snapshot();
    const answer = await directory.patchGroup(id, operation as { op: string });
    expect(answer).toMatchObject({ status: 400, body: { scimType } });
    expect(await server.snapshot()).toBe(before);
    expect(({} as { members?: unknown }).members).toBeUndefined();
  });

  it('groups of a directory compare ETags', async () => {
    const [ida = ''] = await users('ida');
    const id = await created({ displayName: 'Tagged' });
    const { headers } = await directory.call('GET', `/Groups/${id}?excludedAttributes=members`);
    const tag = String(headers.get('etag'));
    const send = (method: string, body?: object) =>
      directory.call(method, `/Groups/${id}`, body, { 'if-match': tag });
    const adding = { op: 'add', path: 'members', value: [{ value: ida }] };
    expect((await send('PATCH', { Operations: [adding] })).status).toBe(204);
    const removing = { Operations: [{ op: 'remove', path: 'members' }] };
    expectScimError(await send('PATCH', removing), 412, 'E0053R resource.changed');
    expectScimError(await send('PUT', { displayName: 'X' }), 412, 'E0053R resource.changed');
    expectScimError(await send('DELETE'), 412, 'E0053R resource.changed');
    const now = await directory.call('GET', `/Groups/${id}`);
    const wrong = { 'if-match': '"abc"' };
    const untagged = await directory.call('DELETE', `/Groups/${id}`, undefined, wrong);
    expectScimError(untagged, 412, 'E0053R resource.noTag');
    const unchanged = await directory.call('GET', `/Groups/${id}`, undefined, {
      'if-none-match': String(now.headers.get('etag')),
      'cache-control': 'max-age=0',
    });
    expect(unchanged.status).toBe(304);
    expect(await membersOf(id)).toEqual([ida]);
  });

  it('do not change the ETags of their members', async () => {
    const [iris = ''] = await users('iris');
    const tag = String((await directory.user(iris)).headers.get('etag'));
    await created({ displayName: 'Joined', members: [{ value: iris }] });
    const { headers, body } = await directory.user(iris);
    expect(headers.get('etag')).toBe(tag);
    expect(body).toMatchObject({ groups: [{ display: 'Joined' }], meta: { version: tag } });
    const user = { userName: 'iris', displayName: 'Iris' };
    const changed = await directory.call('PUT', `/Users/${iris}`, user, { 'if-match': tag });
    expect(changed).toMatchObject({ status: 200, body: { displayName: 'Iris' } });
  });

  it('groups of a directory are deleted, while their members remain', async () => {
    const [jan = ''] = await users('jan');
    const id = await created({ displayName: 'Gone', members: [{ value: jan }] });
    const deleted = await directory.call('DELETE', `/Groups/${id}`);
    expect(deleted).toMatchObject({ status: 204, text: '' });
    for (const method of ['GET', 'DELETE']) {
      const answer = await directory.call(method, `/Groups/${id}`);
      expectScimError(answer, 404, 'E0044R scim.groupUnknown');
    }
    expect(await groupsOf('jan')).toEqual([]);
    expect((await directory.user(jan)).body).not.toHaveProperty('groups');
    expect(await rowsAbout('Gone')).toEqual([
      { action: 'group.delete' },
      { action: 'group.create', members: 1 },
    ]);
    expect((await rowsAbout('jan'))[0]).toEqual({
      action: 'user.groups',
      before: 'Gone',
      after: '',
    });
    await created({ displayName: 'Gone' });
  });

  it('a user has at most 50 groups of a directory', async () => {
    const [kai = '', lea = ''] = await users('kai', 'lea');
    const members = [{ value: kai }];
    for (let n = 0; n < 50; n += 1) await created({ displayName: `many-${n}`, members });
    const last = await created({ displayName: 'many-50', members: [{ value: lea }] });
    const before = await server.snapshot();
    const add = { op: 'add', path: 'members', value: members };
    const full = await directory.patchGroup(last, add);
    expectScimError(full, 400, 'E0045R scim.memberOfMany', 'invalidValue');
    const more = await directory.createGroup({ displayName: 'many-51', members });
    expectScimError(more, 400, 'E0045R scim.memberOfMany', 'invalidValue');
    expect(await server.snapshot()).toBe(before);
    const { body } = await directory.find('displayName eq "many-0"', 'Groups');
    const [{ id = '' } = {}] = body['Resources'] as { id: string }[];
    expect((await directory.patchGroup(id, add)).status).toBe(204);
  });

  it('take no user who is not managed by the directory, and replace what others gave', async () => {
    expect((await new FidoClient(server.url).register('local')).status).toBe(200);
    expect((await setGroups('local', ['administrators'])).status).toBe(200);
    const { body } = await directory.find('userName eq "local"');
    const [{ id: local = '' } = {}] = body['Resources'] as { id: string }[];
    const id = await created({ displayName: 'administrators' });
    expect(await membersOf(id)).toEqual([]);
    const add = { op: 'add', path: 'members', value: [{ value: local }] };
    const refused = await directory.patchGroup(id, add);
    expectScimError(refused, 400, 'E0045R scim.memberElsewhere', 'invalidValue');
    await directory.call('PUT', `/Groups/${id}`, { displayName: 'admins' });
    expect(await groupsOf('local')).toEqual(['administrators']);
    await directory.patchUser(local, { op: 'add', path: 'externalId', value: 'l-1' });
    expect(await groupsOf('local')).toEqual([]);
    expect((await rowsAbout('local')).map(({ action }) => action)).toEqual([
      'user.change',
      'user.groups',
      'user.groups',
    ]);
    expect((await directory.patchGroup(id, add)).status).toBe(204);
    expect(await groupsOf('local')).toEqual(['admins']);
    expectRefusal(await setGroups('local', []), 'E0043R', 403);
  });

  it('come back with a user whose deletion is undone, unless the directory deleted them', async () => {
    const [mia = ''] = await users('mia');
    const members = [{ value: mia }];
    const ids = [
      await created({ displayName: 'kept', members }),
      await created({ displayName: 'dropped', members }),
    ];
    await directory.call('DELETE', `/Users/${mia}`);
    expect(await membersOf(ids[0] ?? '')).toEqual([]);
    await directory.call('DELETE', `/Groups/${ids[1]}`);
    await undoDeletionOf('mia');
    expect(await groupsOf('mia')).toEqual(['kept']);
    expect(await membersOf(ids[0] ?? '')).toEqual([mia]);
  });

  it('come back by their present names with a user whose deletion is undone', async () => {
    const [nora = ''] = await users('nora');
    const id = await created({ displayName: 'old name', members: [{ value: nora }] });
    await directory.call('DELETE', `/Users/${nora}`);
    await directory.call('PUT', `/Groups/${id}`, { displayName: 'new name' });
    await undoDeletionOf('nora');
    expect(await groupsOf('nora')).toEqual(['new name']);
    expect(await membersOf(id)).toEqual([nora]);
  });

  it('come back with a user who was deleted before a new name had reached all members', async () => {
    const [otto = ''] = await users('otto');
    const id = await created({ displayName: 'from here', members: [{ value: otto }] });
    const renaming = {
      sql: 'UPDATE directory_groups SET former_name = name, name = ? WHERE id = ?',
      params: [Buffer.from('to there'), Buffer.from(id, 'base64url')],
    };
    await server.get(Database).commit([renaming]);
    await directory.call('DELETE', `/Users/${otto}`);
    await server.get(ScimGroupRenames).runNow();
    await undoDeletionOf('otto');
    expect(await groupsOf('otto')).toEqual(['to there']);
  });

  it('come back once with a user who had both names of a group when it was renamed', async () => {
    const [quin = ''] = await users('quin');
    const id = await created({ displayName: 'before', members: [{ value: quin }] });
    const params = [Buffer.from('after'), Buffer.from(id, 'base64url')];
    await server.get(Database).commit([
      {
        sql: `INSERT INTO user_groups (relying_party_id, tenant_id, name, user_id)
          SELECT m.relying_party_id, m.tenant_id, ?, m.user_id FROM user_groups m
          JOIN directory_groups g ON g.name = m.name AND g.relying_party_id = m.relying_party_id
          WHERE g.id = ?`,
        params,
      },
      { sql: 'UPDATE directory_groups SET former_name = name, name = ? WHERE id = ?', params },
    ]);
    await directory.call('DELETE', `/Users/${quin}`);
    await undoDeletionOf('quin');
    expect(await groupsOf('quin')).toEqual(['after']);
  });

  it('never take in a restored user because another group had their name before', async () => {
    const [pia = ''] = await users('pia');
    const members = [{ value: pia }];
    const renamed = await created({ displayName: 'ops', members });
    const deleted = await created({ displayName: 'staff', members });
    await directory.call('DELETE', `/Users/${pia}`);
    await directory.call('PUT', `/Groups/${renamed}`, { displayName: 'operations' });
    await directory.call('DELETE', `/Groups/${deleted}`);
    for (const displayName of ['ops', 'staff']) await created({ displayName });
    await undoDeletionOf('pia');
    expect(await groupsOf('pia')).toEqual(['operations']);
  });

  async function undoDeletionOf(username: string) {
    const page = await adminClient(server.url).get(`/userapi/user?rp=localhost&name=${username}`, {
      accept: 'text/html',
    });
    const form = /action="\/userapi\/undo".*?<\/form>/s.exec(page.text)?.[0] ?? '';
    const fields = [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, ...pair]) => pair);
    await sendForm(server, '/userapi/undo', Object.fromEntries(fields) as Record<string, string>);
  }
});
