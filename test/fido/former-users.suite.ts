import { Database } from '../../src/platform/database/database.js';
import { sendForm } from '../support/console-form.js';
import { AdminClient } from '../support/admin-client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

const ok = { status: 200, body: { status: 'ok' } };

type Permission = 'invitation' | 'ticket';
type Loss = 'was renamed' | 'was deleted' | 'was deleted on a page';

const PERMISSIONS: readonly Permission[] = ['invitation', 'ticket'];
const LOSSES: readonly Loss[] = ['was renamed', 'was deleted', 'was deleted on a page'];

describe.each(DATABASES)('invitations and tickets of former users of a name on %s', (on) => {
  let server: TestServer;
  let admin: AdminClient;
  beforeAll(async () => {
    server = await TestServer.start({ on, options: { registration: 'ticket' } });
    admin = new AdminClient(server.url, 'localhost');
  });
  afterAll(() => server.stop());

  const newUser = () => new FidoClient(server.url);

  describe.each(PERMISSIONS)('an unused %s', (what) => {
    it.each(LOSSES)(
      `an unused ${what} registers no key for the next user after its user %s (E0043R)`,
      async (loss) => {
        const name = `anna-${what}-${LOSSES.indexOf(loss)}`;
        await registered(name);
        const code = await issue(what, name);
        expect((await lose(loss, name)).status).toBeLessThan(400);
        expectRefusal(await newUser().beginRegistration(name, { ticket: code }), 'E0043R');
        await registered(name);
        expectRefusal(await newUser().beginRegistration(name, { ticket: code }), 'E0043R');
        expect(await keysOf(name)).toBe(1);
      },
    );

    it(`an unused ${what} stays with its user who is renamed during a registration`, async () => {
      const name = `bea-${what}`;
      await registered(name);
      const code = await issue(what, name);
      const bea = newUser();
      const begun = await bea.beginRegistration(name, { ticket: code });
      await rename(name, `${name}.smith`);
      await registered(name);
      const completed = await bea.completeRegistration(bea.create(begun));
      expect(completed).toMatchObject({ status: 200, body: { username: `${name}.smith` } });
      expect([await keysOf(name), await keysOf(`${name}.smith`)]).toEqual([1, 2]);
      expect(await registrationsOf(`${name}.smith`)).toBe(2);
      expect(await registrationsOf(name)).toBe(1);
    });

    it(`an unused ${what} of a user deleted during a registration is void for the next user (E0024R)`, async () => {
      const name = `carl-${what}`;
      await registered(name);
      const code = await issue(what, name);
      const carl = newUser();
      const begun = await carl.beginRegistration(name, { ticket: code });
      await lose('was deleted', name);
      await registered(name);
      expectRefusal(await carl.completeRegistration(carl.create(begun)), 'E0024R', 408);
      expect(await keysOf(name)).toBe(1);
    });

    it(`an unused ${what} for a new user is void once the name is registered otherwise (E0043R)`, async () => {
      const name = `dora-${what}`;
      const code = await issue(what, name);
      await registered(name);
      expectRefusal(await newUser().beginRegistration(name, { ticket: code }), 'E0043R');
    });

    it(`an unused ${what} stays void after the deletion of its user is undone (E0043R)`, async () => {
      const name = `emil-${what}`;
      await registered(name);
      const code = await issue(what, name);
      await lose('was deleted on a page', name);
      const [row] = await rowsOf<{ id: Buffer }>(
        server,
        'SELECT id FROM deletions WHERE username = ?',
        Buffer.from(name),
      );
      const deletion = row?.id.toString('base64url') ?? '';
      expect((await post('/userapi/undo', { name, deletion })).status).toBe(303);
      expectRefusal(await newUser().beginRegistration(name, { ticket: code }), 'E0043R');
      expect(await keysOf(name)).toBe(1);
    });

    it(`an unused ${what} of an earlier version is valid for the user who had the name when it was issued`, async () => {
      const name = `fran-${what}`;
      await registered(name);
      server.clock.advance(86_500_000);
      const code = await issue(what, name, { ttl: 86_400 });
      const other = await issue(what, name, { ttl: 86_400 });
      const unbind = { sql: `UPDATE ${what}s SET user_id = NULL`, params: [] };
      await server.get(Database).commit([unbind]);
      expect(await newUser().register(name, { ticket: code })).toMatchObject(ok);
      server.clock.advance(1000);
      await rename(name, `${name}.smith`);
      await registered(name);
      expectRefusal(await newUser().beginRegistration(name, { ticket: other }), 'E0043R');
    });
  });

  it('an invitation that created a user is refused for the next user of the name (E0043R)', async () => {
    const code = await issue('invitation', 'gus', { minKeys: 2 });
    const gus = newUser();
    expect(await gus.register('gus', { ticket: code })).toMatchObject(ok);
    const token = String((await gus.signIn('gus')).body['token']);
    await rename('gus', 'gus.smith');
    await registered('gus');
    const begun = await gus.post(
      gus.paths.beginRegistration,
      { username: 'gus', displayName: 'Gus', ticket: code },
      { authorization: `Bearer ${token}` },
    );
    expectRefusal(begun, 'E0043R');
    expect(begun.body).toMatchObject({ reason: 'invitation.otherUser' });
  });

  it('an invitation of a renamed user is no second factor for the next user (E0043R)', async () => {
    await registered('hal');
    const code = await issue('invitation', 'hal');
    await rename('hal', 'hal.smith');
    const next = await registered('hal');
    const begun = await next.post(next.paths.beginAuthentication, {
      username: 'hal',
      ticket: code,
    });
    expectRefusal(begun, 'E0043R');
  });

  it('an invitation of a renamed user is not listed for the next user', async () => {
    await registered('ivan');
    await issue('invitation', 'ivan');
    await rename('ivan', 'ivan.smith');
    await registered('ivan');
    const { body } = await admin.get('/userapi/invitations?username=ivan');
    expect(body['invitations']).toEqual([]);
  });

  async function issue(what: Permission, username: string, more: object = {}) {
    const wish = { username, relyingParty: 'localhost', ...more };
    const { body } = await admin.post(`/userapi/${what}s`, wish);
    return String(body['code'] ?? body['ticket']);
  }

  async function registered(username: string) {
    const one = newUser();
    const ticket = await issue('ticket', username);
    expect(await one.register(username, { ticket })).toMatchObject(ok);
    return one;
  }

  function rename(username: string, newUsername: string) {
    return admin.patch('/userapi/users', { username, newUsername });
  }

  function post(path: string, fields: Record<string, string>) {
    return sendForm(server, path, { rp: 'localhost', ...fields }, { client: admin });
  }

  async function lose(loss: Loss, name: string) {
    if (loss === 'was renamed') return rename(name, `${name}.smith`);
    if (loss === 'was deleted') {
      return admin.post('/userapi/manageusers', { type: 'deluser', filter: name });
    }
    return post('/userapi/user', { name, action: 'delete-user', confirm: name });
  }

  async function keysOf(username: string) {
    const { body } = await admin.get(`/userapi/manageusers?filter=${username}`);
    const [user] = body['users'] as { credentials: unknown[] }[];
    return user?.credentials.length;
  }

  async function registrationsOf(username: string) {
    const { body } = await admin.get(`/userapi/events?user=${username}`);
    const events = body['events'] as { kind: string }[];
    return events.filter(({ kind }) => kind === 'registration').length;
  }
});
