import { newKeySecret } from '../../src/platform/access/accounts/key-secret.js';
import { issueKey, revokeKey } from '../support/application-keys.js';
import { AdminClient } from '../support/admin-client.js';
import { Backend } from '../support/backend.js';
import { adminClient } from '../support/client.js';
import { DATABASES, REDIS_URL } from '../support/databases.js';
import { FidoClient, PATHS } from '../support/fido-client.js';
import { createServerDatabase } from '../support/server-database.js';
import { TestServer } from '../support/test-server.js';

const CEREMONIES = { tenant: 'default', scopes: ['ceremonies'] };
const TEST_NET = '198.51.100';
const ACME = { relyingParty: 'acme.example' };

describe.each(DATABASES)('ceremonies with an application key on %s', (on) => {
  let server: TestServer;
  let secret: string;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    secret = (await issueKey(server.url, CEREMONIES)).secret;
  });
  afterAll(() => server.stop());

  const backend = (by = secret) => new Backend(server.url, by);
  const setPolicy = async (policy: object) => {
    const path = '/tenantapi/tenants/default/relying-parties/localhost';
    expect((await adminClient(server.url).patch(path, { policy })).status).toBe(200);
  };

  it('a backend with an application key registers and signs in a user without a cookie', async () => {
    const shop = backend();
    const begun = await shop.beginRegistration('anna');
    expect(begun.body['ceremony']).toEqual(expect.stringMatching(/^[\w-]{38}$/));
    expect(begun.headers.getSetCookie()).toEqual([]);
    expect((await shop.completeRegistration(shop.create(begun))).status).toBe(200);
    const signedIn = await shop.signIn('anna');
    expect(signedIn).toMatchObject({ status: 200, body: { username: 'anna' } });
    expect(signedIn.body['token']).toEqual(expect.any(String));
    expect(shop.cookie).toBeUndefined();
  });

  it('a backend completes twelve pending registrations in reverse order by their ceremony IDs', async () => {
    const shop = backend();
    const begun = [];
    for (let n = 0; n < 12; n += 1) begun.push(await shop.beginRegistration(`crowd-${n}`));
    expect(new Set(begun.map(({ body }) => body['ceremony'])).size).toBe(12);
    for (const one of begun.reverse()) {
      const { ceremony } = one.body;
      const answer = await shop.completeRegistration({ ...shop.create(one), ceremony });
      expect(answer.status).toBe(200);
    }
  });

  describe('a result call with an application key', () => {
    const refused = { status: 408, body: { status: false, errorCode: 'E0024R' } };
    const begin = async (username: string) => {
      const shop = backend();
      const begun = await shop.beginRegistration(username);
      return { shop, body: { ...shop.create(begun), ceremony: begun.body['ceremony'] } };
    };

    it('refuses a ceremony that was already completed (E0024R)', async () => {
      const { shop, body } = await begin('once');
      expect((await shop.completeRegistration(body)).status).toBe(200);
      expect(await shop.completeRegistration(body)).toMatchObject(refused);
    });

    it.each<[string, unknown]>([
      ['missing', undefined],
      ['null', null],
      ['a list', ['x']],
      ['malformed', 'x'],
      ['unknown', 'A'.repeat(38)],
    ])(
      'refuses a registration whose ceremony ID is %s, and keeps the ceremony (E0024R)',
      async (_, ceremony) => {
        const { shop, body } = await begin('unnamed');
        expect(await shop.completeRegistration({ ...body, ceremony })).toMatchObject(refused);
        // It was not taken.
        expect((await shop.completeRegistration(body)).status).not.toBe(408);
      },
    );

    it('refuses the challenge of another ceremony of the same application key (E0028R)', async () => {
      const { shop, body } = await begin('one');
      const other = await begin('other');
      const answer = await shop.completeRegistration({ ...body, ceremony: other.body.ceremony });
      expect(answer.body.errorCode).toBe('E0028R');
    });

    it('refuses a ceremony that another application key of the tenant began (E0024R)', async () => {
      const { body } = await begin('foreign');
      const other = await issueKey(server.url, CEREMONIES);
      const answer = await backend(other.secret).completeRegistration(body);
      expect(answer).toMatchObject(refused);
      expect(answer.body.reason).toBe('session.notIssued');
    });

    it('refuses an application key that was revoked after the begin call (E0042R)', async () => {
      const { secret: brief, key } = await issueKey(server.url, CEREMONIES);
      const shop = backend(brief);
      const begun = await shop.beginRegistration('too-late');
      await revokeKey(server.url, key);
      const answer = await shop.completeRegistration(shop.create(begun));
      expect(answer).toMatchObject({ status: 401, body: { errorCode: 'E0042R' } });
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer /);
    });

    it('refuses to complete a ceremony of a key with a cookie, or of a cookie with a key (E0024R)', async () => {
      const { body } = await begin('mixed');
      const page = new FidoClient(server.url);
      expect(await page.completeRegistration(body)).toMatchObject(refused);
      const begun = await page.beginRegistration('mixed');
      expect(begun.body).not.toHaveProperty('ceremony');
      const answer = await page.post(page.paths.completeRegistration, page.create(begun), {
        authorization: `Bearer ${secret}`,
      });
      expect(answer).toMatchObject(refused);
      expect((await page.completeRegistration(page.create(begun))).status).toBe(200);
    });
  });

  afterEach(() => setPolicy({}));

  it.each(['first-only', 'ticket'])(
    'a backend adds a key to an existing user without a ticket where registration is "%s"',
    async (registration) => {
      await setPolicy({ registration });
      for (let n = 0; n < 2; n += 1) {
        expect((await backend().register(`known-${registration}`)).status).toBe(200);
      }
      const page = new FidoClient(server.url);
      const stranger = await page.beginRegistration(`known-${registration}`);
      expect(stranger.body.errorCode).toBe('E0043R');
    },
  );

  it.each(['open', 'ticket'])(
    'warns of a ticket beside an application key, which stays valid where registration is "%s"',
    async (registration) => {
      await setPolicy({ registration });
      const username = `ticketed-${registration}`;
      const admin = new AdminClient(server.url, 'localhost');
      const wish = { username, relyingParty: 'localhost' };
      const { ticket } = (await admin.post('/userapi/tickets', wish)).body;
      const begun = await backend().beginRegistration(username, { ticket });
      const ignored = '"ticket" was ignored: this registration needs none.';
      expect(begun.body.warnings).toEqual([ignored]);
      const garbage = await backend().beginRegistration(username, { ticket: 'no-ticket' });
      expect(garbage.body.warnings).toEqual([ignored]);
      await setPolicy({ registration: 'ticket' });
      const page = new FidoClient(server.url);
      const used = await page.beginRegistration(username, { ticket });
      expect(used.status).toBe(200);
      expect(used.body).not.toHaveProperty('warnings');
      expect((await page.completeRegistration(page.create(used))).status).toBe(200);
    },
  );

  it('the policy "callers": "keys" refuses all four calls without an application key (E0043R)', async () => {
    const page = new FidoClient(server.url);
    await page.register('page');
    const begun = await page.beginAuthentication('page');
    await setPolicy({ callers: 'keys' });
    for (const path of Object.values(PATHS.certify)) {
      const answer = await page.post(path, { username: 'page', displayName: 'Page' });
      expect(answer).toMatchObject({ status: 403, body: { errorCode: 'E0043R' } });
    }
    expect((await backend().register('by-key')).status).toBe(200);
    await setPolicy({ callers: 'any' });
    expect((await page.completeAuthentication(page.assert(begun))).status).toBe(200);
  });

  describe('the access of an application key', () => {
    const begin = (client: FidoClient) => client.beginRegistration('reach');
    const of = async (request: { tenant: string; scopes: string[]; relyingParties?: string[] }) =>
      (await issueKey(server.url, request)).secret;
    beforeAll(async () => {
      await server.addRelyingParty('acme', { domain: 'acme.example' });
      await server.addRelyingParty('acme', { domain: 'acme.test' });
    });

    it('an application key without the permission "ceremonies" cannot begin a registration (E0043R)', async () => {
      const reader = await of({ tenant: 'default', scopes: ['users:read', 'tickets'] });
      const answer = await begin(backend(reader));
      expect(answer).toMatchObject({ status: 403, body: { errorCode: 'E0043R' } });
    });

    it('an application key cannot begin a registration at a relying party that it lacks (E0043R)', async () => {
      const one = await of({ ...CEREMONIES, tenant: 'acme', relyingParties: ['acme.example'] });
      for (const relyingParty of ['acme.test', 'localhost']) {
        const answer = await begin(new Backend(server.url, one, { relyingParty }));
        expect(answer).toMatchObject({ status: 403, body: { errorCode: 'E0043R' } });
      }
    });

    it('a call without a relying party uses the only one of its key, or fails if it has more (E0025R)', async () => {
      const [one, all] = await Promise.all([
        of({ ...CEREMONIES, tenant: 'acme', relyingParties: ['acme.test'] }),
        of({ ...CEREMONIES, tenant: 'acme' }),
      ]);
      const unnamed = (by: string) => {
        const client = backend(by);
        delete client.headers['x-servicefido-relyingparty'];
        return client;
      };
      expect((await begin(unnamed(one))).body['rp']).toMatchObject({ id: 'acme.test' });
      const answer = await begin(unnamed(all));
      expect(answer).toMatchObject({ status: 400, body: { errorCode: 'E0025R' } });
      expect(answer.body['domains']).toEqual(['acme.example', 'acme.test']);
    });
  });
});

