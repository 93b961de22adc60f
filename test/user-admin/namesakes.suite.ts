import { randomBytes } from 'node:crypto';
import { sendForm } from '../support/console-form.js';
import { AdminClient } from '../support/admin-client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { fieldsOfForm } from '../support/page-forms.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { TestServer } from '../support/test-server.js';
import { jsonLinesOf, linesOf, postImport } from '../support/transfer.js';
import { HTML } from '../support/client.js';

/** One name, and two users who have it one after the other. */
describe.each(DATABASES)('the next user of a deleted user’s name, on %s', (on) => {
  let server: TestServer;
  let admin: AdminClient;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    admin = new AdminClient(server.url, 'localhost');
  });
  afterAll(() => server.stop());

  const registered = (username: string) => FidoClient.registered(server.url, username);
  const rename = (username: string, newUsername: string) =>
    admin.patch('/userapi/users', { username, newUsername });
  const remove = (filter: string) => admin.manage({ type: 'deluser', filter });
  const pageOf = async (name: string) =>
    (await admin.get(`/userapi/user?rp=localhost&name=${name}`, HTML)).text;
  const post = (path: string, fields: Record<string, string>) =>
    sendForm(server, path, fields, { client: admin });
  const formOf = async (name: string, path: string) =>
    fieldsOfForm(await pageOf(name), path) as Record<string, string>;
  const eventsOf = async (user: string) => {
    const { body } = await admin.get(`/userapi/events?limit=100&user=${user}`);
    return (body['events'] as { kind: string; username: string }[]).map(
      ({ kind, username }) => `${kind} ${username}`,
    );
  };

  it.each([
    ['disable-all', '/userapi/user'],
    ['delete-user', '/userapi/user'],
    ['erase', '/userapi/user/erasure'],
    ['invite', '/userapi/user/invitations'],
  ])(
    'the next user of a deleted user’s name is not changed by the form %s of a page that shows the former user',
    async (action, path) => {
      const name = `nina-${action}`;
      const former = await registered(name);
      const fields = await formOf(name, path);
      await rename(name, `${name}.b`);
      const next = await registered(name);
      const pressed = path === '/userapi/user' ? { ...fields, action } : fields;
      const { status } = await post(
        path,
        'minKeys' in fields ? pressed : { ...pressed, confirm: name },
      );
      expect([302, 303, 412]).toContain(status);
      expect((await next.signIn(name)).status).toBe(200);
      expect((await former.signIn(`${name}.b`)).status).toBe(200);
      const { body } = await admin.get(`/userapi/invitations?username=${name}`);
      expect(body['invitations']).toEqual([]);
    },
  );

  it('the next user of a deleted user’s name is changed by the form of the page that shows this user', async () => {
    await registered('olga');
    const fields = await formOf('olga', '/userapi/user');
    await post('/userapi/user', { ...fields, action: 'disable-all' });
    expect((await new FidoClient(server.url).beginAuthentication('olga')).status).toBe(403);
  });

  it('leaves the history of the former user when this user is erased', async () => {
    const former = await registered('emma');
    await former.signIn('emma');
    await rename('emma', 'emma.smith');
    server.clock.advance(1000);
    await registered('emma');
    const before = await eventsOf('emma.smith');
    const form = await formOf('emma', '/userapi/user/erasure');
    expect((await post('/userapi/user/erasure', { ...form, confirm: 'emma' })).status).toBe(303);
    expect(await eventsOf('emma')).toEqual(before.filter((event) => !event.endsWith('.smith')));
    expect(await eventsOf('emma.smith')).toEqual(before);
    expect(before).toContain('authentication emma');
    const { body } = await admin.get('/userapi/audit?action=user.rename&limit=100');
    expect(JSON.stringify(body)).toContain('emma.smith');
  });

  it('the next user of a deleted user’s name has a separate history, even if the former user is deleted', async () => {
    const former = await registered('anna');
    await former.signIn('anna');
    await rename('anna', 'anna.smith');
    await registered('anna');
    const own = ['registration anna', 'user-created anna'];
    expect((await eventsOf('anna')).sort()).toEqual(own);
    await remove('anna.smith');
    expect((await eventsOf('anna')).sort()).toEqual(own);
  });

  it('the next user of a deleted user’s name has keys that the former user’s token does not list, even if imported as the older one (E0042R)', async () => {
    const former = await registered('bert');
    const token = String((await former.signIn('bert')).body['token']);
    const read = () =>
      new FidoClient(server.url).send('/fidoapi/keys', {
        headers: { authorization: `Bearer ${token}` },
      });
    expect((await read()).status).toBe(200);
    const exported = linesOf(await admin.get('/userapi/export', { accept: '*/*' }));
    await remove('bert');
    const user = exported.find(({ username }) => username === 'bert') ?? {};
    const [key] = user['keys'] as object[];
    const imported = {
      ...user,
      userHandle: randomBytes(32).toString('base64url'),
      createdAt: '2020-01-01T00:00:00.000Z',
      keys: [{ ...key, credentialId: randomBytes(32).toString('base64url') }],
    };
    const end = { type: 'end', users: 1, keys: 1 };
    const answer = await postImport(admin, jsonLinesOf([exported[0] ?? {}, imported, end]));
    expect([answer.status, answer.body['users']]).toEqual([200, expect.anything()]);
    expectRefusal(await read(), 'E0042R', 401);
  });

  it('prevents the undo of the former user’s deletion, even after a renaming', async () => {
    const former = await registered('carl');
    const form = await formOf('carl', '/userapi/user');
    await post('/userapi/user', { ...form, action: 'delete-user', confirm: 'carl' });
    const undo = await formOf('carl', '/userapi/undo');
    await registered('carl');
    await rename('carl', 'carl.jones');
    await post('/userapi/undo', undo);
    expect((await former.beginAuthentication('carl')).status).toBe(403);
  });
});
