import { SignJWT, decodeJwt, type JWTPayload } from 'jose';
import { RefusalLog } from '../../src/fido/refusals/refusal-log.js';
import { SigningKeys } from '../../src/fido/tokens/signing-keys.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { AdminClient } from '../support/admin-client.js';
import { adminClient, type Answer } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { disableCredentials } from '../support/refusals/disable.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

const ok = { status: 200, body: { status: 'ok' } };
const bearer = (token: unknown) => ({ authorization: `Bearer ${String(token)}` });

/** A begin call with further headers. */
const beginWith = (client: FidoClient, username: string, headers: Record<string, string>) =>
  client.post(client.paths.beginRegistration, { username, displayName: username }, headers);

describe.each(DATABASES)('--registration first-only on %s', (on) => {
  let server: TestServer;
  let alice: FidoClient;
  let token: string;
  beforeAll(async () => {
    server = await TestServer.start({ on, options: { registration: 'first-only' } });
    await server.addRelyingParty('acme', { domain: 'acme.example' });
    alice = new FidoClient(server.url);
    await alice.register('alice');
    await new FidoClient(server.url).register('bob');
  });
  beforeEach(async () => {
    token = String((await alice.signIn('alice')).body['token']);
  });
  afterAll(() => server.stop());

  it('a user registers the first key without a permission', async () => {
    expect(await new FidoClient(server.url).register('carol')).toMatchObject(ok);
  });

  it('a user registers a further key with a recent token of a sign-in', async () => {
    const second = new FidoClient(server.url);
    const begun = await beginWith(second, 'alice', bearer(token));
    expect(await second.completeRegistration(second.create(begun))).toMatchObject(ok);
  });

  const forged = (header: object) => {
    const [, claims, signature] = token.split('.');
    return `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${claims}.${signature}`;
  };

  it.each([
    ['no token', () => ({})],
    ['a token in another scheme', () => ({ authorization: `Basic ${token}` })],
    ['a token of alg none', () => bearer(`${forged({ alg: 'none' }).replace(/[^.]*$/, '')}`)],
    ['a token of alg HS256', () => bearer(forged({ alg: 'HS256', kid: '../../dev/null' }))],
    ['a token with an unknown kid', () => bearer(forged({ alg: 'ES256', kid: 'x' }))],
    ['a token within a token', () => bearer(forged({ alg: 'ES256', cty: 'JWT' }) + `.${token}`)],
  ])('refuses a further key with %s (E0043R)', async (_, headers) => {
    const before = await server.snapshot();
    expectRefusal(await beginWith(new FidoClient(server.url), 'alice', headers()), 'E0043R');
    expect(await server.snapshot()).toBe(before);
  });

  it.each([
    ['an empty token', () => bearer('')],
    ['a token of 12 KB', () => bearer(`${token}${'A'.repeat(12_000)}`)],
    ['a token with changed claims', () => bearer(token.replace(/\.(.)/, '.A$1'))],
  ])(
    'refuses a further key with %s, which is no valid one of this server (E0042R)',
    async (_, headers) => {
      const before = await server.snapshot();
      const refused = await beginWith(new FidoClient(server.url), 'alice', headers());
      expectRefusal(refused, 'E0042R', 401);
      expect(refused.headers.get('www-authenticate')).toBe('Bearer');
      expect(await server.snapshot()).toBe(before);
    },
  );

  it('refuses a further key with the token of another user (E0043R)', async () => {
    expectRefusal(await beginWith(new FidoClient(server.url), 'bob', bearer(token)), 'E0043R');
  });

  it('refuses a further key with the token of another relying party (E0042R)', async () => {
    const settings = { relyingParty: 'acme.example' };
    const there = new FidoClient(server.url, settings);
    await there.register('alice');
    const refused = await beginWith(there, 'alice', bearer(token));
    expectRefusal(refused, 'E0042R', 401);
    expect(refused.body).toMatchObject({
      reason: 'token.audience',
      errorMessage: 'The token is for "localhost", and this call needs one for "acme.example".',
    });
    // The first key needs no token, so the wrong one is no obstacle.
    expect((await beginWith(there, 'zoe', bearer(token))).status).toBe(200);
  });

  it('refuses a further key of a user whose only key is disabled (E0043R)', async () => {
    const dora = new FidoClient(server.url);
    await dora.register('dora');
    await disableCredentials(server, dora.authenticator);
    expectRefusal(await new FidoClient(server.url).beginRegistration('dora'), 'E0043R');
  });

  /** The help desk disables or deletes the key that the user registered as "Phone". */
  const lose = async (username: string, type: string) => {
    const admin = new AdminClient(server.url, 'localhost');
    const device = type === 'deldevice' ? { device: 'Phone' } : {};
    expect((await admin.manage({ type, filter: username, ...device })).status).toBe(200);
  };

  it.each(['disableall', 'deldevice'])(
    'the token of a key permits no further key after %s of that key (E0043R)',
    async (type) => {
      const phone = new FidoClient(server.url);
      const laptop = new FidoClient(server.url);
      const username = `emma-${type}`;
      await phone.register(username, { keypair: { name: 'Phone' } });
      const lost = bearer((await phone.signIn(username)).body['token']);
      const begun = await beginWith(laptop, username, lost);
      expect(await laptop.completeRegistration(laptop.create(begun))).toMatchObject(ok);
      const kept = bearer((await laptop.signIn(username)).body['token']);

      await lose(username, type);
      const more = new FidoClient(server.url);
      expectRefusal(await beginWith(more, username, lost), 'E0043R');
      const { status } = await beginWith(more, username, kept);
      expect(status).toBe(type === 'deldevice' ? 200 : 403);
    },
  );

  it.each([
    ['disableall', 'E0024R'],
    ['deldevice', 'E0043R'],
  ] as const)(
    'a registration permitted by the token of a key cannot complete after %s of it (%s)',
    async (type, code) => {
      const phone = new FidoClient(server.url);
      const thief = new FidoClient(server.url);
      const username = `frank-${type}`;
      await phone.register(username, { keypair: { name: 'Phone' } });
      const stolen = bearer((await phone.signIn(username)).body['token']);
      const begun = await beginWith(thief, username, stolen);

      await lose(username, type);
      const before = await server.snapshot();
      expectRefusal(await thief.completeRegistration(thief.create(begun)), code);
      expect(await server.snapshot()).toBe(before);
    },
  );

  it.each(['disableall', 'deldevice'])(
    'a user needs a ticket after %s of the only key (E0043R)',
    async (type) => {
      const phone = new FidoClient(server.url);
      const stranger = new FidoClient(server.url);
      const username = `grace-${type}`;
      await phone.register(username, { keypair: { name: 'Phone' } });
      const last = bearer((await phone.signIn(username)).body['token']);
      await lose(username, type);
      expectRefusal(await stranger.beginRegistration(username), 'E0043R');
      expectRefusal(await beginWith(stranger, username, last), 'E0043R');
      expectRefusal(await stranger.beginRegistration(username, { ticket: 'AAAA' }), 'E0043R');

      const asked = { username, relyingParty: 'localhost' };
      const { ticket } = (await adminClient(server.url).post('/userapi/tickets', asked)).body;
      expect(await new FidoClient(server.url).register(username, { ticket })).toMatchObject(ok);
    },
  );

  it('a user with keys can register a further key with a ticket in place of a token', async () => {
    const asked = { username: 'bob', relyingParty: 'localhost' };
    const { ticket } = (await adminClient(server.url).post('/userapi/tickets', asked)).body;
    expect(await new FidoClient(server.url).register('bob', { ticket })).toMatchObject(ok);
  });

  it('only one of two registrations that began before the user existed completes (E0024R)', async () => {
    const own = new FidoClient(server.url);
    const other = new FidoClient(server.url);
    const begun = await own.beginRegistration('heidi');
    const begunBeside = await other.beginRegistration('heidi');
    expect(await own.completeRegistration(own.create(begun))).toMatchObject(ok);
    expectRefusal(await other.completeRegistration(other.create(begunBeside)), 'E0024R');
  });

  it('refuses a further key with the token of a sign-in without user verification (E0043R)', async () => {
    const authenticator = new SoftAuthenticator({ userVerified: false });
    const touched = new FidoClient(server.url, { authenticator });
    await touched.register('ivan', { userVerification: 'discouraged' });
    const touch = bearer((await touched.signIn('ivan')).body['token']);
    expectRefusal(await beginWith(new FidoClient(server.url), 'ivan', touch), 'E0043R');
  });

  describe('a token signed with the server’s own signing key', () => {
    /** Like a token of the server, except for some claims. */
    const signed = async (claims: JWTPayload) => {
      const { kid, privateKey } = server.get(SigningKeys).current;
      const { token: fresh } = (await alice.signIn('alice')).body;
      const payload = { ...decodeJwt(String(fresh)), ...claims };
      return new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey);
    };
    const now = () => Math.floor(server.clock.now() / 1000);

    it.each<[string, number, () => JWTPayload]>([
      ['unchanged claims', 200, () => ({})],
      ['two audiences', 403, () => ({ aud: ['localhost', 'acme.example'] })],
      ['a transaction', 403, () => ({ txn: 'pay 100' })],
      ['no verified user', 403, () => ({ amr: ['hwk', 'user'] })],
      ['a text as amr', 403, () => ({ amr: 'mfa' as never })],
      [
        'an age of five and a half minutes and a late expiry',
        403,
        () => ({ iat: now() - 330, exp: now() + 3600 }),
      ],
      ['no time of issue', 401, () => ({ iat: undefined as never })],
      ['a time of issue in the future', 401, () => ({ iat: now() + 120, exp: now() + 300 })],
      ['another tenant', 401, () => ({ tenant: 'acme' })],
      ['another key', 403, () => ({ cred: 'A'.repeat(43) })],
    ])(
      'a token signed by the server with %s gets %i for a further key',
      async (_, status, claims) => {
        const headers = bearer(await signed(claims()));
        expect((await beginWith(new FidoClient(server.url), 'alice', headers)).status).toBe(status);
      },
    );

    it.each<[string, string, () => JWTPayload]>([
      [
        'another issuer, another audience and an end in the past',
        'token.issuer',
        () => ({ iss: 'https://other.example', aud: 'acme.example', exp: now() - 60 }),
      ],
      [
        'another audience and a time of issue in the future',
        'token.audience',
        () => ({ aud: 'acme.example', iat: now() + 120 }),
      ],
      [
        'a time of issue in the future and an end in the past',
        'token.early',
        () => ({ iat: now() + 120, exp: now() - 60 }),
      ],
      [
        'another tenant and an end in the past',
        'token.expired',
        () => ({ tenant: 'acme', exp: 1 }),
      ],
      ['another tenant', 'authentication.token', () => ({ tenant: 'acme' })],
      ['no key', 'authentication.token', () => ({ cred: undefined })],
      ['no end', 'authentication.token', () => ({ exp: undefined as never })],
      ['an impossible end', 'authentication.token', () => ({ exp: -1e300 })],
      [
        'an age beyond the lifetime and a late end',
        'authentication.token',
        () => ({ iat: now() - 361, exp: now() + 3600 }),
      ],
    ])('a token signed by the server with %s is refused as %s (E0042R)', async (_, why, claims) => {
      const headers = bearer(await signed(claims()));
      const refused = await beginWith(new FidoClient(server.url), 'alice', headers);
      expectRefusal(refused, 'E0042R', 401);
      expect(refused.body.reason).toBe(why);
    });
  });

  it('refuses a further key with a token of five minutes, and soon with an expired one (E0043R, E0042R)', async () => {
    // The second refusal comes four seconds later.
    server.clock.standAt(Date.now());
    const { token: last } = (await alice.signIn('alice')).body;
    server.clock.advance(301_000);
    expectRefusal(await beginWith(new FidoClient(server.url), 'alice', bearer(last)), 'E0043R');
    server.clock.advance(5_000);
    const late = await beginWith(new FidoClient(server.url), 'alice', bearer(last));
    expectRefusal(late, 'E0042R', 401);
    expect(late.body.reason).toBe('token.expired');
    server.clock.goOn();
  });
});

