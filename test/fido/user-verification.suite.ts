import { decodeJwt } from 'jose';
import { Database } from '../../src/platform/database/database.js';
import { bearer, issueKey } from '../support/application-keys.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { FLAGS } from '../../packages/testing/src/structures.js';
import type {
  AuthenticationTweaks,
  RegistrationTweaks,
} from '../../packages/testing/src/tweaks.js';
import { Backend } from '../support/backend.js';
import { adminClient, type Answer } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { disableCredentials } from '../support/refusals/disable.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

const POLICIES = ['required', 'preferred', 'discouraged'] as const;
const SELECTION = { authenticatorSelection: { userVerification: 'discouraged' } };

/** The precedence: --verify, the relying party's policy, authenticatorSelection, the field, default. */
describe.each([
  ['on', true],
  ['off', false],
])('user verification with --verify %s', (_, verify) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ options: { verify } });
    for (const userVerification of POLICIES) {
      await server.addRelyingParty('acme', {
        domain: `${userVerification}.example`,
        policy: { userVerification },
      });
    }
  });
  afterAll(() => server.stop());

  const clientOf = (relyingParty: string, authenticator = new SoftAuthenticator()) =>
    new FidoClient(server.url, { relyingParty, authenticator });

  it.each([
    ['localhost', {}, 'preferred'],
    ['localhost', { userVerification: 'required' }, 'required'],
    ['localhost', { userVerification: 'required', ...SELECTION }, 'discouraged'],
    ['required.example', { userVerification: 'discouraged', ...SELECTION }, 'required'],
    ['preferred.example', { userVerification: 'required' }, 'preferred'],
    ['discouraged.example', { userVerification: 'required' }, 'discouraged'],
  ])(
    'a registration at %s with %j has user verification "%s", unless --verify is on',
    async (relyingParty, asked, otherwise) => {
      const { body } = await clientOf(relyingParty).beginRegistration('alice', asked);
      const userVerification = verify ? 'required' : otherwise;
      expect(body['authenticatorSelection']).toMatchObject({ userVerification });
    },
  );

  it.each([
    ['localhost', {}, 'preferred'],
    ['localhost', { userVerification: 'required' }, 'required'],
    ['localhost', { userVerification: 'discouraged' }, 'discouraged'],
    ['required.example', { userVerification: 'discouraged' }, 'required'],
    ['preferred.example', { userVerification: 'required' }, 'preferred'],
    ['discouraged.example', { userVerification: 'required' }, 'discouraged'],
  ])(
    'a sign-in at %s with %j has user verification "%s", unless --verify is on',
    async (relyingParty, asked, otherwise) => {
      const client = clientOf(relyingParty);
      await client.register('alice');
      const { body } = await client.beginAuthentication('alice', asked);
      expect(body).toMatchObject({ userVerification: verify ? 'required' : otherwise });
    },
  );

  it('a key without user verification can register and sign in only with --verify off (E0031R)', async () => {
    const device = { userVerified: false };
    const asked = { userVerification: 'discouraged' };
    const client = clientOf('localhost', new SoftAuthenticator(device));
    const registered = await client.register('bob', asked);
    if (verify) return expectRefusal(registered, 'E0031R');
    expect(registered).toMatchObject({ status: 200, body: { userVerified: false } });
    expect(await client.signIn('bob')).toMatchObject({
      status: 200,
      body: { userVerified: false },
    });
  });

  it('a verified user can register and sign in under every policy', async () => {
    for (const domain of ['localhost', ...POLICIES.map((policy) => `${policy}.example`)]) {
      const client = clientOf(domain);
      expect(await client.register('carol')).toMatchObject({ body: { userVerified: true } });
      expect(await client.signIn('carol')).toMatchObject({ body: { userVerified: true } });
    }
  });
});

const UNVERIFIED: RegistrationTweaks & AuthenticationTweaks = {
  flags: (flags) => flags & ~FLAGS.UV,
};
/** Without a prompt the user is neither present nor verified. */
const UNSEEN: RegistrationTweaks = { flags: (flags) => flags & ~FLAGS.UP & ~FLAGS.UV };
const INVITATIONS = '/userapi/invitations';
const KEYS = '/fidoapi/keys';

