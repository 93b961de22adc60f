import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import { baseOf } from '../../src/platform/pages/form-base.js';
import { sendForm } from '../support/console-form.js';
import { AdminClient } from '../support/admin-client.js';
import { issueKey, keyClient } from '../support/application-keys.js';
import { Backend } from '../support/backend.js';
import { adminClient } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { lastAuditRow, rowsOf } from '../support/rows.js';
import { jsonLinesOf, postImport } from '../support/transfer.js';
import { TestServer } from '../support/test-server.js';
import { occasionIn } from '../support/page-forms.js';

const PATH = '/userapi/users/groups';
const FIFTY = Array.from({ length: 50 }, (_, n) => `group-${String(n).padStart(2, '0')}`);

describe.each(DATABASES)('the groups of a user on %s', (on) => {
  let server: TestServer;
  let admin: AdminClient;
  let secret: string;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    admin = new AdminClient(server.url, 'localhost');
    const scopes = ['ceremonies', 'groups'];
    ({ secret } = await issueKey(server.url, { tenant: 'default', scopes }));
  });
  afterAll(() => server.stop());

  const registered = (username: string) => FidoClient.registered(server.url, username);
  const put = (username: string, groups: unknown, by = admin.headers) =>
    admin.put(PATH, { username, groups }, by);
  const groupsOf = async (username: string) => {
    const { body } = await admin.get(`${PATH}?username=${username}`);
    return body['groups'];
  };
  const post = (path: string, fields: Record<string, string>) => sendForm(server, path, fields);

  it('are replaced as a whole, in NFC, with an audit row and an event', async () => {
    await registered('anna');
    expect(await groupsOf('anna')).toEqual([]);
    expect(await put('anna', ['Zu\u0308rich', 'administrators'])).toMatchObject({
      status: 200,
      body: { username: 'anna', groups: ['Zürich', 'administrators'], ofDirectory: false },
    });
    expect((await put('anna', ['staff', 'administrators'])).status).toBe(200);
    expect(await groupsOf('anna')).toEqual(['administrators', 'staff']);
    expect((await lastAuditRow(server, 'user.groups')).detail).toEqual({
      before: 'Zürich, administrators',
      after: 'administrators, staff',
    });
    const events = await rowsOf<{ detail: string }>(
      server,
      "SELECT detail FROM events WHERE kind = 'user-groups-changed' ORDER BY id",
    );
    expect(events.at(-1)?.detail).toBe('administrators, staff');
    expect((await put('anna', ['staff', 'administrators'])).status).toBe(200);
    expect(
      await rowsOf(server, "SELECT 1 FROM events WHERE kind = 'user-groups-changed'"),
    ).toHaveLength(events.length);
    expect((await put('anna', [])).status).toBe(200);
    expect(await groupsOf('anna')).toEqual([]);
  });

  it('are at most 50 different names of 1 to 255 bytes (E0045R)', async () => {
    await registered('bea');
    expect((await put('bea', FIFTY)).status).toBe(200);
    expect((await put('bea', ['x'.repeat(255)])).status).toBe(200);
    const before = await server.snapshot();
    const wrong = [
      undefined,
      'administrators',
      [...FIFTY, 'one more'],
      [''],
      ['x'.repeat(256)],
      ['a', 'a'],
      ['\u00fc', 'u\u0308'],
      [7],
      ['a\nb'],
    ];
    for (const groups of wrong) expectRefusal(await put('bea', groups), 'E0045R', 400);
    expect(await server.snapshot()).toBe(before);
  });

  it('are changed by administrators and application keys with the permission groups (E0043R)', async () => {
    await registered('carl');
    const writer = await issueKey(server.url, { tenant: 'default', scopes: ['users:write'] });
    const other = keyClient(server.url, writer.secret, 'localhost').headers;
    expectRefusal(await put('carl', ['staff'], other), 'E0043R', 403);
    const own = keyClient(server.url, secret, 'localhost').headers;
    expect((await put('carl', ['staff'], own)).status).toBe(200);
    expectRefusal(await put('nobody', ['staff'], own), 'E0044R', 404);
  });

  it('of a user whom a directory manages are not changed here (E0043R)', async () => {
    await registered('dora');
    const managed = "UPDATE users SET directory = '{}' WHERE username = ?";
    await server.get(DataSource).query(managed, [Buffer.from('dora')]);
    const before = await server.snapshot();
    const answer = await put('dora', ['staff']);
    expectRefusal(answer, 'E0043R', 403);
    expect(answer.body.reason).toBe('groups.ofDirectory');
    expect(await server.snapshot()).toBe(before);
    expect((await admin.get(`${PATH}?username=dora`)).body).toMatchObject({ ofDirectory: true });
  });

  it('groups are given by the registration that creates the user', async () => {
    const backend = new Backend(server.url, secret);
    expect((await backend.register('ella', { groups: ['staff', 'berlin'] })).status).toBe(200);
    expect(await groupsOf('ella')).toEqual(['berlin', 'staff']);
    const again = await backend.beginRegistration('ella', { groups: ['administrators'] });
    expect(again.status).toBe(200);
    expect(again.body['warnings']).toEqual([expect.stringContaining('"groups" was ignored')]);
    const other = new Backend(server.url, secret);
    expect((await other.register('ella', { groups: ['administrators'] })).status).toBe(200);
    expect(await groupsOf('ella')).toEqual(['berlin', 'staff']);
  });

  it('are refused in a begin call without the permission (E0043R) and in a wrong form (E0001R)', async () => {
    const groups = ['administrators'];
    const scopes = ['ceremonies'];
    const weak = await issueKey(server.url, { tenant: 'default', scopes });
    for (const client of [new FidoClient(server.url), new Backend(server.url, weak.secret)]) {
      expectRefusal(await client.beginRegistration('finn', { groups }), 'E0043R', 403);
    }
    const backend = new Backend(server.url, secret);
    const wrong = await backend.beginRegistration('finn', { groups: ['a', 'a'] });
    expectRefusal(wrong, 'E0001R', 400);
  });

  it('groups are exported, and imported for new users', async () => {
    await registered('gina');
    await put('gina', ['staff', 'berlin']);
    await admin.post('/userapi/users/suspension', { username: 'gina', suspended: true });
    const { text } = await admin.get('/userapi/export?relyingParty=localhost');
    const lines = text.split('\n').filter((line) => line.includes('"gina"'));
    const gina = JSON.parse(lines[0] ?? '') as object;
    expect(gina).toMatchObject({ groups: ['berlin', 'staff'], suspended: true });
    const userHandle = randomBytes(32).toString('base64url');
    const file = (more: object) =>
      jsonLinesOf([
        { type: 'header', format: 'servicefido-users', version: 1, relyingParty: 'localhost' },
        { ...gina, keys: [], userHandle, ...more },
        { type: 'end', users: 1, keys: 0 },
      ]);
    expect((await postImport(admin, file({ username: 'hans' }))).body).toMatchObject({
      users: { created: 1 },
    });
    expect(await groupsOf('hans')).toEqual(['berlin', 'staff']);
    const [hans] = await admin.list('hans');
    expect(hans).toMatchObject({ suspendedBy: ['helpDesk'] });
    for (const more of [{ groups: 'staff' }, { suspended: 'perhaps' }]) {
      const refused = await postImport(admin, file({ username: 'ida', ...more }));
      expect(refused.body).toMatchObject({ users: { created: 0, refused: 1 } });
    }
  });

  it('come back with the user when a deletion is undone', async () => {
    await registered('ivan');
    await put('ivan', ['staff']);
    const action = { action: 'delete-user', confirm: '1', user: 'localhost/ivan' };
    const { text } = await post('/userapi/bulk', action);
    const occasion = occasionIn(text);
    const members = 'SELECT 1 FROM user_groups WHERE name = ?';
    const before = await rowsOf(server, members, Buffer.from('staff'));
    await post('/userapi/undo', { occasion });
    expect(await rowsOf(server, members, Buffer.from('staff'))).toHaveLength(before.length + 1);
    expect(await groupsOf('ivan')).toEqual(['staff']);
  });

  it('are changed on the page, and are a filter of the list', async () => {
    for (const name of ['jana', 'jens', 'jule']) await registered(name);
    const groups = 'orchestra \r\n\r\nchoir\r\norchestra';
    for (const name of ['jana', 'jule']) {
      const { status } = await post('/userapi/user/groups', { name, rp: 'localhost', groups });
      expect(status).toBe(303);
    }
    expect(await groupsOf('jana')).toEqual(['choir', 'orchestra']);
    const stale = { name: 'jana', rp: 'localhost', groups: 'staff', base: baseOf({ groups: [] }) };
    expect((await post('/userapi/user/groups', stale)).status).toBe(412);
    const fresh = { ...stale, groups, base: baseOf({ groups: ['choir', 'orchestra'] }) };
    expect((await post('/userapi/user/groups', fresh)).status).toBe(303);
    const page = await adminClient(server.url).get('/userapi?rp=localhost&group=orchestra', {
      accept: 'text/html',
    });
    const shown = [...page.text.matchAll(/value="localhost\/([^"]+)"/g)].map(([, name]) => name);
    expect(shown.sort()).toEqual(['jana', 'jule']);
  });
});
