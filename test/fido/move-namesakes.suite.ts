import { randomBytes } from 'node:crypto';
import { jest } from '@jest/globals';
import { decodeJwt } from 'jose';
import { AuditTrail } from '../../src/audit/audit-trail.js';
import { Database } from '../../src/platform/database/database.js';
import { MoveDecisions } from '../../src/users/moves/move-decisions.js';
import { sendForm } from '../support/console-form.js';
import { AdminClient } from '../support/admin-client.js';
import { issueKey, keyClient } from '../support/application-keys.js';
import { Backend } from '../support/backend.js';
import type { Client } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { settle } from '../support/settled-users.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { relyingPartyOf, rowsOf } from '../support/rows.js';
import { jsonLinesOf, postImport } from '../support/transfer.js';
import { TestServer } from '../support/test-server.js';

const OLD = 'old.example';
const NEW = 'new.example';

/** Two users may have the same name at the two domains of a move. */
describe.each(DATABASES)('a user with a namesake at the other domain of a move, on %s', (on) => {
  let server: TestServer;
  let admin: AdminClient;
  let secret: string;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    admin = new AdminClient(server.url, NEW);
    const policy = { registration: 'ticket' } as const;
    const relatedOrigins = [`https://${NEW}`];
    await server.addRelyingParty('acme', { domain: OLD, policy, relatedOrigins });
    const enrolmentUrl = `https://${NEW}/enrol`;
    await server.addRelyingParty('acme', { domain: NEW, policy, predecessor: OLD, enrolmentUrl });
    const scopes = ['ceremonies'];
    ({ secret } = await issueKey(server.url, { tenant: 'acme', scopes }));
  });
  afterAll(() => server.stop());

  const at = (relyingParty: string) => new Backend(server.url, secret, { relyingParty });

  it('a user with a namesake does not get the old keys of a namesake after an import without keys', async () => {
    await imported({ username: 'lea', userId: 'lea-1' });
    const stranger = await registered(OLD, 'lea', 'stranger-7');
    await noAccount(visitor(stranger), 'lea');
    expect((await stranger.signIn('lea')).status).toBe(200);
  });

  it('a user with a namesake does not get the old keys of a namesake if neither has a user ID', async () => {
    await imported({ username: 'mia' });
    const stranger = at(OLD);
    expect((await stranger.register('mia')).status).toBe(200);
    await noAccount(visitor(stranger), 'mia');
  });

  it('a user with a namesake does not get the old keys of a namesake after a change of the name', async () => {
    await imported({ username: 'bob', userId: 'bob-1' });
    await registered(OLD, 'alice', 'bob-1');
    const stranger = await registered(OLD, 'bob', 'stranger-20');
    expect((await rename('bob', 'carol')).status).toBe(200);
    await noAccount(visitor(stranger), 'bob');
  });

  it('a user with a namesake is hidden from callers who may not register at the successor (E0043R)', async () => {
    await registered(OLD, 'yves', 'yves-1');
    const page = new FidoClient(server.url, { relyingParty: NEW });
    const known = await page.beginRegistration('yves');
    const unknown = await page.beginRegistration('nobody-at-all');
    expectRefusal(known, 'E0043R', 403);
    expect(known.body['reason']).toBe(unknown.body['reason']);
  });

  it('a user with a namesake does not get the old keys of a namesake after deleting the last key', async () => {
    const nora = await registered(NEW, 'nora', 'nora-1');
    const stranger = await registered(OLD, 'nora', 'stranger-8');
    const signedIn = await nora.signIn('nora');
    const [key] = nora.authenticator.credentials;
    const path = `/fidoapi/keys/${key?.id.toString('base64url')}?confirm=last`;
    const headers = { authorization: `Bearer ${String(signedIn.body['token'])}` };
    expect((await visitor(nora).send(path, { method: 'DELETE', headers })).status).toBe(200);
    await noAccount(visitor(stranger), 'nora');
  });

  it.each([
    ['the key', { type: 'deldevice', device: '*' }],
    ['the user', { type: 'deluser' }],
  ])(
    'a user with a namesake does not get the old keys of a namesake after the help desk deleted %s',
    async (_, call) => {
      const name = `olga ${call.type}`;
      await registered(NEW, name, `${name}-1`);
      const stranger = await registered(OLD, name, `${name}-2`);
      expect((await admin.managePost({ ...call, filter: name })).body).toMatchObject({
        credentials: 1,
      });
      await noAccount(visitor(stranger), name);
      expect(await enabledAt(name)).toEqual([OLD]);
      expect((await stranger.signIn(name)).status).toBe(200);
    },
  );

  it('keeps the name when the namesake at the predecessor is renamed there', async () => {
    await registered(NEW, 'quinn', 'quinn-1');
    const stranger = await registered(OLD, 'quinn', 'stranger-12');
    expect((await rename('quinn', 'quirin', OLD)).status).toBe(200);
    expect((await stranger.signIn('quirin')).status).toBe(200);
    expect(await enabledAt('quinn')).toEqual([NEW]);
    expectRefusal(await rename('quirin', 'quinn', OLD), 'E0045R', 400);
  });

  it('a user with a namesake does not get the old keys of a namesake by giving up the name', async () => {
    await registered(NEW, 'paula', 'paula-1');
    const stranger = await registered(OLD, 'paula', 'stranger-9');
    const renamed = await admin.patch('/userapi/users', {
      username: 'paula',
      newUsername: 'pauline',
    });
    expect(renamed.status).toBe(200);
    await noAccount(visitor(stranger), 'paula');
    expect((await stranger.signIn('paula')).status).toBe(200);
    expect(await enabledAt('pauline')).toEqual([NEW]);
  });

  it.each(['disableall', 'deluser'])(
    'a user with a namesake is changed alone by %s, also by a pattern or a list',
    async (type) => {
      const names = ['one', 'pattern'].map((how) => `kim ${type} ${how}`);
      for (const name of names) {
        await registered(NEW, name, `${name}-1`);
        await registered(OLD, name, `${name}-9`);
      }
      for (const filter of [names[0] as string, `kim ${type} pat*`]) {
        const { body } = await admin.managePost({ type, filter });
        expect(body).toMatchObject({ users: 1, credentials: 1 });
      }
      for (const name of names) expect(await enabledAt(name)).toEqual([OLD]);
    },
  );

  it('a user with a namesake is the only one whom a deletion list deletes', async () => {
    await registered(NEW, 'liam', 'liam-1');
    const stranger = await registered(OLD, 'liam', 'liam-9');
    const { body } = await admin.post('/userapi/deletelistusers', { users: ['liam'] });
    expect(body).toMatchObject({ deleted: 1, credentials: 1 });
    expect((await stranger.signIn('liam')).status).toBe(200);
    await noAccount(visitor(stranger), 'liam');
  });

  it('signs in with the old keys if both have the same user ID, whatever the names', async () => {
    await imported({ username: 'rosa.new', userId: 'rosa-1' });
    const client = await registered(OLD, 'rosa', 'rosa-1');
    const other = await registered(OLD, 'rosa.new', 'somebody-else');
    await noAccount(visitor(client), 'rosa');
    const rosa = visitor(client);
    const signedIn = await rosa.signIn('rosa.new');
    expect(signedIn).toMatchObject({ status: 200, body: { username: 'rosa.new' } });
    expect(decodeJwt(String(signedIn.body['token']))).toMatchObject({
      sub: 'rosa.new',
      user_id: 'rosa-1',
    });
    expect(await rosa.upgrade(signedIn)).toMatchObject({ status: 200 });
    const { body } = await admin.managePost({ type: 'disableall', filter: 'rosa.new' });
    expect(body).toMatchObject({ users: 2, credentials: 2 });
    expect((await client.beginAuthentication('rosa')).status).toBe(403);
    expect((await other.signIn('rosa.new')).status).toBe(200);
  });

  it('a user with a namesake is changed at both domains if both have the same user ID, even before a sign-in', async () => {
    await registered(OLD, 'sara', 'sara-1');
    await imported({ username: 'sara.new', userId: 'sara-1' });
    const { body } = await admin.managePost({ type: 'disableall', filter: 'sara.new' });
    expect(body).toMatchObject({ users: 1, credentials: 1 });
    expect(await enabledAt('sara')).toEqual([]);
  });

  it('a user with a namesake gets no key by a sign-in of the namesake that began before (E0024R)', async () => {
    const stranger = visitor(await registered(OLD, 'tom', 'stranger-10'));
    const begun = await stranger.beginAuthentication('tom');
    const other = visitor(stranger);
    const signedIn = await other.signIn('tom');
    await appear('tom');
    expect((await other.upgrade(signedIn)).status).not.toBe(200);
    const fresh = visitor(await registered(OLD, 'tim', 'stranger-11'));
    const begunBefore = await fresh.beginAuthentication('tim');
    await appear('tim');
    expectRefusal(await fresh.completeAuthentication(fresh.assert(begunBefore)), 'E0024R');
    await noAccount(fresh, 'tim');
    expectRefusal(await stranger.completeAuthentication(stranger.assert(begun)), 'E0024R');
  });

  it('a user with a namesake is linked to the namesake only by an invitation with "link"', async () => {
    await imported({ username: 'ute' });
    const client = await registered(OLD, 'ute', 'ute-1');
    await noAccount(visitor(client), 'ute');
    const invite = (link: boolean) =>
      admin.post('/userapi/invitations', { username: 'ute', relyingParty: NEW, link });
    expect((await invite(false)).body).toMatchObject({ linked: false });
    await noAccount(visitor(client), 'ute');
    expect((await invite(true)).body).toMatchObject({ linked: true });
    expect((await visitor(client).signIn('ute')).status).toBe(200);
  });

  it('a user with a namesake is linked to the namesake by an application only while it has no key (E0043R)', async () => {
    const order = { tenant: 'acme', scopes: ['tickets'] };
    const client = keyClient(server.url, (await issueKey(server.url, order)).secret, NEW);
    const link = (caller: Client, username: string) =>
      caller.post('/userapi/invitations', { username, relyingParty: NEW, link: true });
    await imported({ username: 'udo' });
    await registered(NEW, 'ulla', 'ulla-1');
    for (const name of ['udo', 'ulla']) expect((await at(OLD).register(name)).status).toBe(200);
    expect((await link(client, 'udo')).body).toMatchObject({ linked: true });
    const before = await server.snapshot();
    const refused = await link(client, 'ulla');
    expect(refused.body['reason']).toBe('invitation.linkNeedsAccount');
    expectRefusal(refused, 'E0043R', 403);
    expect(await server.snapshot()).toBe(before);
    expect((await link(admin, 'ulla')).body).toMatchObject({ linked: true });
    expect((await link(client, 'ulla')).body).toMatchObject({ linked: true });
  });

  it('a user with a namesake is not linked by an application if it gets a key during the call (E0052R)', async () => {
    const order = { tenant: 'acme', scopes: ['tickets'] };
    const client = keyClient(server.url, (await issueKey(server.url, order)).secret, NEW);
    const link = () => client.post('/userapi/collisions', { username: 'uli', relyingParty: NEW });
    await imported({ username: 'uli' });
    expect((await at(OLD).register('uli')).status).toBe(200);
    const log = server.get(AuditTrail);
    const commit = log.commit.bind(log);
    jest.spyOn(log, 'commit').mockImplementationOnce(async (...change) => {
      expect((await at(NEW).register('uli')).status).toBe(200);
      return commit(...change);
    });
    expectRefusal(await link(), 'E0052R', 503);
    expect(await collisions()).toMatchObject({ uli: 'nameTaken' });
    expectRefusal(await link(), 'E0043R', 403);
  });

  it('a user with a namesake is in a list of invitations although the decision changes during the call', async () => {
    await registered(OLD, 'ulf', 'ulf-1');
    await imported({ username: 'ulf.new', userId: 'ulf-1' }, { username: 'ute.new' });
    const log = server.get(AuditTrail);
    const commit = log.commit.bind(log);
    jest.spyOn(log, 'commit').mockImplementationOnce(async (...change) => {
      const sql = `INSERT INTO collisions
          (tenant_id, relying_party_id, former_user_id, former_relying_party_id, reason)
        SELECT tenant_id, ?, id, relying_party_id, 'userIdTaken' FROM users WHERE username = ?`;
      const params = [relyingPartyOf(server, NEW).id, Buffer.from('ulf')];
      await server.get(Database).commit([{ sql, params, mustChange: true }]);
      return commit(...change);
    });
    const list = { rp: NEW, hours: '24', users: 'ute.new\nulf.new' };
    const { status } = await sendForm(server, '/userapi/user/invitations/list', list);
    expect(status).toBe(200);
    for (const name of ['ute.new', 'ulf.new']) {
      const { body } = await admin.get(`/userapi/invitations?username=${name}`);
      expect(body['invitations']).toMatchObject([{ username: name, state: 'open' }]);
    }
  });

  /** Who is not at the successor yet, before and after a first sign-in there without an upgrade. */
  const expected: [string, (client: FidoClient, name: string) => Promise<unknown>][] = [
    ['before the first sign-in', () => Promise.resolve()],
    ['after a first sign-in', (client, name) => visitor(client).signIn(name)],
  ];

  describe.each(expected)('whom nobody has proved to be that user, %s,', (when, arrive) => {
    it('cannot register at the successor, by an application or a ticket (E0043R)', async () => {
      const name = `vera ${when}`;
      const vera = await registered(OLD, name, name);
      await arrive(vera, name);
      const issued = await admin.post('/userapi/tickets', { username: name, relyingParty: NEW });
      const ticket = issued.body['ticket'];
      expect(ticket).toEqual(expect.any(String));
      const before = await server.snapshot();
      for (const more of [{}, { userId: name }, { userId: 'vera-1' }]) {
        const refused = await at(NEW).beginRegistration(name, more);
        expect(refused.body['reason']).toBe('registration.needsLink');
        expectRefusal(refused, 'E0043R', 403);
      }
      expect(await server.snapshot()).toBe(before);
      const page = new FidoClient(server.url, { relyingParty: NEW });
      expectRefusal(await page.beginRegistration(name, { ticket }), 'E0043R', 403);
      const client = visitor(vera);
      expect(await client.upgrade(await client.signIn(name))).toMatchObject({ status: 200 });
    });

    it('is not imported at the successor, in a dry run or a real one (E0045R)', async () => {
      const name = `wim ${when}`;
      const wim = await registered(OLD, name, name);
      await arrive(wim, name);
      for (const dryRun of ['yes', 'no']) {
        const answer = await postImport(admin, fileOf({ username: name, userId: name }), {
          dryRun,
        });
        expect(answer).toMatchObject({
          status: 200,
          body: {
            users: { created: 0, refused: 1 },
            refusals: [{ errorCode: 'E0045R', reason: 'import.needsLink' }],
          },
        });
      }
      expect((await visitor(wim).signIn(name)).status).toBe(200);
    });
  });

  it('a user with a namesake cannot register by a ceremony that began before the old user registered (E0043R)', async () => {
    const backend = at(NEW);
    const begun = await backend.beginRegistration('xenia');
    await registered(OLD, 'xenia', 'xenia-1');
    const before = await server.snapshot();
    const refused = await backend.completeRegistration(backend.create(begun));
    expectRefusal(refused, 'E0043R', 403);
    expect(await server.snapshot()).toBe(before);
  });

  describe('in a begin call with a first user ID', () => {
    const conflict = { status: 400, body: { errorCode: 'E0001R' } };
    const userIdsOf = async (...names: string[]) => {
      const rows = await rowsOf<{ subject: Buffer | null }>(
        server,
        'SELECT subject FROM users WHERE username IN (?, ?) ORDER BY username, subject',
        ...names.map((name) => Buffer.from(name)),
      );
      return rows.map(({ subject }) => subject?.toString());
    };
    const bindingAt = async (domain: string, client: FidoClient, name: string, userId: string) => {
      const backend = at(domain);
      Object.assign(backend, { authenticator: client.authenticator });
      const begun = await backend.beginAuthentication(name, { userId });
      return begun.status === 200 ? backend.completeAuthentication(backend.assert(begun)) : begun;
    };
    const linked = async (name: string) => {
      const client = at(OLD);
      expect((await client.register(name)).status).toBe(200);
      const mover = visitor(client);
      expect(await mover.upgrade(await mover.signIn(name))).toMatchObject({ status: 200 });
      return mover;
    };

    it.each([OLD, NEW])('gets it at both domains (at %s)', async (domain) => {
      const name = `both at ${domain}`;
      const client = await linked(name);
      expect((await bindingAt(domain, client, name, `${domain}-1`)).status).toBe(200);
      expect(await userIdsOf(name, name)).toEqual([`${domain}-1`, `${domain}-1`]);
    });

    it('is refused it if somebody has it at the other domain (E0001R)', async () => {
      const client = await linked('fay');
      await registered(OLD, 'fay 2', 'taken-1');
      await imported({ username: 'fay 3', userId: 'taken-2' });
      const before = await server.snapshot();
      expect(await bindingAt(NEW, client, 'fay', 'taken-1')).toMatchObject(conflict);
      expect(await bindingAt(OLD, client, 'fay', 'taken-2')).toMatchObject(conflict);
      expect(await at(NEW).beginRegistration('fay 4', { userId: 'taken-1' })).toMatchObject(
        conflict,
      );
      expect(await server.snapshot()).toBe(before);
    });

    it('gets it at the predecessor while the user is expected at the successor', async () => {
      const gus = at(OLD);
      expect((await gus.register('gus')).status).toBe(200);
      expect((await bindingAt(NEW, visitor(gus), 'gus', 'gus-1')).status).toBe(200);
      expect(await userIdsOf('gus', 'gus')).toEqual(['gus-1']);
      const mover = visitor(gus);
      expect(await mover.upgrade(await mover.signIn('gus'))).toMatchObject({ status: 200 });
      expect(await userIdsOf('gus', 'gus')).toEqual(['gus-1', 'gus-1']);
    });

    it('does not become the user of that ID at the successor by a key of the predecessor alone', async () => {
      await imported({ username: 'ivan' }, { username: 'ilse', userId: 'ilse-1' });
      const client = at(OLD);
      expect((await client.register('ivan')).status).toBe(200);
      const key = { tenant: 'acme', scopes: ['ceremonies'], relyingParties: [OLD] };
      const { secret } = await issueKey(server.url, key);
      const { authenticator } = client;
      const settings = { relyingParty: OLD, authenticator };
      const backend = new Backend(server.url, secret, settings);
      const begun = await backend.beginAuthentication('ivan', { userId: 'ilse-1' });
      expect((await backend.completeAuthentication(backend.assert(begun))).status).toBe(200);
      await noAccount(visitor(client), 'ilse');
      expect(await collisions()).toMatchObject({ ivan: 'nameTaken' });
    });

    it.each(['an existing', 'a new'])(
      'does not become the user of that ID at the predecessor as %s user by a key of the successor alone',
      async (kind) => {
        const name = `jana ${kind}`;
        const userId = `jana-${kind.length}`;
        const other = `jutta ${kind}`;
        await imported({ username: name });
        const stranger = await registered(OLD, name, userId);
        const key = { tenant: 'acme', scopes: ['ceremonies'], relyingParties: [NEW] };
        const { secret } = await issueKey(server.url, key);
        const settings = { relyingParty: NEW };
        const backend = new Backend(server.url, secret, settings);
        if (kind === 'a new') {
          expect((await backend.register(other, { userId })).status).toBe(200);
        } else {
          expect((await backend.register(other)).status).toBe(200);
          const begun = await backend.beginAuthentication(other, { userId });
          expect((await backend.completeAuthentication(backend.assert(begun))).status).toBe(200);
        }
        const { body } = await admin.managePost({ type: 'disableall', filter: other });
        expect(body).toMatchObject({ users: 1, credentials: 1 });
        expect((await stranger.signIn(name)).status).toBe(200);
        expect(await collisions()).toMatchObject({ [name]: 'nameTaken' });
      },
    );

    /** A user with a key of the predecessor alone. */
    const unlinked = async (name: string) => {
      const client = at(OLD);
      expect((await client.register(name)).status).toBe(200);
      return visitor(client);
    };

    it('is not given to a new user if somebody at the predecessor got it since (E0001R)', async () => {
      const holding = async (domain: string, relyingParties: string[], client?: FidoClient) => {
        const key = { tenant: 'acme', scopes: ['ceremonies'], relyingParties };
        const { secret } = await issueKey(server.url, key);
        return new Backend(server.url, secret, {
          relyingParty: domain,
          ...(client && { authenticator: client.authenticator }),
        });
      };
      const olga = at(OLD);
      expect((await olga.register('olga')).status).toBe(200);
      const userId = 'customer-since';
      const nina = await holding(NEW, [NEW]);
      const begun = await nina.beginRegistration('nina', { userId });
      expect(begun.status).toBe(200);
      const both = await holding(OLD, [OLD, NEW], olga);
      const signIn = await both.beginAuthentication('olga', { userId });
      expect((await both.completeAuthentication(both.assert(signIn))).status).toBe(200);
      expect(await nina.completeRegistration(nina.create(begun))).toMatchObject(conflict);
    });

    describe.each([
      ['with a key of both domains', linked],
      ['with a key of the predecessor alone', unlinked],
    ])('%s', (kind, arrive) => {
      it.each([OLD, NEW])(
        'gets it only from an application key of both domains (at %s, E0001R)',
        async (domain) => {
          const name = `hal ${kind} at ${domain}`;
          const userId = `${domain} ${kind.length}`;
          const { authenticator } = await arrive(name);
          const holding = async (...relyingParties: string[]) => {
            const key = { tenant: 'acme', scopes: ['ceremonies'], relyingParties };
            const { secret } = await issueKey(server.url, key);
            const origin = `https://${domain}`;
            return new Backend(server.url, secret, { relyingParty: domain, origin, authenticator });
          };
          const one = await holding(domain);
          const refused = await one.beginAuthentication(name, { userId });
          expect(refused).toMatchObject(conflict);
          expect(refused.body['reason']).toBe('userId.needsBothDomains');
          const uncovered = await holding(domain === OLD ? NEW : OLD);
          expectRefusal(await uncovered.beginAuthentication(name, { userId }), 'E0043R');
          expect((await userIdsOf(name, name)).filter(Boolean)).toEqual([]);
          expect((await one.signIn(name)).status).toBe(200);
          const both = await holding(OLD, NEW);
          const begun = await both.beginAuthentication(name, { userId });
          expect((await both.completeAuthentication(both.assert(begun))).status).toBe(200);
          expect(new Set(await userIdsOf(name, name))).toEqual(new Set([userId]));
        },
      );
    });
  });

  it('a user with a namesake is nobody at the successor if a key that covers only the predecessor let the user register', async () => {
    const key = { tenant: 'acme', scopes: ['ceremonies', 'tickets'], relyingParties: [OLD] };
    const ofOld = (await issueKey(server.url, key)).secret;
    const direct = new Backend(server.url, ofOld, { relyingParty: OLD });
    expect((await direct.register('zora', { userId: 'zora-1' })).status).toBe(200);
    const issued = await keyClient(server.url, ofOld, OLD).post('/userapi/tickets', {
      username: 'zeno',
      relyingParty: OLD,
    });
    expect(issued.body).toMatchObject({ username: 'zeno' });
    const page = new FidoClient(server.url, { relyingParty: OLD });
    const begun = await page.beginRegistration('zeno', { ticket: issued.body['ticket'] });
    expect((await page.completeRegistration(page.create(begun))).status).toBe(200);
    for (const [client, name] of [[direct, 'zora'] as const, [page, 'zeno'] as const]) {
      await noAccount(visitor(client), name);
      expect((await client.signIn(name)).status).toBe(200);
      expectRefusal(await admin.managePost({ type: 'disableall', filter: name }), 'E0044R', 404);
    }
    // The names are free at the successor, for others.
    expect((await at(NEW).register('zora', { userId: 'zora-1' })).status).toBe(200);
    expect(await collisions()).toMatchObject({ zora: 'oneDomain', zeno: 'oneDomain' });
  });

  const collisions = async (limit = 100) => {
    await server.get(MoveDecisions).catchUp();
    const found: Record<string, string> = {};
    for (let cursor = ''; ;) {
      const path = `/userapi/collisions?limit=${limit}&cursor=${cursor}`;
      const { status, body } = await admin.get(path);
      expect([status, body['predecessor']]).toEqual([200, OLD]);
      for (const { username, reason } of body['collisions'] as Record<string, string>[]) {
        found[String(username)] = String(reason);
      }
      if (body['next'] === null) return found;
      cursor = String(body['next']);
    }
  };

  it('a user with a namesake is on the list of collisions with the reason, until the two are linked', async () => {
    const link = (username: string) =>
      admin.post('/userapi/invitations', { username, relyingParty: NEW, link: true });
    await imported({ username: 'yara' }, { username: 'yuna', userId: 'yuna-1' });
    await registered(NEW, 'yvette', 'yvette-1');
    for (const name of ['yara', 'yvette']) await registered(OLD, name, `old-${name}`);
    expect((await at(OLD).register('yuna')).status).toBe(200);
    await link('yuna');
    await registered(OLD, 'yolanda', 'yuna-1');
    await collisions();
    await admin.managePost({ type: 'deluser', filter: 'yvette' });
    await registered(OLD, 'yasmin', 'yasmin-1');
    const found = await collisions();
    expect(found).toMatchObject({
      yara: 'nameTaken',
      yvette: 'nameTaken',
      yolanda: 'userIdTaken',
    });
    expect(found).not.toHaveProperty('yuna');
    expect(found).not.toHaveProperty('yasmin');
    expect(await collisions(1)).toEqual(found);
    const { length } = Object.keys(found);
    const whole = await admin.get(`/userapi/collisions?limit=${length}`);
    expect(whole.body).toMatchObject({ collisions: { length }, next: null });
    await link('yara');
    delete found['yara'];
    expect(await collisions()).toEqual(found);
    const none = await admin.get('/userapi/collisions?relyingParty=localhost');
    expect(none.body).toMatchObject({ predecessor: null, collisions: [], next: null });
  });

  it('a user with a namesake is listed as a collision only to keys of both domains (E0043R)', async () => {
    const order = { tenant: 'acme', scopes: ['users:read'] };
    const get = async (relyingParties: readonly string[]) => {
      const key = await issueKey(server.url, { ...order, relyingParties });
      return keyClient(server.url, key.secret, NEW).get('/userapi/collisions');
    };
    expectRefusal(await get([NEW]), 'E0043R', 403);
    expect((await get([OLD, NEW])).status).toBe(200);
  });

  /** A page of the successor whose visitor holds these keys. */
  function visitor({ authenticator }: FidoClient) {
    return new FidoClient(server.url, { relyingParty: NEW, authenticator });
  }

  async function registered(domain: string, username: string, userId: string) {
    const client = at(domain);
    expect(await client.register(username, { userId })).toMatchObject({ status: 200 });
    return client;
  }

  function fileOf(...users: { username: string; userId?: string }[]) {
    const lines = users.map((user) => ({
      type: 'user',
      userHandle: randomBytes(32).toString('base64url'),
      keys: [],
      ...user,
    }));
    return jsonLinesOf([
      { type: 'header', format: 'servicefido-users', version: 1, relyingParty: NEW },
      ...lines,
      { type: 'end', users: lines.length, keys: 0 },
    ]);
  }

  async function imported(...users: { username: string; userId?: string }[]) {
    expect(await postImport(admin, fileOf(...users))).toMatchObject({
      status: 200,
      body: { users: { created: users.length } },
    });
  }

  /** An instance of an older version imports a user at the successor. */
  function appear(username: string) {
    return settle(server, relyingPartyOf(server, NEW), [{ username, devices: [] }]);
  }

  async function noAccount(client: FidoClient, username: string) {
    const before = await server.snapshot();
    expect((await client.beginAuthentication(username)).status).toBe(403);
    expect(await server.snapshot()).toBe(before);
  }

  async function enabledAt(username: string) {
    const rows = await rowsOf<{ domain: string }>(
      server,
      `SELECT r.domain FROM credentials c JOIN users u ON u.id = c.user_id
         JOIN relying_parties r ON r.id = u.relying_party_id
       WHERE u.username = ? AND c.enabled = 1 ORDER BY r.domain`,
      Buffer.from(username),
    );
    return rows.map(({ domain }) => domain);
  }

  function rename(username: string, newUsername: string, relyingParty = NEW) {
    return admin.patch('/userapi/users', { username, newUsername, relyingParty });
  }
});
