import { randomUUID } from 'node:crypto';
import { Suspensions } from '../../src/users/suspension/suspensions.js';
import { MoveDecisions } from '../../src/users/moves/move-decisions.js';
import { RefusalLog } from '../../src/fido/refusals/refusal-log.js';
import { UserList } from '../../src/users/list/user-list.js';
import { Pattern } from '../../src/users/search/pattern.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { sendForm } from '../support/console-form.js';
import { AdminClient } from '../support/admin-client.js';
import { bearer, issueKey, keyClient } from '../support/application-keys.js';
import { Backend } from '../support/backend.js';
import { fireTogether } from '../support/barrier.js';
import { adminClient, type Answer } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { settle } from '../support/settled-users.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { relyingPartyOf, rowsOf } from '../support/rows.js';
import { createServerDatabase } from '../support/server-database.js';
import { TestServer } from '../support/test-server.js';
import { occasionIn } from '../support/page-forms.js';

const OLD = 'old.example';
const NEW = 'new.example';
const ROUNDS = 8;
const NOBODY_ENDED = { tickets: 0, invitations: 0 };

interface StoredEvent {
  readonly kind: string;
  readonly detail: string | null;
}

describe.each(DATABASES)('a suspended user on %s', (on) => {
  let server: TestServer;
  let admin: AdminClient;
  let secret: string;
  let acmeSecret: string;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    admin = new AdminClient(server.url, 'localhost');
    const scopes = ['ceremonies'];
    ({ secret } = await issueKey(server.url, { tenant: 'default', scopes }));
    await server.addRelyingParty('acme', { domain: OLD, relatedOrigins: [`https://${NEW}`] });
    await server.addRelyingParty('acme', { domain: NEW, enrolmentUrl: `https://${NEW}/enrol` });
    acmeSecret = (await issueKey(server.url, { tenant: 'acme', scopes })).secret;
  });
  afterAll(() => server.stop());

  const registered = (username: string) => FidoClient.registered(server.url, username);

  it('gets the answer of a user without an enabled key when a sign-in begins', async () => {
    const anna = await registered('anna');
    const disabled = await registered('anna-disabled');
    await admin.managePost({ type: 'disableall', filter: 'anna-disabled' });
    expect(await suspend('anna')).toMatchObject({
      status: 200,
      body: { username: 'anna', suspendedBy: ['helpDesk'], changed: true, ended: NOBODY_ENDED },
    });
    const other = await disabled.beginAuthentication('anna-disabled');
    // Events of one millisecond have no order by their IDs.
    server.clock.advance(1);
    const one = await anna.beginAuthentication('anna');
    expect({ ...one.body, requestId: '' }).toEqual({ ...other.body, requestId: '' });
    expect(one.status).toBe(other.status);
    expect(await lastRefusal()).toBe('user-suspended');
    expect(await end('anna')).toMatchObject({ body: { suspendedBy: [], changed: true } });
    expect((await anna.signIn('anna')).status).toBe(200);
  });

  it.each(['a name', 'no name'])(
    'is refused as for a disabled key by a sign-in with %s that began before (E0034R)',
    async (how) => {
      const username = `ben-${how.replace(' ', '-')}`;
      const client = await registered(username);
      // The second sign-in is answered by the cached key.
      for (const cached of [false, true]) {
        if (cached) expect((await client.signIn(username)).status).toBe(200);
        const begun =
          how === 'a name'
            ? await client.beginAuthentication(username)
            : await client.beginNameless();
        await suspend(username);
        expectDisabledKey(await client.completeAuthentication(client.assert(begun)));
        expect(await lastRefusal()).toContain('user-suspended');
        await end(username);
      }
      expect(await eventsOf(username, 'authentication')).toHaveLength(1);
    },
  );

  it('a suspended user can neither begin nor complete a registration (E0043R)', async () => {
    const carl = await registered('carl');
    const backend = new Backend(server.url, secret);
    const begun = await backend.beginRegistration('carl');
    await suspend('carl');
    expectSuspended(await carl.beginRegistration('carl'));
    expectSuspended(await new Backend(server.url, secret).beginRegistration('carl'));
    expectSuspended(await backend.completeRegistration(backend.create(begun)));
    expect(await lastRefusal()).toBe('user.suspended');
  });

  it('has no registration left that began before, once the suspension has ended (E0024R)', async () => {
    await registered('cleo');
    const backend = new Backend(server.url, secret);
    const begun = await backend.beginRegistration('cleo');
    await suspend('cleo');
    await end('cleo');
    const late = await backend.completeRegistration(backend.create(begun));
    expectRefusal(late, 'E0024R', 408);
    expect(late.body.reason).toBe('session.ended');
  });

  it('loses tickets and open invitations for good, even if suspended already', async () => {
    await registered('dora');
    const permits = async () => {
      const wish = { username: 'dora', relyingParty: 'localhost' };
      await admin.post('/userapi/tickets', wish);
      await admin.post('/userapi/invitations', wish);
    };
    for (const round of [1, 2]) {
      await permits();
      expect(await suspend('dora', { reason: ` on leave ${round} ` })).toMatchObject({
        body: { changed: true, ended: { tickets: 1, invitations: 1 } },
      });
    }
    expect((await suspend('dora')).body).toMatchObject({ changed: false, ended: NOBODY_ENDED });
    const rows = await rowsOf<{ detail: string; target: string }>(
      server,
      "SELECT target, detail FROM audit WHERE action = 'user.suspend' AND target = ? ORDER BY seq",
      Buffer.from('dora'),
    );
    expect(rows.map(({ detail }) => JSON.parse(detail) as unknown)).toEqual([
      { reason: 'on leave 1', endedTickets: 1, endedInvitations: 1 },
      { reason: 'on leave 2', endedTickets: 1, endedInvitations: 1 },
      { changed: false },
    ]);
    expect(await eventsOf('dora', 'user-suspended')).toEqual([
      { kind: 'user-suspended', detail: 'helpDesk' },
    ]);
  });

  it('gets tickets and invitations with a warning, which work once the suspension has ended', async () => {
    const nora = await registered('nora');
    const wish = { username: 'nora', relyingParty: 'localhost' };
    const issue = (kind: string) => admin.post(`/userapi/${kind}`, wish);
    expect((await issue('tickets')).body).not.toHaveProperty('warnings');
    expect((await issue('invitations')).body).not.toHaveProperty('warnings');
    await suspend('nora');
    const warnings = ['The user is suspended, and cannot use it until the suspension ends.'];
    const ticket = await issue('tickets');
    expect(ticket).toMatchObject({ status: 201, body: { warnings } });
    expect(await issue('invitations')).toMatchObject({ status: 201, body: { warnings } });
    const sent = { rp: 'localhost', name: 'nora', hours: '24', minKeys: '1' };
    const page = await sendForm(server, '/userapi/user/invitations', sent);
    expect(page.text).toContain(warnings[0]);
    const list = { rp: 'localhost', users: 'nora', hours: '24', again: 'yes' };
    const listed = await sendForm(server, '/userapi/user/invitations/list', list);
    expect(listed.text).toContain(warnings[0]);
    expect(decodeURIComponent(listed.text)).toContain(`Z","${warnings[0]}"`);
    const permit = { ticket: String(ticket.body['ticket']) };
    expectSuspended(await nora.beginRegistration('nora', permit));
    await end('nora');
    expect((await nora.beginRegistration('nora', permit)).status).toBe(200);
  });

  it.each([
    ['ticket', 'tickets'],
    ['code', 'invitations'],
  ])('wears out no %s by trying it during the suspension', async (member, kind) => {
    const username = `olga-${member}`;
    const olga = await registered(username);
    await suspend(username);
    const issued = await admin.post(`/userapi/${kind}`, { username, relyingParty: 'localhost' });
    const permit = { ticket: String(issued.body[member]) };
    for (let tries = 1; tries <= 11; tries += 1) {
      expectSuspended(await olga.beginRegistration(username, permit));
    }
    await end(username);
    expect((await olga.beginRegistration(username, permit)).status).toBe(200);
  });

  it('the tokens of a suspended user are no authority and list nothing', async () => {
    const ella = await registered('ella');
    const token = bearer(String((await ella.signIn('ella')).body['token']));
    const [key] = (await admin.list('ella')).flatMap(({ credentials }) => credentials);
    await suspend('ella');
    const keys = '/fidoapi/keys';
    expectRefusal(await ella.get(keys, token), 'E0042R', 401);
    const path = `${keys}/${key?.credentialId}`;
    expectRefusal(await ella.patch(path, { deviceName: 'Mine' }, token), 'E0043R', 403);
  });

  it('keeps the keys as they are, and is listed with the suspension', async () => {
    await registered('finn');
    await suspend('finn');
    const [finn] = await admin.list('finn');
    expect(finn).toMatchObject({ suspendedBy: ['helpDesk'], credentials: [{ enabled: true }] });
    await end('finn');
    expect((await admin.list('finn'))[0]).not.toHaveProperty('suspendedBy');
  });

  it('stays suspended until both the help desk and the directory have ended their suspension', async () => {
    const gina = await registered('gina');
    await suspend('gina');
    await byDirectory('gina', true);
    expect((await byDirectory('gina', true))?.isChanged).toBe(false);
    expect((await end('gina')).body).toMatchObject({ suspendedBy: ['directory'], changed: true });
    expect((await end('gina')).body).toMatchObject({ suspendedBy: ['directory'], changed: false });
    expect((await gina.beginAuthentication('gina')).status).toBe(403);
    await suspend('gina');
    expect((await byDirectory('gina', false))?.suspendedBy).toBe(1);
    expect((await gina.beginAuthentication('gina')).status).toBe(403);
    await end('gina');
    expect((await gina.signIn('gina')).status).toBe(200);
    // Events of one millisecond have no order by their IDs.
    const events = await eventsOf('gina', 'user-%suspended');
    expect(events.map(({ kind, detail }) => `${kind} by ${detail}`).sort()).toEqual([
      'user-suspended by directory',
      'user-suspended by helpDesk',
      'user-suspended by helpDesk',
      'user-unsuspended by directory',
      'user-unsuspended by helpDesk',
      'user-unsuspended by helpDesk',
    ]);
  });

  it('looks like any unknown name where the policy says so', async () => {
    await server.addRelyingParty('acme', {
      domain: 'discreet.example',
      policy: { unknownUsers: 'pretend', registration: 'ticket' },
    });
    const relyingParty = 'discreet.example';
    const origin = `https://${relyingParty}`;
    const hana = new Backend(server.url, acmeSecret, { relyingParty, origin });
    expect((await hana.register('hana')).status).toBe(200);
    const begun = await hana.beginAuthentication('hana');
    const by = new AdminClient(server.url, relyingParty);
    expect((await suspend('hana', {}, by)).status).toBe(200);
    expectRefusal(await hana.completeAuthentication(hana.assert(begun)), 'E0032R');
    expect((await hana.beginAuthentication('hana')).status).toBe(200);
  });

  it('a suspended user stays suspended after a deletion is undone', async () => {
    const ivan = await registered('ivan');
    await suspend('ivan');
    const undo = await deleteUndoably('ivan', 'localhost');
    await undo();
    expect((await ivan.beginAuthentication('ivan')).status).toBe(403);
    expect((await end('ivan')).body).toMatchObject({ changed: true });
    expect((await ivan.signIn('ivan')).status).toBe(200);
  });

  it('is suspended by an application key with users:write, for users who exist (E0043R, E0044R)', async () => {
    await registered('jana');
    const keyWith = async (scope: string) => {
      const key = await issueKey(server.url, { tenant: 'default', scopes: [scope] });
      return keyClient(server.url, key.secret, 'localhost');
    };
    const body = { username: 'jana', suspended: true };
    const path = '/userapi/users/suspension';
    expectRefusal(await (await keyWith('users:read')).post(path, body), 'E0043R', 403);
    const writer = await keyWith('users:write');
    expect((await writer.post(path, body)).body).toMatchObject({ changed: true });
    expectRefusal(await writer.post(path, { ...body, username: 'nobody' }), 'E0044R', 404);
  });

  it.each([
    ['no state', { suspended: undefined }],
    ['a state in words', { suspended: 'true' }],
    ['a reason of 201 characters', { reason: 'x'.repeat(201) }],
    ['an empty name', { username: '' }],
  ])('a user is not suspended by a body with %s (E0045R)', async (_, wrong) => {
    await registered('kim').catch(() => undefined);
    const before = await server.snapshot();
    expectRefusal(await suspend('kim', wrong), 'E0045R', 400);
    expect(await server.snapshot()).toBe(before);
  });

  it('is accepted by no instance once the suspension is answered', async () => {
    const database = await createServerDatabase(on);
    const one = await TestServer.start({ database });
    const other = await TestServer.start({ database });
    const by = new AdminClient(one.url, 'localhost');
    const client = new FidoClient(other.url);
    for (let round = 0; round < ROUNDS; round += 1) {
      const username = `lea-${round}`;
      expect((await client.register(username)).status).toBe(200);
      // The other instance has cached the key.
      expect((await client.signIn(username)).status).toBe(200);
      const racing = await client.beginAuthentication(username);
      const late = new FidoClient(other.url, { authenticator: client.authenticator });
      const waiting = await late.beginAuthentication(username);
      const [signedIn, suspended] = await fireTogether([
        {
          url: other.url + client.paths.completeAuthentication,
          body: client.assert(racing),
          headers: { ...client.headers, cookie: client.cookie ?? '' },
        },
        {
          url: `${one.url}/userapi/users/suspension`,
          body: { username, suspended: true },
          headers: { ...by.headers },
        },
      ]);
      expect(suspended?.status).toBe(200);
      expect([200, 403]).toContain(signedIn?.status);
      const before = await eventsOf(username, 'authentication', one);
      expect((await late.completeAuthentication(late.assert(waiting))).status).toBe(403);
      expect(await eventsOf(username, 'authentication', one)).toEqual(before);
      expect(before).toHaveLength(signedIn?.status === 200 ? 2 : 1);
    }
    await Promise.all([one.stop(), other.stop()]);
    await database.remove();
  });

  describe('in a move', () => {
    const at = (relyingParty: string) => new Backend(server.url, acmeSecret, { relyingParty });
    const by = (domain: string) => new AdminClient(server.url, domain);
    const visitor = ({ authenticator }: FidoClient) =>
      new FidoClient(server.url, { relyingParty: NEW, authenticator });
    /** What a page sends with the code of a new invitation to the successor. */
    const invite = async (username: string) => {
      const wish = { username, relyingParty: NEW, link: true };
      const { status, body } = await by(NEW).post('/userapi/invitations', wish);
      expect(status).toBe(201);
      return { ticket: String(body['code']) };
    };
    const clients = new Map<string, Backend>();
    beforeAll(async () => {
      const names = ['mia', 'nils', 'olga', 'pia', 'quin', 'rosa', 'sven', 'tara'];
      for (const name of names) {
        const client = at(OLD);
        expect((await client.register(name, { userId: `u-${name}` })).status).toBe(200);
        clients.set(name, client);
      }
      for (const name of ['olga', 'pia', 'sven', 'tara']) {
        const client = at(NEW);
        expect((await client.register(name, { userId: `u-${name}` })).status).toBe(200);
        clients.set(`${name}@new`, client);
      }
      const zoe = at(OLD);
      expect((await zoe.register('zoe', { userId: 'u-zoe' })).status).toBe(200);
      clients.set('zoe', zoe);
      await suspend('zoe', {}, by(OLD));
      const zoeNew = at(NEW);
      expect((await zoeNew.register('zoe', { userId: 'another' })).status).toBe(200);
      clients.set('zoe@new', zoeNew);
      const change = (domain: string, changes: object) =>
        server.get(TenancyService).changeRelyingParty(server.call, 'acme', domain, changes);
      await change(OLD, { policy: { registration: 'ticket' } });
      await change(NEW, { predecessor: OLD });
    });
    const client = (name: string) => clients.get(name) ?? at(OLD);

    it.each([
      ['mia', OLD],
      ['nils', NEW],
    ])('cannot use the old key at either domain if %s is suspended at %s', async (name, domain) => {
      const old = client(name);
      const there = visitor(old);
      expect((await there.beginAuthentication(name)).status).toBe(200);
      expect((await suspend(name, {}, by(domain))).body).toMatchObject({ changed: true });
      expect((await there.beginAuthentication(name)).status).toBe(403);
      expect((await old.beginAuthentication(name)).status).toBe(403);
      const wish = { username: name, relyingParty: NEW };
      const warnings = [expect.stringContaining('until the suspension ends')];
      const linking = await by(NEW).post('/userapi/invitations', { ...wish, link: true });
      expect(linking.body).toMatchObject({ warnings });
      expect(await by(NEW).post('/userapi/tickets', wish)).toMatchObject({ body: { warnings } });
      expectSuspended(await visitor(at(NEW)).beginRegistration(name, await invite(name)));
      await end(name, by(NEW));
      expect((await there.signIn(name)).body).toHaveProperty('upgrade');
    });

    it.each([
      ['olga', OLD],
      ['pia', NEW],
    ])('is suspended at both domains if %s is suspended at %s', async (name, domain) => {
      expect((await suspend(name, {}, by(domain))).body).toMatchObject({ changed: true });
      for (const one of [client(name), client(`${name}@new`)]) {
        expect((await one.beginAuthentication(name)).status).toBe(403);
      }
      for (const place of [OLD, NEW]) {
        expect((await by(place).list(name))[0]).toMatchObject({ suspendedBy: ['helpDesk'] });
      }
      expect(await eventsOf(name, 'user-suspended')).toHaveLength(2);
      expect((await end(name, by(domain))).body).toMatchObject({ suspendedBy: [], changed: true });
      for (const one of [client(name), client(`${name}@new`)]) {
        expect((await one.signIn(name)).status).toBe(200);
      }
    });

    it('loses an open invitation at the successor for good if suspended at the predecessor', async () => {
      const code = await invite('rosa');
      const { body } = await suspend('rosa', {}, by(OLD));
      expect(body).toMatchObject({ ended: { tickets: 0, invitations: 1 } });
      await end('rosa', by(OLD));
      expectRefusal(await visitor(at(NEW)).beginRegistration('rosa', code), 'E0043R');
    });

    it.each([
      ['sven', NEW, OLD],
      ['tara', OLD, NEW],
    ])(
      'is suspended at both domains if %s is restored at %s after a suspension at %s',
      async (name, deletedAt, suspendedAt) => {
        await server.get(MoveDecisions).catchUp();
        const undo = await deleteUndoably(name, deletedAt);
        expect((await suspend(name, {}, by(suspendedAt))).body).toMatchObject({ changed: true });
        await undo();
        for (const one of [client(name), client(`${name}@new`)]) {
          expect((await one.beginAuthentication(name)).status).toBe(403);
        }
        await end(name, by(NEW));
        expect((await client(`${name}@new`).signIn(name)).status).toBe(200);
      },
    );

    it('ends the upgrade of a user who is suspended meanwhile (E0043R)', async () => {
      const mover = visitor(client('quin'));
      const signedIn = await mover.signIn('quin');
      await suspend('quin', {}, by(NEW));
      expectSuspended(await mover.upgrade(signedIn));
    });

    it('is suspended at the successor as soon as an administrator links the two', async () => {
      const zoe = client('zoe@new');
      expect((await zoe.signIn('zoe')).status).toBe(200);
      const late = at(NEW);
      const begun = await late.beginRegistration('zoe');
      const wish = { username: 'zoe', relyingParty: NEW };
      expect((await by(NEW).post('/userapi/collisions', wish)).status).toBe(201);
      expect((await zoe.beginAuthentication('zoe')).status).toBe(403);
      expect((await end('zoe', by(NEW))).body).toMatchObject({ suspendedBy: [], changed: true });
      expect((await zoe.signIn('zoe')).status).toBe(200);
      // What had begun before the suspension stays ended.
      expectRefusal(await late.completeRegistration(late.create(begun)), 'E0024R');
    });
  });

  it('is found by the filter of the list, page by page', async () => {
    const domain = 'many.example';
    await server.addRelyingParty('acme', { domain });
    const rp = relyingPartyOf(server, domain);
    const names = Array.from({ length: 130 }, (_, n) => `u-${String(n).padStart(3, '0')}`);
    await settle(
      server,
      rp,
      names.map((username) => ({ username, devices: [] })),
    );
    const wanted = names.filter((_, n) => n % 2 === 0);
    for (const [n, username] of wanted.entries()) {
      if (n % 3 > 0) await byDirectory(username, true, domain);
      if (n % 3 !== 1) await suspend(username, {}, new AdminClient(server.url, domain));
    }
    const found: string[] = [];
    const request = { name: new Pattern('*'), filter: { suspended: true } };
    for await (const users of server.get(UserList).slices([rp], request, 7)) {
      found.push(...users.map(({ username }) => username));
    }
    expect(found.sort()).toEqual(wanted);
    const page = `/userapi?rp=${domain}&suspended=yes&filter=u-00*`;
    const { text } = await adminClient(server.url).get(page, { accept: 'text/html' });
    const shown = [...text.matchAll(/value="many\.example\/([^"]+)"/g)].map(([, name]) => name);
    expect(shown.sort()).toEqual(wanted.slice(0, 5));
  });

  function suspend(username: string, more: object = {}, by = admin) {
    return by.post('/userapi/users/suspension', { username, suspended: true, ...more });
  }

  function end(username: string, by = admin) {
    return by.post('/userapi/users/suspension', { username, suspended: false });
  }

  function byDirectory(username: string, suspended: boolean, domain = 'localhost') {
    return server.get(Suspensions).change(relyingPartyOf(server, domain), username, {
      side: 'directory',
      suspended,
      requestId: randomUUID().slice(0, 11),
      audit: ({ username: target }) => ({
        account: 'key:directory',
        role: 'key',
        address: '',
        action: suspended ? 'user.suspend' : 'user.unsuspend',
        result: 'ok',
        requestId: 'directory',
        target,
      }),
    });
  }

  /** Deletes a user on a page; returns a function that undoes it. */
  async function deleteUndoably(username: string, domain: string) {
    const send = (path: string, fields: Record<string, string>) => sendForm(server, path, fields);
    const user = `${domain}/${username}`;
    const { text } = await send('/userapi/bulk', { action: 'delete-user', confirm: '1', user });
    const occasion = occasionIn(text);
    return () => send('/userapi/undo', { occasion });
  }

  function eventsOf(username: string, kind: string, on = server) {
    return rowsOf<StoredEvent>(
      on,
      'SELECT kind, detail FROM events WHERE username = ? AND kind LIKE ? ORDER BY id',
      Buffer.from(username),
      kind,
    );
  }

  /** What the help desk learns; a refused sign-in without a name is stored without one. */
  async function lastRefusal() {
    await server.get(RefusalLog).flush();
    const sql = "SELECT detail FROM events WHERE kind LIKE '%-refused' ORDER BY id DESC LIMIT 1";
    return (await rowsOf<StoredEvent>(server, sql))[0]?.detail;
  }

  function expectDisabledKey(answer: Answer) {
    expectRefusal(answer, 'E0034R', 403);
    expect(answer.body.reason).toBe('credential.disabled');
  }

  function expectSuspended(answer: Answer) {
    expectRefusal(answer, 'E0043R', 403);
    expect(answer.body.reason).toBe('user.suspended');
  }
});