describe('the rate limits of an application key', () => {
  const LIMIT = 20;
  const KEY_CLIENTS = 2;
  let server: TestServer;
  let secret: string;
  beforeEach(async () => {
    server = await TestServer.start({
      options: { rateAddress: LIMIT, rateKeyClients: KEY_CLIENTS },
    });
    // No minute ends during a test.
    server.clock.standAt(Date.now());
    secret = (await issueKey(server.url, CEREMONIES)).secret;
  });
  afterEach(() => server.stop());

  /** Sends twice the limit's calls, and counts the answers by status. */
  async function statuses(client: FidoClient): Promise<Record<number, number>> {
    const answers = await Promise.all(
      Array.from({ length: 2 * LIMIT }, (_, n) => client.beginRegistration(`user-${n}`)),
    );
    const counts: Record<number, number> = {};
    for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }
  /** How many of twice the limit's calls pass. */
  const flood = async (client: FidoClient) => (await statuses(client))[200];
  const begin = async (client: FidoClient) => (await client.beginRegistration('anna')).status;
  const calling = (client?: string, by = secret) =>
    new Backend(server.url, by, client === undefined ? {} : { client });

  it('a flood by one named client does not stop the other clients of the key (E0040R)', async () => {
    const berta = calling(`${TEST_NET}.2`);
    expect((await berta.register('berta')).status).toBe(200);
    const flooding = flood(calling(`${TEST_NET}.1`));
    expect((await berta.signIn('berta')).status).toBe(200);
    expect(await flooding).toBe(LIMIT);
    expect(await begin(calling(`${TEST_NET}.1`))).toBe(429);
    expect((await berta.signIn('berta')).status).toBe(200);
    expect(await begin(new FidoClient(server.url))).toBe(200);
    expect((await calling(`${TEST_NET}.3`).register('carla')).status).toBe(200);
  });

  it('a flood for a user name through one client does not stop the user at another (E0040R)', async () => {
    const berta = calling(`${TEST_NET}.2`);
    await berta.register('berta');
    const flooder = calling(`${TEST_NET}.1`);
    for (let n = 0; n < 2 * LIMIT; n += 1) await flooder.beginAuthentication('berta');
    expect((await flooder.beginAuthentication('berta')).status).toBe(429);
    expect((await berta.signIn('berta')).status).toBe(200);
  });

  it('calls that name no client share one limit per application key (E0040R)', async () => {
    expect(await flood(calling())).toBe(LIMIT);
    expect(await begin(calling())).toBe(429);
    expect(await begin(calling(`${TEST_NET}.1`))).toBe(200);
    const other = await issueKey(server.url, CEREMONIES);
    expect(await begin(calling(undefined, other.secret))).toBe(200);
    expect(await begin(calling(`${TEST_NET}.1`, other.secret))).toBe(200);
  });

  it('all clients of a key share a limit of the key, and all keys one of the tenant (E0040R)', async () => {
    let named = 0;
    /** How many calls pass, each for another client, until one is refused. */
    const passed = async (by: string) => {
      for (let n = 0; ; n += 1) {
        named += 1;
        const client = calling(`10.0.${named >> 8}.${named & 255}`, by);
        const { status } = await client.beginNameless();
        if (status === 429) return n;
      }
    };
    const perKey = KEY_CLIENTS * LIMIT;
    expect(await passed(secret)).toBe(perKey);
    const others = [];
    for (let n = 0; n < 4; n += 1) others.push((await issueKey(server.url, CEREMONIES)).secret);
    const counts = [];
    for (const other of others) counts.push(await passed(other));
    expect(counts).toEqual([perKey, perKey, perKey, 0]);
    await server.addRelyingParty('acme', { domain: 'acme.example' });
    const acme = await issueKey(server.url, { ...CEREMONIES, tenant: 'acme' });
    const acmeShop = new Backend(server.url, acme.secret, { client: '10.0.0.1', ...ACME });
    expect(await begin(acmeShop)).toBe(200);
    expect(await begin(new FidoClient(server.url))).toBe(200);
  });

  it('the rate limit counts an IPv6 /64 as one client, in the body and in the header', async () => {
    expect(await flood(calling('2001:db8::1'))).toBe(LIMIT);
    expect(await begin(calling('2001:db8::2'))).toBe(429);
    const inBody = { clientAddress: '2001:db8::3' };
    expect((await calling().beginRegistration('anna', inBody)).status).toBe(429);
    expect(await begin(calling('2001:db8:0:1::1'))).toBe(200);
  });

  it.each([`${TEST_NET}.1:51234`, `[::ffff:${TEST_NET}.1]`])(
    'the rate limit counts %j, as some proxies write a client, for the address',
    async (client) => {
      expect(await flood(calling(client))).toBe(LIMIT);
      expect(await begin(calling(`${TEST_NET}.1`))).toBe(429);
    },
  );

  it.each(['nobody', '', '198.51.100', '198.51.100.1, 198.51.100.2', '[::1'])(
    'refuses a begin call with the client address %j (E0001R)',
    async (client) => {
      const answer = await calling(client).beginRegistration('anna');
      expect(answer).toMatchObject({ status: 400, body: { errorCode: 'E0001R' } });
    },
  );

  it('the rate limit counts calls that are refused for their permissions or client address', async () => {
    const { secret: reading } = await issueKey(server.url, { ...CEREMONIES, scopes: ['tickets'] });
    expect(await statuses(calling(undefined, reading))).toEqual({ 403: LIMIT, 429: LIMIT });
    expect(await statuses(calling('nobody'))).toEqual({ 400: LIMIT, 429: LIMIT });
  });

  it('the rate limit counts wrong keys for the connecting address, not for the named client', async () => {
    const wrong = Array.from({ length: 2 * LIMIT }, (_, n) =>
      calling(`${TEST_NET}.${n}`, newKeySecret()),
    );
    const answers = await Promise.all(wrong.map(begin));
    expect(answers.filter((status) => status === 401)).toHaveLength(LIMIT);
    expect(await begin(new FidoClient(server.url))).toBe(429);
    expect(await begin(calling())).toBe(200);
  });
});

