import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { UserErasure } from '../../src/user-admin/manage-users/user-erasure.js';
import { sendForm } from '../support/console-form.js';
import { AdminClient } from '../support/admin-client.js';
import { erasureCall } from '../support/changing-call.js';
import { bearer, issueKey } from '../support/application-keys.js';
import type { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { Backend } from '../support/backend.js';
import { fireTogether } from '../support/barrier.js';
import type { Answer } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { countOf, relyingPartyOf, rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';
import { occasionIn } from '../support/page-forms.js';

const OLD = 'old.example';
const NEW = 'new.example';
const ROUNDS = 8;

describe.each(DATABASES)('a lock-out on %s', (on) => {
  let server: TestServer;
  let admin: AdminClient;
  let secret: string;
  let acmeSecret: string;
  beforeAll(async () => {
    server = await TestServer.start({ on, options: { registration: 'ticket' } });
    admin = new AdminClient(server.url, 'localhost');
    const scopes = ['ceremonies', 'tickets'];
    ({ secret } = await issueKey(server.url, { tenant: 'default', scopes }));
    await server.addRelyingParty('acme', { domain: OLD, relatedOrigins: [`https://${NEW}`] });
    await server.addRelyingParty('acme', { domain: NEW, enrolmentUrl: `https://${NEW}/enrol` });
    acmeSecret = (await issueKey(server.url, { tenant: 'acme', scopes })).secret;
  });
  afterAll(() => server.stop());

  const newUser = () => new FidoClient(server.url);
  const at = (relyingParty: string) => new Backend(server.url, acmeSecret, { relyingParty });
  const form = (path: string, fields: Record<string, string>) => sendForm(server, path, fields);
  const LOCK_OUTS = ['disableall', 'deluser', 'deletelistusers'] as const;

  it.each(LOCK_OUTS)('by %s ends the tickets and open invitations of the user', async (how) => {
    const name = `ends-${how}`;
    await ticketFor(name);
    await inviteTo(name);
    await backend().register(name);
    const ticket = await ticketFor(name);
    const code = await inviteTo(name);
    const another = await ticketFor('bystander');
    expect(await lockOut(how, name)).toMatchObject({
      body: { ended: { tickets: 2, invitations: 2 } },
    });
    for (const permit of [ticket, code]) {
      expectRefusal(await newUser().beginRegistration(name, { ticket: permit }), 'E0043R', 403);
    }
    expect((await newUser().beginRegistration('bystander', { ticket: another })).status).toBe(200);
    const [row] = await rowsOf<{ detail: string }>(
      server,
      "SELECT detail FROM audit WHERE target = ? AND action <> 'ticket.issue' AND action <> 'invitation.issue' AND result = 'ok' ORDER BY seq DESC LIMIT 1",
      Buffer.from(name),
    );
    expect(JSON.parse(row?.detail ?? '')).toMatchObject({ endedTickets: 2, endedInvitations: 2 });
  });

  it('by an erasure ends the tickets and open invitations of the user', async () => {
    await backend().register('erased');
    await lockOut('disableall', 'erased');
    await ticketFor('erased');
    await inviteTo('erased');
    const begun = backend();
    const options = await begun.beginRegistration('erased');
    const by = erasureCall(server);
    const rp = relyingPartyOf(server, 'localhost');
    expect(await server.get(UserErasure).erase(rp, 'erased', by)).toMatchObject({
      ended: { tickets: 1, invitations: 1 },
    });
    expectEnded(await begun.completeRegistration(begun.create(options)));
  });

  it('of a user whose keys are disabled already ends what was issued since', async () => {
    await backend().register('again');
    await lockOut('disableall', 'again');
    const code = await inviteTo('again');
    const begun = newUser();
    const options = await begun.beginRegistration('again', { ticket: code });
    expect(await lockOut('disableall', 'again')).toMatchObject({
      body: { users: 1, credentials: 0, ended: { tickets: 0, invitations: 1 } },
    });
    expectEnded(await begun.completeRegistration(begun.create(options)));
    const second = backend();
    const more = await second.beginRegistration('again');
    expect((await lockOut('disableall', 'again')).body).toMatchObject({ users: 0 });
    expectEnded(await second.completeRegistration(second.create(more)));
  });

  it.each(LOCK_OUTS)('a lock-out by %s ends a registration that began before it', async (how) => {
    const name = `begun-${how}`;
    await backend().register(name);
    const before = backend();
    const options = await before.beginRegistration(name);
    await lockOut(how, name);
    if (how === 'disableall') await admin.managePost({ type: 'enableall', filter: name });
    // Another user of the name.
    else expect((await backend().register(name)).status).toBe(200);
    expectEnded(await before.completeRegistration(before.create(options)));
    const [user] = await admin.list(name);
    expect(user?.credentials).toHaveLength(1);
  });

  it('is whole after an undo: neither tickets nor registrations come back', async () => {
    await backend().register('undone');
    const ticket = await ticketFor('undone');
    const code = await inviteTo('undone');
    const before = backend();
    const options = await before.beginRegistration('undone');
    const { text } = await form('/userapi/bulk', {
      action: 'delete-user',
      confirm: '1',
      user: 'localhost/undone',
    });
    expect(text).toContain('1 ticket, 1 invitation');
    const occasion = occasionIn(text);
    await form('/userapi/undo', { occasion });
    expect(await admin.names('undone')).toEqual(['undone']);
    expectEnded(await before.completeRegistration(before.create(options)));
    for (const permit of [ticket, code]) {
      expectRefusal(await newUser().beginRegistration('undone', { ticket: permit }), 'E0043R', 403);
    }
    expect((await backend().register('undone')).status).toBe(200);
  });

  it('leaves no enabled key, whichever of it and a result call comes first', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const name = `race-${round}`;
      await backend().register(name);
      const racing = backend();
      const body = racing.create(await racing.beginRegistration(name));
      const result = { ceremony: racing.ceremony, ...body };
      const [registered, locked] = await fireTogether([
        {
          url: server.url + racing.paths.completeRegistration,
          body: result,
          headers: { ...racing.headers },
        },
        {
          url: `${server.url}/userapi/manageusers`,
          body: { type: round % 2 === 0 ? 'disableall' : 'deluser', filter: name },
          headers: { ...admin.headers },
        },
      ]);
      expect(locked?.status).toBe(200);
      expect([200, 408]).toContain(registered?.status);
      const enabled = `credentials c JOIN users u ON u.id = c.user_id
        WHERE u.username = ? AND c.enabled = 1`;
      expect(await countOf(server, enabled, Buffer.from(name))).toBe(0);
    }
  });

  describe('in a move', () => {
    let both: AdminClient;
    let max: Backend;
    const change = (domain: string, changes: object) =>
      server.get(TenancyService).changeRelyingParty(server.call, 'acme', domain, changes);
    beforeAll(async () => {
      both = new AdminClient(server.url, NEW);
      max = at(OLD);
      const names = ['disableall', 'deluser'].flatMap((how) => [
        `kim-${how}`,
        `lea-${how}-${OLD}`,
        `lea-${how}-${NEW}`,
      ]);
      for (const name of names) expect((await at(OLD).register(name)).status).toBe(200);
      expect((await max.register('max')).status).toBe(200);
      await change(OLD, { policy: { registration: 'ticket' } });
      await change(NEW, { predecessor: OLD });
    });

    it.each(['disableall', 'deluser'] as const)(
      'by %s ends the permissions of a user of the predecessor at both',
      async (how) => {
        const name = `kim-${how}`;
        await ticketFor(name, OLD);
        await inviteTo(name, NEW, { link: true });
        const ticket = await ticketFor(name, NEW);
        expect(await lockOut(how, name, both)).toMatchObject({
          body: { ended: { tickets: 2, invitations: 1 } },
        });
        const mover = new FidoClient(server.url, {
          relyingParty: NEW,
        });
        expectRefusal(await mover.beginRegistration(name, { ticket }), 'E0043R', 403);
      },
    );

    it.each([
      { how: 'disableall', domain: OLD },
      { how: 'disableall', domain: NEW },
      { how: 'deluser', domain: OLD },
      { how: 'deluser', domain: NEW },
    ] as const)(
      'by $how at $domain ends a registration at the successor of a user of the predecessor',
      async ({ how, domain }) => {
        const name = `lea-${how}-${domain}`;
        const mover = at(NEW);
        const ticket = await inviteTo(name, NEW, { link: true });
        const options = await mover.beginRegistration(name, { ticket });
        expect(options.status).toBe(200);
        await lockOut(how, name, new AdminClient(server.url, domain));
        expectEnded(await mover.completeRegistration(mover.create(options)));
        const users = `users u JOIN relying_parties r ON r.id = u.relying_party_id
          WHERE r.domain = ? AND u.username = ?`;
        expect(await countOf(server, users, NEW, Buffer.from(name))).toBe(0);
      },
    );

    it('ends an upgrade to the successor, even if the old key is enabled again', async () => {
      const before = new AdminClient(server.url, OLD);
      const mover = new FidoClient(server.url, {
        relyingParty: NEW,
        authenticator: max.authenticator,
      });
      const signedIn = await mover.signIn('max');
      expect(signedIn.body).toHaveProperty('upgrade');
      for (const type of ['disableall', 'enableall']) {
        expect((await before.managePost({ type, filter: 'max' })).status).toBe(200);
      }
      const late = await mover.upgrade(signedIn);
      expectRefusal(late, 'E0043R', 403);
      expect(late.body.reason).toBe('registration.permitGone');
    });
  });

  describe('tickets', () => {
    const tickets = async (username: string) => {
      const { body } = await admin.get(`/userapi/tickets?username=${username}`);
      return body['tickets'] as Record<string, unknown>[];
    };
    const revoke = (id: unknown) => admin.send(`/userapi/tickets/${id}`, { method: 'DELETE' });

    it('tickets are listed without their text, and revoked by their ID', async () => {
      const ticket = await ticketFor('listed');
      const [one, ...others] = await tickets('listed');
      expect(others).toEqual([]);
      expect(one).toMatchObject({ username: 'listed', relyingParty: 'localhost', begun: 0 });
      expect(JSON.stringify(one)).not.toContain(ticket);
      const begun = newUser();
      const options = await begun.beginRegistration('listed', { ticket });
      expect((await revoke(one?.['id'])).body).toMatchObject({ ticket: { begun: 1 } });
      expect(await tickets('listed')).toEqual([]);
      const late = await begun.completeRegistration(begun.create(options));
      expectRefusal(late, 'E0043R', 403);
      const again = await revoke(one?.['id']);
      expectRefusal(again, 'E0044R', 404);
      expect(again.body.reason).toBe('ticket.unknown');
      expectRefusal(await revoke('%20'), 'E0044R', 404);
    });

    it('tickets of another relying party are neither listed nor revoked', async () => {
      await ticketFor('elsewhere', NEW);
      const others = new AdminClient(server.url, NEW);
      const { body } = await others.get('/userapi/tickets?username=elsewhere', bearer(acmeSecret));
      const [one] = body['tickets'] as Record<string, unknown>[];
      expect(await tickets('elsewhere')).toEqual([]);
      expectRefusal(await revoke(one?.['id']), 'E0044R', 404);
    });
  });

  function backend(authenticator?: SoftAuthenticator) {
    return new Backend(server.url, secret, { ...(authenticator && { authenticator }) });
  }

  async function ticketFor(username: string, relyingParty = 'localhost') {
    const { body } = await admin.post('/userapi/tickets', { username, relyingParty });
    return String(body['ticket']);
  }

  async function inviteTo(username: string, relyingParty = 'localhost', more = {}) {
    const wish = { username, relyingParty, ...more };
    const { body } = await admin.post('/userapi/invitations', wish);
    return String(body['code']);
  }

  function expectEnded(answer: Answer) {
    expectRefusal(answer, 'E0024R', 408);
    expect(answer.body.reason).toBe('session.ended');
  }

  function lockOut(how: (typeof LOCK_OUTS)[number], username: string, to = admin) {
    return how === 'deletelistusers'
      ? to.post('/userapi/deletelistusers', { users: [username] })
      : to.managePost({ type: how, filter: username });
  }
});