const tokenOf = ({ body }: Answer) => String(body['token']);

/** Whether the token of a sign-in says that it was verified; its answer always says what its flag was. */
function isVerified(answer: Answer): boolean {
  expect(answer).toMatchObject({ status: 200, body: { userVerified: true } });
  return (decodeJwt(tokenOf(answer))['amr'] as string[]).includes('mfa');
}

/** W3C WebAuthn L3 §4 `uvInitialized`, §7.2: a thief can set a PIN on a key that had none. */
describe.each(DATABASES)('a key registered without user verification, on %s', (on) => {
  let server: TestServer;
  let other: TestServer;
  let secret: string;
  beforeAll(async () => {
    const options = { registration: 'first-only' } as const;
    server = await TestServer.start({ on, options });
    other = await TestServer.start({ database: server.database, options });
    const scopes = ['ceremonies', 'second-factor', 'tickets'];
    secret = (await issueKey(server.url, { tenant: 'default', scopes })).secret;
  });
  afterAll(async () => {
    await other.stop();
    await server.stop();
  });

  const at = (authenticator = new SoftAuthenticator(), where = server) =>
    new FidoClient(where.url, { authenticator });
  const addKey = async (client: FidoClient, username: string, tweaks = {}, token?: string) => {
    const begun = await client.post(
      client.paths.beginRegistration,
      { username, displayName: username },
      token === undefined ? {} : bearer(token),
    );
    const made = await client.completeRegistration(client.create(begun, tweaks));
    expect(made.status).toBe(200);
    return client;
  };
  /** A user whose only key was registered without user verification. */
  const stolen = (username: string) => addKey(at(), username, UNVERIFIED);
  /** A user with a verified key and one that was registered without user verification. */
  const both = async (username: string) => {
    const verified = await addKey(at(), username);
    const token = tokenOf(await verified.signIn(username));
    const plain = await addKey(at(), username, UNVERIFIED, token);
    return { verified, plain, token };
  };
  const begin = (client: FidoClient, body: object, token?: string) =>
    client.post(client.paths.beginAuthentication, body, token === undefined ? {} : bearer(token));
  const advance = (ms: number) => {
    for (const each of [server, other]) each.clock.advance(ms);
  };
  const finish = (client: FidoClient, begun: Answer, tweaks: AuthenticationTweaks = {}) =>
    client.completeAuthentication(client.assert(begun, tweaks));
  const invite = async (username: string, more: object = {}) => {
    const wish = { username, relyingParty: 'localhost', ...more };
    const { body } = await adminClient(server.url).post(INVITATIONS, wish);
    return body as { code: string; invitation: { id: string } };
  };
  const secondFactors = async (username: string) => {
    const sql = "SELECT detail FROM events WHERE kind = 'second-factor' AND username = ?";
    const rows = await rowsOf<{ detail: string }>(server, sql, Buffer.from(username));
    return rows.map(({ detail }) => detail);
  };

  it('a key registered without user verification never makes a sign-in verified (WebAuthn L3 §7.1 step 27, §7.2 step 24)', async () => {
    const thief = await stolen('anna');
    for (let n = 0; n < 3; n += 1) expect(isVerified(await thief.signIn('anna'))).toBe(false);
    const nameless = await finish(thief, await thief.beginNameless());
    expect(isVerified(nameless)).toBe(false);
    const elsewhere = at(thief.authenticator, other);
    expect(isVerified(await elsewhere.signIn('anna'))).toBe(false);
  });

  it('a key registered with user verification makes the first sign-in verified', async () => {
    const owner = await addKey(at(), 'bob');
    expect(isVerified(await owner.signIn('bob'))).toBe(true);
    expect(isVerified(await finish(owner, await owner.beginNameless()))).toBe(true);
  });

  it('the token of a key registered without user verification adds or changes no key (E0043R)', async () => {
    const thief = await stolen('carl');
    const token = tokenOf(await thief.signIn('carl'));
    const body = { username: 'carl', displayName: 'carl' };
    const { beginRegistration } = thief.paths;
    expectRefusal(await at().post(beginRegistration, body, bearer(token)), 'E0043R');
    const promptless = { ...body, mediation: 'conditional' };
    expectRefusal(await at().post(beginRegistration, promptless, bearer(token)), 'E0043R');
    const listed = await at().get(KEYS, bearer(token));
    const [key] = listed.body['keys'] as { credentialId: string }[];
    const path = `${KEYS}/${String(key?.credentialId)}`;
    expectRefusal(await at().patch(path, { deviceName: 'Mine' }, bearer(token)), 'E0043R');
    const remove = { method: 'DELETE', headers: bearer(token) };
    expectRefusal(await at().send(`${path}?confirm=last`, remove), 'E0043R');
  });

  it.each(['named', 'nameless'])(
    'a key counts as verified after a %s sign-in beside a token of another key',
    async (how) => {
      const username = `dora-${how}`;
      const { plain, token } = await both(username);
      const body = how === 'named' ? { username } : { mediation: 'optional' };
      expect(isVerified(await finish(plain, await begin(plain, body, token)))).toBe(false);
      expect(await secondFactors(username)).toEqual(['token']);
      expect(isVerified(await finish(plain, await begin(plain, body)))).toBe(true);
      const elsewhere = at(plain.authenticator, other);
      expect(isVerified(await finish(elsewhere, await begin(elsewhere, body)))).toBe(true);
    },
  );

  it('a key that is promoted at one instance counts as verified at another that has cached it', async () => {
    const { plain, token } = await both('emil');
    const elsewhere = at(plain.authenticator, other);
    expect(isVerified(await elsewhere.signIn('emil'))).toBe(false);
    await finish(plain, await begin(plain, { username: 'emil' }, token));
    expect(isVerified(await finish(elsewhere, await elsewhere.beginNameless()))).toBe(true);
    expect(isVerified(await elsewhere.signIn('emil'))).toBe(true);
  });

  it('a key does not count as verified in a ceremony that began before its promotion', async () => {
    const { plain, token } = await both('fred');
    const early = await plain.beginAuthentication('fred');
    await finish(plain, await begin(plain, { username: 'fred' }, token));
    expect(isVerified(await finish(plain, early))).toBe(false);
    expect(isVerified(await plain.signIn('fred'))).toBe(true);
  });

  it('a key does not count as verified in a nameless ceremony that began before its promotion', async () => {
    const { plain, token } = await both('fritz');
    const early = await plain.beginNameless();
    advance(1);
    await finish(plain, await begin(plain, { mediation: 'optional' }, token));
    expect(isVerified(await finish(plain, early))).toBe(false);
    expect(isVerified(await finish(plain, await plain.beginNameless()))).toBe(true);
  });

  it('a key does not count as verified in a nameless ceremony that began before it existed', async () => {
    const device = at();
    const early = await device.beginNameless();
    advance(1);
    await addKey(device, 'frauke');
    expect(isVerified(await finish(device, early))).toBe(false);
    expect(isVerified(await finish(device, await device.beginNameless()))).toBe(true);
  });

  it('a key registered with user verification counts in a nameless ceremony begun before its use', async () => {
    const owner = await addKey(at(), 'felix');
    const early = await owner.beginNameless();
    advance(1);
    expect(isVerified(await owner.signIn('felix'))).toBe(true);
    expect(isVerified(await finish(owner, early))).toBe(true);
  });

  it.each<[string, (users: Awaited<ReturnType<typeof both>>) => Promise<string | undefined>]>([
    ['no token, although another session just had a verified sign-in', async () => undefined],
    ['a token of its own', async ({ plain }) => tokenOf(await plain.signIn('gus'))],
    ['an invalid token', async () => 'a.b.c'],
    [
      'a token of another user',
      async () => {
        const name = `gisa-${Math.random()}`;
        return tokenOf(await (await addKey(at(), name)).signIn(name));
      },
    ],
    [
      'a token whose sign-in did not verify the user',
      async ({ verified }) => tokenOf(await verified.signIn('gus', UNVERIFIED)),
    ],
  ])('a key never counts as verified beside %s', async (_, tokenFrom) => {
    await adminClient(server.url).post(
      '/userapi/manageusers',
      { type: 'deluser', filter: 'gus' },
      { 'x-servicefido-relyingparty': 'localhost' },
    );
    const users = await both('gus');
    const token = await tokenFrom(users);
    const begun = await begin(users.plain, { username: 'gus' }, token);
    expect(isVerified(await finish(users.plain, begun))).toBe(false);
    expect(isVerified(await users.plain.signIn('gus'))).toBe(false);
  });

  it('a key does not count as verified beside a token older than five minutes', async () => {
    const { plain, token } = await both('hans');
    advance(301_000);
    await finish(plain, await begin(plain, { username: 'hans' }, token));
    expect(isVerified(await plain.signIn('hans'))).toBe(false);
  });

  it('a key does not count as verified if the other key is disabled during the ceremony', async () => {
    const { plain, verified, token } = await both('ida');
    const begun = await begin(plain, { username: 'ida' }, token);
    await disableCredentials(server, verified.authenticator);
    expect(isVerified(await finish(plain, begun))).toBe(false);
    expect(await secondFactors('ida')).toEqual([]);
    expect(isVerified(await plain.signIn('ida'))).toBe(false);
  });

  it('a key does not count as verified after an unverified sign-in beside a second factor', async () => {
    const { plain, token } = await both('jana');
    await finish(plain, await begin(plain, { username: 'jana' }, token), UNVERIFIED);
    expect(isVerified(await plain.signIn('jana'))).toBe(false);
  });

  it('a key counts as verified after a sign-in with an open invitation of the user', async () => {
    const owner = await stolen('karl');
    const { code } = await invite('karl');
    const begun = await begin(owner, { username: 'karl', ticket: code });
    expect(begun.body).not.toHaveProperty('warnings');
    expect(isVerified(await finish(owner, begun))).toBe(false);
    expect(isVerified(await owner.signIn('karl'))).toBe(true);
    expect(await secondFactors('karl')).toEqual(['invitation']);
    // It is not used up: it still registers its key.
    expect(await at().register('karl', { ticket: code })).toMatchObject({ status: 200 });
  });

  it('refuses a sign-in with a ticket that is no open invitation of its user (E0043R)', async () => {
    const owner = await stolen('lena');
    const ticket = await adminClient(server.url).post('/userapi/tickets', {
      username: 'lena',
      relyingParty: 'localhost',
      ttl: 60,
    });
    const withdrawn = await invite('lena');
    await adminClient(server.url).send(`${INVITATIONS}/${withdrawn.invitation.id}`, {
      method: 'DELETE',
      headers: { 'x-servicefido-relyingparty': 'localhost' },
    });
    const codes = [
      ...['', 'unknown', (await invite('someone')).code, withdrawn.code],
      String(ticket.body['ticket']),
    ];
    for (const code of codes) {
      expectRefusal(await begin(owner, { username: 'lena', ticket: code }), 'E0043R');
    }
    const nameless = { mediation: 'optional', ticket: (await invite('lena')).code };
    expectRefusal(await begin(owner, nameless), 'E0001R');
  });

  it('a key does not count as verified if the invitation is revoked during the ceremony', async () => {
    const owner = await stolen('mona');
    const { code, invitation } = await invite('mona');
    const begun = await begin(owner, { username: 'mona', ticket: code });
    await adminClient(server.url).send(`${INVITATIONS}/${invitation.id}`, {
      method: 'DELETE',
      headers: { 'x-servicefido-relyingparty': 'localhost' },
    });
    expect(isVerified(await finish(owner, begun))).toBe(false);
    expect(isVerified(await owner.signIn('mona'))).toBe(false);
  });

  it('a key counts as verified after a sign-in whose second factor a backend checked', async () => {
    const owner = await stolen('nora');
    const shop = new Backend(server.url, secret);
    Object.assign(shop, { authenticator: owner.authenticator });
    const begun = await begin(shop, { username: 'nora', secondFactor: true });
    expect(begun.body).not.toHaveProperty('warnings');
    expect(isVerified(await finish(shop, begun))).toBe(false);
    expect(await secondFactors('nora')).toEqual(['application']);
    expect(isVerified(await shop.signIn('nora'))).toBe(true);
    expect(isVerified(await owner.signIn('nora'))).toBe(true);
  });

  it('a backend’s second factor promotes only the key that completes the ceremony', async () => {
    const { verified, plain } = await both('olga');
    const shop = new Backend(server.url, secret);
    Object.assign(shop, { authenticator: verified.authenticator });
    await finish(shop, await begin(shop, { username: 'olga', secondFactor: true }));
    expect(isVerified(await plain.signIn('olga'))).toBe(false);
  });

  it.each<[string, readonly string[] | undefined, object]>([
    ['without an application key', undefined, { username: 'paul' }],
    ['without the permission "second-factor"', ['ceremonies'], { username: 'paul' }],
    ['without a user name', ['ceremonies', 'second-factor'], { mediation: 'optional' }],
  ])('refuses "secondFactor" %s (E0043R)', async (_, scopes, body) => {
    await at().register('paul');
    const caller =
      scopes === undefined
        ? at()
        : new Backend(
            server.url,
            (await issueKey(server.url, { tenant: 'default', scopes })).secret,
          );
    expectRefusal(await begin(caller, { ...body, secondFactor: true }), 'E0043R');
    expect((await begin(caller, { ...body, secondFactor: false })).status).toBe(200);
    expectRefusal(await begin(caller, { ...body, secondFactor: 'yes' }), 'E0001R');
  });

  it('a key that a verified user created without a prompt counts after its first verified use', async () => {
    const { token } = await both('quin');
    const made = at();
    const body = { username: 'quin', displayName: 'quin', mediation: 'conditional' };
    const begun = await made.post(made.paths.beginRegistration, body, bearer(token));
    expect((await made.completeRegistration(made.create(begun, UNSEEN))).status).toBe(200);
    expect(decodeJwt(tokenOf(await made.signIn('quin', UNVERIFIED)))['amr']).not.toContain('mfa');
    expect(isVerified(await made.signIn('quin'))).toBe(false);
    expect(isVerified(await made.signIn('quin'))).toBe(true);
  });

  it('a key that a backend created without a prompt never counts as verified', async () => {
    const shop = new Backend(server.url, secret);
    const begun = await shop.beginRegistration('rosa', { mediation: 'conditional' });
    expect((await shop.completeRegistration(shop.create(begun, UNSEEN))).status).toBe(200);
    for (let n = 0; n < 2; n += 1) expect(isVerified(await shop.signIn('rosa'))).toBe(false);
  });

  it('an invitation for several keys requires user verification (E0031R)', async () => {
    const several = await invite('sara', { minKeys: 2 });
    const one = await invite('sara');
    const asked = { userVerification: 'discouraged' };
    const options = async (ticket: string) => {
      const { body } = await at().beginRegistration('sara', { ticket, ...asked });
      return body['authenticatorSelection'];
    };
    expect(await options(one.code)).toMatchObject({ userVerification: 'discouraged' });
    expect(await options(several.code)).toMatchObject({ userVerification: 'required' });
    const client = at();
    const begun = await client.beginRegistration('sara', { ticket: several.code });
    expectRefusal(await client.completeRegistration(client.create(begun, UNVERIFIED)), 'E0031R');
  });

  it.each([
    [1, true],
    [0, false],
  ])(
    'a key of an earlier version with the UV flag %d counts as verified: %s',
    async (flag, counts) => {
      const username = `theo-${flag}`;
      const client = await addKey(at(), username, flag === 1 ? {} : UNVERIFIED);
      const sql = `UPDATE credentials SET uv_initialized = NULL, made_under_authority = NULL
        WHERE credential_id = ?`;
      const params = [client.authenticator.credentials[0]?.id as Buffer];
      await server.get(Database).commit([{ sql, params, mustChange: true }]);
      for (let n = 0; n < 2; n += 1) expect(isVerified(await client.signIn(username))).toBe(counts);
    },
  );

  it('the adoption figures count a user whose only key does not count as verified', async () => {
    const path = '/userapi/adoption?relyingParty=localhost';
    const figures = async () => {
      const { body } = await adminClient(server.url).get(path);
      return body['unverified'] as { users: number; complete: boolean };
    };
    const before = await figures();
    expect(before.complete).toBe(true);
    await both('ursa');
    expect(await figures()).toEqual(before);
    const owner = await stolen('vera');
    expect(await figures()).toEqual({ users: before.users + 1, complete: true });
    const { code } = await invite('vera');
    await finish(owner, await begin(owner, { username: 'vera', ticket: code }));
    expect(await figures()).toEqual(before);
  });
});