const shared = REDIS_URL === undefined ? [] : [REDIS_URL];

describe('ceremonies with an application key in a session store', () => {
  it.each(['memory:', ...shared])(
    'a key that names a new client in each call evicts only ceremonies of its own tenant, in %s',
    async (sessions) => {
      const server = await TestServer.start({ options: { sessions, pendingMemory: 1 / 2 } });
      // No ceremony expires during the flood.
      server.clock.standAt(Date.now());
      await server.addRelyingParty('acme', { domain: 'acme.example' });
      const flooding = await issueKey(server.url, { ...CEREMONIES, tenant: 'acme' });
      const own = await issueKey(server.url, CEREMONIES);
      const shop = new Backend(server.url, own.secret, { client: `${TEST_NET}.1` });
      const page = new FidoClient(server.url);
      const begunByKey = await shop.beginRegistration('by-key');
      const begunByPage = await page.beginRegistration('by-page');
      const flood = async (n: number) => {
        const client = `10.0.${n >> 8}.${n & 255}`;
        const backend = new Backend(server.url, flooding.secret, { client, ...ACME });
        const answer = await backend.beginRegistration('x', {
          keypair: { text: 'x'.repeat(3000) },
        });
        return { backend, answer };
      };
      const first = await flood(0);
      for (let n = 1; n < 300; n += 1) expect((await flood(n)).answer.status).toBe(200);
      const pushedOut = await first.backend.completeRegistration(
        first.backend.create(first.answer),
      );
      expect(pushedOut).toMatchObject({ status: 408, body: { errorCode: 'E0024R' } });
      expect((await shop.completeRegistration(shop.create(begunByKey))).status).toBe(200);
      expect((await page.completeRegistration(page.create(begunByPage))).status).toBe(200);
      await server.stop();
    },
  );

  it.each(shared)(
    'a ceremony begins at one instance and completes at another',
    async (sessions) => {
      const database = await createServerDatabase('SQLite');
      const one = await TestServer.start({ database, options: { sessions } });
      const other = await TestServer.start({ database, options: { sessions } });
      const { secret } = await issueKey(one.url, CEREMONIES);
      const here = new Backend(one.url, secret);
      const begun = await here.beginRegistration('anna');
      const credential = here.create(begun);
      const there = new Backend(other.url, secret);
      there.ceremony = begun.body['ceremony'];
      expect((await there.completeRegistration(credential)).status).toBe(200);
      await Promise.all([one.stop(), other.stop()]);
      await database.remove();
    },
  );
});