describe.each(DATABASES)('a ticket, with --registration ticket on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on, options: { registration: 'ticket' } });
    await server.addRelyingParty('acme', { domain: 'acme.example' });
  });
  afterAll(() => server.stop());

  const ticketFor = async (username: string, more: object = {}) => {
    const asked = { username, relyingParty: 'localhost', ...more };
    const answer = await adminClient(server.url).post('/userapi/tickets', asked);
    expect(answer).toMatchObject({ body: { status: 'ok', username, ticket: expect.any(String) } });
    return String(answer.body['ticket']);
  };
  const begin = (username: string, ticket: unknown) =>
    new FidoClient(server.url).beginRegistration(username, { ticket });

  it('a ticket registers its user', async () => {
    const ticket = await ticketFor('alice');
    expect(await new FidoClient(server.url).register('alice', { ticket })).toMatchObject(ok);
  });

  it('a ticket is used up by a completed registration, not by a begin call (E0043R)', async () => {
    const ticket = await ticketFor('bob');
    expect(await begin('bob', ticket)).toMatchObject(ok);
    expect(await new FidoClient(server.url).register('bob', { ticket })).toMatchObject(ok);
    expectRefusal(await begin('bob', ticket), 'E0043R');
  });

  it('a ticket allows at most ten begin calls, even parallel ones (E0043R)', async () => {
    const ticket = await ticketFor('ben');
    const answers = await Promise.all(Array.from({ length: 20 }, () => begin('ben', ticket)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expectRefusal(await begin('ben', ticket), 'E0043R');
  });

  it('a begin call with a ticket writes only the counter of the ticket', async () => {
    const ticket = await ticketFor('bea');
    const others = async () => (await server.snapshot()).replace(/"begun":\d+/g, '');
    const before = await others();
    await begin('bea', ticket);
    expect(await others()).toBe(before);
    const sql = 'SELECT begun FROM tickets WHERE begun = 1 AND username = ?';
    expect(await rowsOf(server, sql, Buffer.from('bea'))).toHaveLength(1);
  });

  it.each(['a new user', 'a user who exists'])(
    'a ticket registers only one of five parallel registrations of %s (E0043R)',
    async (whose) => {
      const username = `gus-${whose.length}`;
      if (whose !== 'a new user') {
        const first = await ticketFor(username);
        await new FidoClient(server.url).register(username, { ticket: first });
      }
      const ticket = await ticketFor(username);
      const users = Array.from({ length: 5 }, () => new FidoClient(server.url));
      const begun = await Promise.all(
        users.map((user) => user.beginRegistration(username, { ticket })),
      );
      const answers = await Promise.all(
        users.map((user, n) => user.completeRegistration(user.create(begun[n] as Answer))),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403, 403]);
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        expectRefusal(answer, 'E0043R');
      }
    },
  );

  it('a ticket remains valid after a failed registration', async () => {
    const ticket = await ticketFor('hal');
    const client = new FidoClient(server.url);
    const begun = await client.beginRegistration('hal', { ticket });
    const wrong = { ...client.create(begun), type: 'password' };
    expectRefusal(await client.completeRegistration(wrong), 'E0004R');
    expect(await client.register('hal', { ticket })).toMatchObject(ok);
  });

  it('a registration can complete after its ticket expired if it began before', async () => {
    const ticket = await ticketFor('ina', { ttl: 10 });
    const client = new FidoClient(server.url);
    const begun = await client.beginRegistration('ina', { ticket });
    server.clock.advance(20_000);
    await ticketFor('jan');
    expect(await client.completeRegistration(client.create(begun))).toMatchObject(ok);
  });

  it('a ticket gives its display name to the user', async () => {
    const ticket = await ticketFor('kai', { displayName: ' Kai of the help desk ' });
    const client = new FidoClient(server.url);
    const begun = await client.beginRegistration('kai', { ticket, displayName: 'The boss' });
    const displayName = 'Kai of the help desk';
    expect(begun.body).toMatchObject({ user: { name: 'kai', displayName } });
    expect(await client.completeRegistration(client.create(begun))).toMatchObject(ok);
    expect((await client.signIn('kai')).body).toMatchObject({ displayName });
  });

  it('a ticket is issued with its expiry time', async () => {
    const asked = { username: 'lea', relyingParty: 'localhost', ttl: 60 };
    const earliest = server.clock.now() + 60_000;
    const { body } = await adminClient(server.url).post('/userapi/tickets', asked);
    expect(body).toMatchObject({ username: 'lea', relyingParty: 'localhost' });
    const expiresAt = Date.parse(String(body['expiresAt']));
    expect(expiresAt).toBeGreaterThanOrEqual(earliest);
    expect(expiresAt).toBeLessThanOrEqual(server.clock.now() + 60_000);
  });

  it.each([undefined, '', 'AAAA'])(
    'refuses a registration whose ticket is %j (E0043R)',
    async (ticket) => {
      const answer = await begin('alice', ticket);
      expectRefusal(answer, 'E0043R');
      const reason = ticket === undefined ? 'registration.needsTicket' : 'ticket.notValid';
      expect(answer.body.reason).toBe(reason);
    },
  );

  /** All answers are the same: only the log and the event say more. */
  const expectInvalid = async (answer: Answer, detail: string) => {
    expectRefusal(answer, 'E0043R');
    const { requestId, ...body } = answer.body;
    expect(body).toEqual({
      status: 'failed',
      errorCode: 'E0043R',
      errorMessage:
        'This "ticket" permits no registration here: it was used, has ended, is for another user, or never existed.',
      reason: 'ticket.notValid',
    });
    const line = server.loggedOf(requestId);
    expect(line).toMatchObject({ reason: 'ticket.notValid', detail });
    await server.get(RefusalLog).flush();
    const sql = "SELECT detail FROM events WHERE kind = 'registration-refused' ORDER BY id DESC";
    expect((await rowsOf(server, sql))[0]).toEqual({ detail: 'ticket.notValid' });
  };

  it('a ticket is refused for another user, and stays valid for its own (E0043R)', async () => {
    const ticket = await ticketFor('carol');
    await expectInvalid(await begin('mallory', ticket), 'The ticket is for another user name.');
    expect(await begin('carol', ticket)).toMatchObject(ok);
  });

  it('a ticket is refused at another relying party, as one that never existed (E0043R)', async () => {
    const ticket = await ticketFor('dora', { relyingParty: 'acme.example' });
    const unknown = 'The ticket was used or revoked, or never existed.';
    await expectInvalid(await begin('dora', ticket), unknown);
    await expectInvalid(await begin('dora', 'AAAA'), unknown);
  });

  it('a ticket is refused after its expiry (E0043R)', async () => {
    const ticket = await ticketFor('emil', { ttl: 10 });
    server.clock.advance(10_000);
    const over = 'The ticket has expired, or has begun 10 registrations.';
    await expectInvalid(await begin('emil', ticket), over);
  });

  it('a ticket is stored only as a hash', async () => {
    const ticket = await ticketFor('fay');
    expect(await server.snapshot()).not.toContain(ticket);
    expect(await server.snapshot()).not.toContain(Buffer.from(ticket).toString('hex'));
  });

  it('refuses to issue a ticket to a caller without an account (E0042R)', async () => {
    const body = { username: 'alice', relyingParty: 'localhost' };
    const answer = await new FidoClient(server.url).post('/userapi/tickets', body);
    expect(answer).toMatchObject({ status: 401, body: { errorCode: 'E0042R' } });
    expect(answer.headers.get('www-authenticate')).toMatch(/^Basic /);
  });

  it.each([
    ['E0045R', { username: '' }],
    ['E0045R', { relyingParty: 1 }],
    ['E0045R', { ttl: 0 }],
    ['E0045R', { ttl: 86_401 }],
    ['E0045R', { ttl: '60' }],
    ['E0045R', { displayName: ' ' }],
    ['E0025R', { relyingParty: 'unknown.example' }],
    ['E0026R', { relyingParty: 'a b' }],
  ])('refuses with %s to issue a ticket with %j', async (errorCode, wrong) => {
    const asked = { username: 'alice', relyingParty: 'localhost', ...wrong };
    const answer = await adminClient(server.url).post('/userapi/tickets', asked);
    expect(answer).toMatchObject({ status: 400, body: { errorCode } });
  });
});

describe('the registration rule of a policy', () => {
  const start = async (
    registration: 'open' | 'ticket',
    policy: 'open' | 'ticket' | 'first-only',
  ) => {
    const server = await TestServer.start({ options: { registration } });
    await server.addRelyingParty('acme', {
      domain: 'acme.example',
      policy: { registration: policy },
    });
    return server;
  };

  it.each([
    ['open', 'ticket', 403],
    ['ticket', 'open', 403],
    ['open', 'first-only', 200],
    ['open', 'open', 200],
  ] as const)(
    'the stricter of --registration %s and the policy %s answers a new user with %i',
    async (option, policy, status) => {
      const server = await start(option, policy);
      const client = new FidoClient(server.url, { relyingParty: 'acme.example' });
      expect(await client.beginRegistration('alice')).toMatchObject({ status });
      await server.stop();
    },
  );
});
