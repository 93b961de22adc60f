import { jest } from '@jest/globals';
import { Deletions } from '../../src/users/deletions/deletions.js';
import { LinkedUsers } from '../../src/users/moves/linked-users.js';
import { SameUsers } from '../../src/users/moves/same-users.js';
import { UserChanges } from '../../src/users/user-changes.js';
import { Database } from '../../src/platform/database/database.js';
import { RelyingPartyCache } from '../../src/tenancy/scope/relying-party-cache.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { sendForm } from '../support/console-form.js';
import { issueKey, keyClient } from '../support/application-keys.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { FLAGS } from '../../packages/testing/src/structures.js';
import type { RegistrationTweaks } from '../../packages/testing/src/tweaks.js';
import { Backend } from '../support/backend.js';
import { beforeNextRow } from '../support/before-next-row.js';
import { adminClient, type Answer, type Client } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FidoClient, PATHS } from '../support/fido-client.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { relyingPartyOf, rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

const OLD = 'old.example';
const NEW = 'new.example';
const TENANT = '/tenantapi/tenants/acme/relying-parties';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Users of the predecessor sign in at the successor with their old keys. */
describe.each(DATABASES)('a relying party with a predecessor, on %s', (on) => {
  let server: TestServer;
  let admin: Client;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    admin = adminClient(server.url);
    const origin = `https://${NEW}`;
    await server.addRelyingParty('acme', { domain: OLD, relatedOrigins: [origin] });
    await server.addRelyingParty('acme', {
      domain: NEW,
      policy: { registration: 'first-only' },
      enrolmentUrl: `${origin}/enrol`,
    });
    await server.addRelyingParty('globex', { domain: 'globex.example' });
  });
  afterAll(() => server.stop());

  const change = (domain: string, body: object) => admin.patch(`${TENANT}/${domain}`, body);
  const guard = () => change(OLD, { policy: { registration: 'ticket' } });

  it('refuses a predecessor that is open, of another tenant or in another move (E0045R)', async () => {
    await change(NEW, { predecessor: null });
    await change(OLD, { policy: {} });
    const refused = async (domain: string, body: object) => {
      const before = await server.snapshot();
      const answer = await change(domain, body);
      expect(answer).toMatchObject({ status: 400, body: { errorCode: 'E0045R' } });
      expect(await server.snapshot()).toBe(before);
      return answer.body.errorMessage;
    };
    expect(await refused(NEW, { predecessor: OLD })).toContain('must demand tickets');
    await change(OLD, { policy: { registration: { mode: 'report', value: 'ticket' } } });
    await refused(NEW, { predecessor: OLD });
    await guard();
    await refused(NEW, { predecessor: NEW });
    await refused(NEW, { predecessor: 'globex.example' });
    await refused(NEW, { predecessor: 'none.example' });
    await refused(NEW, { predecessor: 7 });
    expect(await change(NEW, { predecessor: OLD })).toMatchObject({ body: { predecessor: OLD } });
    await refused(OLD, { policy: {} });
    expect((await change(OLD, { policy: { callers: 'keys' } })).status).toBe(200);
    await refused(OLD, { predecessor: NEW });
    const third = await admin.post(TENANT, { domain: 'third.example', predecessor: OLD });
    expect(third).toMatchObject({ status: 400, body: { errorCode: 'E0045R' } });
  });

  it('the predecessor cannot be removed during the move (E0045R)', async () => {
    await guard();
    await change(NEW, { predecessor: OLD });
    const removed = await admin.send(`${TENANT}/${OLD}`, { method: 'DELETE' });
    expect(removed).toMatchObject({ status: 400, body: { errorCode: 'E0045R' } });
  });

  it('an old key registered without user verification gets neither an upgrade nor "mfa"', async () => {
    const thief = await unverified('stolen');
    for (let n = 0; n < 2; n += 1) {
      const signedIn = await thief.signIn('stolen');
      expect(signedIn).toMatchObject({ status: 200, body: { userVerified: true } });
      expect(signedIn.body).not.toHaveProperty('upgrade');
      expect(claimsOf(signedIn)['amr']).not.toContain('mfa');
    }
  });

  it('an old key gets the upgrade after an application checked a second factor beside it', async () => {
    const client = await unverified('backed');
    const scopes = ['ceremonies', 'second-factor'];
    const { secret } = await issueKey(server.url, { tenant: 'acme', scopes });
    const shop = new Backend(server.url, secret, { relyingParty: NEW });
    Object.assign(shop, { authenticator: client.authenticator });
    const begun = await shop.beginAuthentication('backed', { secondFactor: true });
    const first = await shop.completeAuthentication(shop.assert(begun));
    expect(first.body).not.toHaveProperty('upgrade');
    expect((await shop.signIn('backed')).body).toHaveProperty('upgrade');
  });

  it('a key upgraded without a prompt gets "mfa" only after its first verified sign-in', async () => {
    const client = await somebody('promptless');
    const signedIn = await client.signIn('promptless');
    const unseen: RegistrationTweaks = { flags: (flags) => flags & ~FLAGS.UP & ~FLAGS.UV };
    const made = await client.upgrade(signedIn, unseen);
    expect(made).toMatchObject({ status: 200, body: { userVerified: false } });
    expect(claimsOf(await client.signIn('promptless'))['amr']).not.toContain('mfa');
    expect(claimsOf(await client.signIn('promptless'))['amr']).toContain('mfa');
  });

  it('a user signs in with an old key at the successor, which gets the token and the event', async () => {
    const anna = await somebody('anna');
    const begun = await anna.beginAuthentication('anna');
    expect(begun).toMatchObject({ status: 200, body: { rpId: OLD } });
    const signedIn = await anna.completeAuthentication(anna.assert(begun));
    expect(signedIn).toMatchObject({
      status: 200,
      body: { username: 'anna', userVerified: true, upgrade: { rp: { id: NEW } } },
    });
    expect(claimsOf(signedIn)).toMatchObject({ sub: 'anna', aud: NEW, tenant: 'acme' });
    const events = await rowsOf<{ domain: string }>(
      server,
      `SELECT r.domain FROM events e JOIN relying_parties r ON r.id = e.relying_party_id
       WHERE e.kind = 'authentication' ORDER BY e.id DESC LIMIT 1`,
    );
    expect(events).toEqual([{ domain: NEW }]);
  });

  it('a sign-in registers a key of the successor, and later sign-ins request only that key', async () => {
    const ben = await somebody('ben');
    const signedIn = await ben.signIn('ben');
    expect(await ben.upgrade(signedIn)).toMatchObject({ status: 200, body: { username: 'ben' } });
    const begun = await ben.beginAuthentication('ben');
    expect(begun.body['rpId']).toBe(NEW);
    const again = await ben.completeAuthentication(ben.assert(begun));
    expect(again.status).toBe(200);
    expect(again.body).not.toHaveProperty('upgrade');
    expect((await at(OLD, ben.authenticator).signIn('ben')).status).toBe(200);
  });

  it('a user without a key of the successor can sign in repeatedly with the old key', async () => {
    const cleo = await somebody('cleo');
    for (let times = 0; times < 3; times += 1) {
      expect(await cleo.signIn('cleo')).toMatchObject({ status: 200, body: { username: 'cleo' } });
    }
  });

  it('refuses an assertion of another origin or of the other domain’s ceremony (E0029R, E0024R)', async () => {
    const dora = await somebody('dora');
    const stranger = at(NEW);
    await at(NEW, stranger.authenticator).register('stranger');
    const begun = await dora.beginAuthentication('dora');
    const elsewhere = dora.authenticator.get(begun.body as never, {
      origin: 'https://evil.example',
    });
    expectRefusal(await dora.completeAuthentication(elsewhere), 'E0029R');
    const atOld = await dora.beginAuthentication('dora');
    const here = new FidoClient(server.url, { relyingParty: OLD });
    here.cookie = dora.cookie;
    expectRefusal(await here.completeAuthentication(dora.assert(atOld)), 'E0024R');
  });

  it('refuses to complete a sign-in that began before the move ended (E0024R)', async () => {
    const emil = await somebody('emil');
    const begun = await emil.beginAuthentication('emil');
    await change(NEW, { predecessor: null });
    expectRefusal(await emil.completeAuthentication(emil.assert(begun)), 'E0024R');
    expect((await emil.beginAuthentication('emil')).status).toBe(403);
    expect((await at(OLD, emil.authenticator).signIn('emil')).status).toBe(200);
    await change(NEW, { predecessor: OLD });
    expect((await emil.signIn('emil')).status).toBe(200);
  });

  it('a user name of the predecessor cannot be registered at the successor (E0043R)', async () => {
    await somebody('finn');
    expectRefusal(await at(NEW).beginRegistration('finn'), 'E0043R');
    expect((await at(NEW).register('somebody else')).status).toBe(200);
  });

  it('a sign-in without user verification offers no upgrade', async () => {
    const gina = await somebody('gina');
    const signedIn = await gina.signIn('gina', { flags: () => 0x01 });
    expect(signedIn).toMatchObject({ status: 200, body: { userVerified: false } });
    expect(signedIn.body).not.toHaveProperty('upgrade');
  });

  it.each(['disableall', 'deldevice', 'deluser'])(
    'the call %s at the successor changes the user at both domains',
    async (type) => {
      const name = `hana ${type}`;
      const hana = await somebody(name);
      const signedIn = await hana.signIn(name);
      const begun = await hana.signIn(name);
      expect((await hana.upgrade(signedIn)).status).toBe(200);
      const device = type === 'deldevice' ? { device: '*' } : {};
      const { body } = await manage({
        type,
        filter: name,
        ...device,
      });
      expect(body).toMatchObject({ credentials: 2 });
      expect((await hana.beginAuthentication(name)).status).toBe(403);
      expect((await at(OLD, hana.authenticator).beginAuthentication(name)).status).toBe(403);
      // The tokens of the old key are void too.
      expect((await hana.upgrade(begun)).status).not.toBe(200);
    },
  );

  it('a user who reaches the limit of keys during a sign-in signs in without an upgrade', async () => {
    const tia = await somebody('tia');
    const other = at(NEW, tia.authenticator);
    const policy = (more: object) =>
      change(NEW, { policy: { registration: 'first-only', ...more } });
    await policy({ maxCredentials: 1 });
    const begun = await tia.beginAuthentication('tia');
    const meanwhile = await other.beginAuthentication('tia');
    const earlier = await other.completeAuthentication(other.assert(meanwhile));
    expect((await other.upgrade(earlier)).status).toBe(200);
    const signedIn = await tia.completeAuthentication(tia.assert(begun));
    expect(signedIn).toMatchObject({ status: 200, body: { username: 'tia', userVerified: true } });
    expect(signedIn.body).not.toHaveProperty('upgrade');
    await policy({});
  });

  it('an upgrade registers no key if the old key was disabled in the meantime (E0043R)', async () => {
    const iris = await somebody('iris');
    const signedIn = await iris.signIn('iris');
    await manage({ type: 'disableall', filter: 'iris' }, OLD);
    expectRefusal(await iris.upgrade(signedIn), 'E0043R');
    expect((await iris.beginAuthentication('iris')).status).toBe(403);
  });

  it('disableall changes both domains if the new user is created between its two reads', async () => {
    const ivo = await somebody('ivo');
    const signedIn = await ivo.signIn('ivo');
    const same = server.get(SameUsers);
    const ofPredecessor = same.ofPredecessor.bind(same);
    jest.spyOn(same, 'ofPredecessor').mockImplementationOnce(async (...asked) => {
      expect((await ivo.upgrade(signedIn)).status).toBe(200);
      return ofPredecessor(...asked);
    });
    const disabled = await manage({ type: 'disableall', filter: 'ivo' });
    expect(disabled.body).toMatchObject({ users: 2, credentials: 2 });
  });

  it.each([
    ['disableall', (name: string) => manage({ type: 'disableall', filter: name })],
    ['the page of the user', (name: string) => form('/userapi/user', { name, rp: NEW })],
    ['a bulk change', (name: string) => form('/userapi/bulk', { user: `${NEW}/${name}` })],
  ])(
    'disabling a user by %s includes a key that is registered during the change',
    async (way, disable) => {
      const name = `jule-${way.length}`;
      const jule = await somebody(name);
      const signedIn = await jule.signIn(name);
      let isUpgraded = false;
      beforeNextRow(server, async () => {
        isUpgraded = (await jule.upgrade(signedIn)).status === 200;
      });
      expect((await disable(name)).status).toBeLessThan(400);
      expect(isUpgraded).toBe(true);
      expect((await jule.beginAuthentication(name)).status).toBe(403);
    },
  );

  it('a deletion list also deletes a user who is created during the deletion', async () => {
    const kaya = await somebody('kaya');
    const signedIn = await kaya.signIn('kaya');
    let isUpgraded = false;
    beforeNextRow(server, async () => {
      isUpgraded = (await kaya.upgrade(signedIn)).status === 200;
    });
    const headers = { 'x-servicefido-relyingparty': NEW };
    await admin.post('/userapi/deletelistusers', { users: ['kaya'] }, headers);
    expect(isUpgraded).toBe(true);
    expect((await manage({ type: 'list', filter: 'kaya' })).body['total']).toBe(0);
  });

  it('a backend moves a user with an application key, without a cookie', async () => {
    const jan = await somebody('jan');
    const { secret } = await issueKey(server.url, {
      name: 'shop',
      tenant: 'acme',
      scopes: ['ceremonies'],
      relyingParties: [NEW],
    });
    const headers = { authorization: `Bearer ${secret}` };
    const { beginAuthentication, completeAuthentication, completeRegistration } = PATHS.certify;
    const begun = await jan.post(beginAuthentication, { username: 'jan' }, headers);
    const { ceremony } = begun.body;
    const done = await jan.post(
      completeAuthentication,
      { ...jan.assert(begun), ceremony },
      headers,
    );
    expect(done.status).toBe(200);
    const options = done.body['upgrade'] as Answer['body'];
    const made = jan.create({ ...done, body: options });
    const body = { ...made, ceremony: options['ceremony'] };
    expect((await jan.post(completeRegistration, body, headers)).status).toBe(200);
  });

  it('a move reports its progress, and an invoice counts a moved user once', async () => {
    const answer = await admin.get(`/userapi/adoption?relyingParty=${NEW}`);
    const { move } = answer.body as { move?: { from: string; users: number; moved: number } };
    expect(move).toMatchObject({ from: OLD });
    // The noon of the next day: no month ends in the hours that pass, for an invoice counts the users of a month.
    server.clock.advance(1.5 * DAY_MS - (server.clock.now() % DAY_MS));
    const kim = await somebody('kim');
    const active = async () => {
      server.clock.advance(HOUR_MS);
      const date = server.clock.today();
      const { body } = await admin.get(`/userapi/invoice?date=${date}&tenant=acme`);
      const { invoice } = body as {
        invoice: { tenants: { relyingParties: { activeUsers: number }[] }[] };
      };
      return invoice.tenants
        .flatMap(({ relyingParties }) => relyingParties)
        .reduce((sum, { activeUsers }) => sum + activeUsers, 0);
    };
    const before = await active();
    const signedIn = await kim.signIn('kim');
    await kim.upgrade(signedIn);
    await kim.signIn('kim');
    await at(OLD, kim.authenticator).signIn('kim');
    expect(await active()).toBe(before);
    await eventually(async () => {
      const { body } = await admin.get('/userapi/adoption', { 'x-servicefido-relyingparty': NEW });
      expect(body['move']).toEqual({
        from: OLD,
        users: Number(move?.users) + 1,
        moved: Number(move?.moved) + 1,
        collisions: expect.any(Number),
      });
    });
    const none = await admin.get('/userapi/adoption?relyingParty=globex.example');
    expect(none.body).not.toHaveProperty('move');
  });

  describe('a user renamed during a move', () => {
    const rename = (username: string, newUsername: string, relyingParty = NEW) =>
      admin.patch('/userapi/users', { username, newUsername, relyingParty });
    const invite = (username: string, more: object = {}, caller: Client = admin) =>
      caller.post('/userapi/invitations', { username, relyingParty: NEW, ...more });
    const follow = async (username: string, { body }: Answer) => {
      const client = at(NEW);
      const begun = await client.beginRegistration(username, { ticket: body['code'] });
      expect(begun.status).toBe(200);
      expect((await client.completeRegistration(client.create(begun))).status).toBe(200);
      return client;
    };
    const refused = async (client: FidoClient, username: string) =>
      expect((await client.beginAuthentication(username)).status).toBe(403);
    const signsIn = async (client: FidoClient, username: string) => {
      const answer = await client.signIn(username);
      expect(answer).toMatchObject({ status: 200, body: { username } });
      return answer;
    };
    const userIdOf = (name: string, domain: string) =>
      rowsOf<{ id: Buffer }>(
        server,
        `SELECT u.id FROM users u JOIN relying_parties r ON r.id = u.relying_party_id
         WHERE u.username = ? AND r.domain = ?`,
        Buffer.from(name),
        domain,
      );

    /** Each case on its own, before and after the user has a key at the successor. */
    const users: [string, (name: string) => Promise<FidoClient>][] = [
      ['before the first sign-in there', somebody],
      [
        'after the first sign-in there',
        async (name) => {
          const client = await somebody(name);
          await signsIn(client, name);
          return client;
        },
      ],
      [
        'with a key there',
        async (name) => {
          const client = await somebody(name);
          const signedIn = await signsIn(client, name);
          expect((await client.upgrade(signedIn)).status).toBe(200);
          return client;
        },
      ],
    ];

    describe.each(users)('a user renamed %s', (when, arrive) => {
      const named = (name: string) => `${name} ${when}`;

      it.each([NEW, OLD])(
        'a renamed user signs in only by the new name, at both domains (renamed at %s)',
        async (where) => {
          const before = named(`uta ${where}`);
          const after = named(`ute ${where}`);
          const client = await arrive(before);
          const changed = await rename(before, after, where);
          expect(changed).toMatchObject({
            status: 200,
            body: { username: after, relyingParty: where },
          });
          const old = at(OLD, client.authenticator);
          await signsIn(client, after);
          await signsIn(old, after);
          await refused(client, before);
          await refused(old, before);
        },
      );

      it.each(['disableall', 'deluser'])(
        'a renamed user cannot sign in at either domain after %s',
        async (type) => {
          const before = named(`vera ${type}`);
          const after = named(`vroni ${type}`);
          const client = await arrive(before);
          await rename(before, after);
          expect((await manage({ type, filter: after })).status).toBe(200);
          for (const name of [before, after]) {
            await refused(client, name);
            await refused(at(OLD, client.authenticator), name);
          }
        },
      );

      it('the next user of a former name and the renamed user have separate keys', async () => {
        const before = named('wanda');
        const after = named('wilma');
        const client = await arrive(before);
        await rename(before, after);
        const invitation = await invite(before);
        expect(invitation.body).toMatchObject({ status: 'ok', linked: false });
        await refused(client, before);
        const other = await follow(before, invitation);
        await signsIn(other, before);
        expect((await manage({ type: 'disableall', filter: before })).body).toMatchObject({
          users: 1,
        });
        await signsIn(client, after);
        await manage({ type: 'deluser', filter: before });
        await refused(client, before);
        await signsIn(client, after);
      });

      it('refuses to rename a user to a name in use at either domain, without a change (E0045R)', async () => {
        const mine = named('xaver');
        const theirs = named('xenia');
        const client = await arrive(mine);
        await somebody(theirs);
        const before = await server.snapshot();
        expectRefusal(await rename(mine, theirs), 'E0045R', 400);
        expectRefusal(await rename(mine, theirs, OLD), 'E0045R', 400);
        const newcomer = named('ximena');
        const invitation = await invite(newcomer);
        expect(await server.snapshot()).toBe(before);
        await follow(newcomer, invitation);
        const later = await server.snapshot();
        expectRefusal(await rename(mine, newcomer), 'E0045R', 400);
        expectRefusal(await rename(mine, newcomer, OLD), 'E0045R', 400);
        expectRefusal(await rename(newcomer, mine), 'E0045R', 400);
        expect(await server.snapshot()).toBe(later);
        await signsIn(client, mine);
      });

      it('a call at the predecessor disables a renamed user only there', async () => {
        const before = named('yara');
        const after = named('yvonne');
        const client = await arrive(before);
        await rename(before, after);
        await manage({ type: 'disableall', filter: after }, OLD);
        await refused(at(OLD, client.authenticator), after);
        const begun = await client.beginAuthentication(after);
        expect(begun.status).toBe(when === 'with a key there' ? 200 : 403);
      });
    });

    it('a renamed user keeps the user ID of the application', async () => {
      const client = await somebody('zita');
      const { secret } = await issueKey(server.url, {
        name: 'shop',
        tenant: 'acme',
        scopes: ['ceremonies'],
        relyingParties: [OLD, NEW],
      });
      const headers = { authorization: `Bearer ${secret}` };
      const { beginAuthentication, completeAuthentication } = PATHS.certify;
      const asked = { username: 'zita', userId: 'customer-7' };
      const begun = await client.post(beginAuthentication, asked, headers);
      const { ceremony } = begun.body;
      const body = { ...client.assert(begun), ceremony };
      const first = await client.post(completeAuthentication, body, headers);
      expect(claimsOf(first)).toMatchObject({ user_id: 'customer-7' });
      await rename('zita', 'zoe');
      const signedIn = await client.signIn('zoe');
      expect(claimsOf(signedIn)).toMatchObject({ sub: 'zoe', user_id: 'customer-7' });
      expect((await client.upgrade(signedIn)).status).toBe(200);
      await refused(client, 'zita');
    });

    it('a user renamed between begin and result call signs in and moves under the new name', async () => {
      const client = await somebody('adam');
      const begun = await client.beginAuthentication('adam');
      const other = at(NEW, client.authenticator);
      const signedIn = await other.signIn('adam');
      await rename('adam', 'arne');
      const late = await client.completeAuthentication(client.assert(begun));
      expect(late).toMatchObject({ status: 200, body: { username: 'adam' } });
      const moved = await other.upgrade(signedIn);
      expect(moved).toMatchObject({ status: 200, body: { username: 'arne' } });
      expect(await userIdOf('adam', NEW)).toEqual([]);
      expect(await userIdOf('arne', NEW)).toHaveLength(1);
      await signsIn(other, 'arne');
      await refused(other, 'adam');
    });

    it('a user may have an own earlier name back, which nobody else gets in the meantime', async () => {
      const client = await somebody('agnes');
      await signsIn(client, 'agnes');
      expect((await rename('agnes', 'anouk')).status).toBe(200);
      await somebody('agatha');
      expectRefusal(await rename('agatha', 'agnes'), 'E0045R', 400);
      expect((await rename('anouk', 'agnes')).status).toBe(200);
      const signedIn = await signsIn(client, 'agnes');
      expect((await client.upgrade(signedIn)).status).toBe(200);
    });

    it('an invitation for a user of the predecessor who is not here yet needs "link" (E0045R)', async () => {
      const client = await somebody('cora');
      const before = await server.snapshot();
      expectRefusal(await invite('cora'), 'E0045R', 400);
      expect(await server.snapshot()).toBe(before);
      await signsIn(client, 'cora');
      expectRefusal(await invite('cora'), 'E0045R', 400);
    });

    it('a user who was invited before the move is not offered the old keys of a namesake', async () => {
      await change(NEW, { predecessor: null });
      const other = await follow('carla', await invite('carla'));
      const client = await somebody('carla');
      await signsIn(other, 'carla');
      expect((await invite('carla')).body).toMatchObject({ linked: false });
      await manage({ type: 'deldevice', filter: 'carla', device: '*' });
      await refused(client, 'carla');
      await manage({ type: 'deluser', filter: 'carla' });
      await refused(client, 'carla');
      await signsIn(at(OLD, client.authenticator), 'carla');
      expectRefusal(await manage({ type: 'disableall', filter: 'carla' }), 'E0044R', 404);
    });

    it('an invitation with "link" is for the user of the predecessor', async () => {
      const client = await somebody('clara');
      const linked = await invite('clara', { link: true });
      expect(linked.body).toMatchObject({ linked: true });
      await signsIn(client, 'clara');
      const same = await follow('clara', linked);
      await signsIn(same, 'clara');
      expect((await invite('clara')).body).toMatchObject({ linked: true });
      expect((await manage({ type: 'disableall', filter: 'clara' })).body).toMatchObject({
        users: 2,
      });
      expectRefusal(await invite('clara', { link: 'yes' }), 'E0045R', 400);
    });

    it('an application key that lacks one of the domains cannot change a moving user (E0043R)', async () => {
      await somebody('dirk');
      const scopes = ['users:write', 'tickets'];
      const issue = async (relyingParties: string[]) => {
        const order = { name: 'shop', tenant: 'acme', scopes, relyingParties };
        const { secret } = await issueKey(server.url, order);
        return keyClient(server.url, secret, NEW);
      };
      const one = await issue([NEW]);
      const both = await issue([NEW, OLD]);
      const calls = [
        (caller: Client) => invite('dirk', { link: true }, caller),
        (caller: Client) =>
          caller.post('/userapi/manageusers', { type: 'disableall', filter: 'dirk' }),
        (caller: Client) =>
          caller.patch('/userapi/users', { username: 'dirk', newUsername: 'dietmar' }),
        (caller: Client) => caller.post('/userapi/deletelistusers', { users: ['dietmar'] }),
      ];
      for (const call of calls) {
        const before = await server.snapshot();
        expectRefusal(await call(one), 'E0043R', 403);
        expect(await server.snapshot()).toBe(before);
        expect((await call(both)).status).toBeLessThan(300);
      }
      expect((await invite('dirk', {}, one)).status).toBeLessThan(300);
    });

    it('a pattern or list for the new user does not affect an unlinked old user of the same name', async () => {
      await change(NEW, { predecessor: null });
      await follow('elsa', await invite('elsa'));
      const client = await somebody('elsa');
      expect((await manage({ type: 'disableall', filter: 'els*' })).body).toMatchObject({
        users: 1,
      });
      const headers = { 'x-servicefido-relyingparty': NEW };
      const list = await admin.post('/userapi/deletelistusers', { users: ['elsa'] }, headers);
      expect(list.body).toMatchObject({ deleted: 1, credentials: 1 });
      await signsIn(at(OLD, client.authenticator), 'elsa');
    });

    it('a renamed user is linked to the predecessor again when a deletion is undone', async () => {
      const client = await somebody('frida');
      await signsIn(client, 'frida');
      await rename('frida', 'frauke');
      const form = { account: 'admin', occasion: 'deletion of frauke' };
      for (const { user } of await server
        .get(LinkedUsers)
        .find(relyingPartyOf(server, NEW), ['frauke'])) {
        const change = { kind: 'delete-user', undoable: form } as const;
        await server.get(UserChanges).apply(change, user, { requestId: 'r' });
      }
      await refused(client, 'frauke');
      const deletions = server.get(Deletions);
      for (const { id, relyingPartyId } of await deletions.ofOccasion(form.occasion, 10)) {
        const { current } = server.get(RelyingPartyCache);
        const rp = current.all.find((one) => one.id.equals(relyingPartyId));
        const kept = rp && (await deletions.find(rp, id));
        const by = { account: 'admin', role: 'admin', address: '', requestId: 'r' } as const;
        const row = { ...by, action: 'deletion.undo', result: 'ok' } as const;
        expect(kept && (await deletions.restore(kept, row, () => Promise.resolve([])))).toBe(true);
      }
      await refused(client, 'frida');
      const signedIn = await signsIn(client, 'frauke');
      expect((await client.upgrade(signedIn)).status).toBe(200);
      expect((await manage({ type: 'deluser', filter: 'frauke' })).body).toMatchObject({
        users: 2,
      });
    });

    // Last: a server whose audit trail another one has continued writes no more rows.
    it('a user remains one user if one instance renames while the other signs in', async () => {
      const second = await TestServer.start({ on, database: server.database });
      for (let round = 0; round < 5; round += 1) {
        const before = `boris ${round}`;
        const after = `bruno ${round}`;
        const client = await somebody(before);
        await second.get(RelyingPartyCache).refresh();
        const there = new FidoClient(second.url, {
          relyingParty: NEW,
          authenticator: client.authenticator,
        });
        const signedIn = await there.signIn(before);
        const [renamed, upgraded] = await Promise.all([
          rename(before, after),
          there.upgrade(signedIn),
          client.signIn(before),
        ]);
        expect(renamed.status).toBe(200);
        const here = await userIdOf(after, NEW);
        const old = await userIdOf(after, OLD);
        expect(old).toHaveLength(1);
        expect(here).toHaveLength(upgraded.status === 200 ? 1 : 0);
        expect(await userIdOf(before, NEW)).toEqual([]);
        expect(await userIdOf(before, OLD)).toEqual([]);
        await refused(client, before);
        await signsIn(client, after);
        await manage({ type: 'deluser', filter: after });
        await refused(client, after);
      }
      await second.stop();
    });
  });

  function at(relyingParty: string, authenticator?: SoftAuthenticator) {
    return new FidoClient(server.url, {
      relyingParty,
      ...(authenticator && { authenticator }),
    });
  }

  /** A user with a key of the predecessor, registered before it required tickets. */
  async function somebody(username: string) {
    const tenancy = server.get(TenancyService);
    await tenancy.changeRelyingParty(server.call, 'acme', NEW, { predecessor: null });
    await tenancy.changeRelyingParty(server.call, 'acme', OLD, { policy: {} });
    const client = at(OLD);
    expect((await client.register(username)).status).toBe(200);
    expect(await guard()).toMatchObject({ status: 200 });
    await tenancy.changeRelyingParty(server.call, 'acme', NEW, { predecessor: OLD });
    return at(NEW, client.authenticator);
  }

  /** A user whose only key at the predecessor was registered without user verification. */
  async function unverified(username: string) {
    const client = await somebody(username);
    const sql = 'UPDATE credentials SET uv_initialized = 0 WHERE credential_id = ?';
    const params = [client.authenticator.credentials[0]?.id as Buffer];
    await server.get(Database).commit([{ sql, params, mustChange: true }]);
    return client;
  }

  /** The form of a page that disables all keys. */
  function form(path: string, fields: Record<string, string>) {
    return sendForm(server, path, { ...fields, action: 'disable-all' });
  }

  function manage(body: object, relyingParty = NEW) {
    return admin.post('/userapi/manageusers', body, { 'x-servicefido-relyingparty': relyingParty });
  }
});

function claimsOf({ body }: Answer) {
  return JSON.parse(
    Buffer.from(String(body['token']).split('.')[1] ?? '', 'base64url').toString(),
  ) as Record<string, unknown>;
}
