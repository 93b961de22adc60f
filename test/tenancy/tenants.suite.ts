import { jest } from '@jest/globals';
import { Database } from '../../src/platform/database/database.js';
import { adminClient, Client } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { removeTenants } from '../support/tenants.js';
import { BY_HAND, TestServer } from '../support/test-server.js';

const TENANTS = '/tenantapi/tenants';
const OK = { status: 'ok', errorMessage: '' };

describe.each(DATABASES)('the tenant API on %s', (on) => {
  let server: TestServer;
  let admin: Client;
  beforeAll(async () => {
    // The users of a removed tenant are not deleted between two looks at all rows.
    server = await TestServer.start({ on, speed: BY_HAND });
    admin = adminClient(server.url);
  });
  afterAll(() => server.stop());

  const send = (method: string, path: string, body?: unknown) =>
    admin.sendJson(method, TENANTS + path, { body });
  const at = (relyingParty: string, origin = `https://${relyingParty}`) =>
    new FidoClient(server.url, { relyingParty, origin });

  it('starts with tenant "default" and its relying party "localhost"', async () => {
    await removeTenants(server);
    expect((await admin.get(TENANTS)).body).toEqual({
      ...OK,
      tenants: [
        {
          tenant: 'default',
          displayName: 'Default',
          createdAt: expect.any(String),
          version: expect.any(Number),
        },
      ],
    });
    const { body } = await admin.get(`${TENANTS}/default/relying-parties`);
    expect(body).toMatchObject({ tenant: 'default', relyingParties: [{ domain: 'localhost' }] });
  });

  it('answers 405 with the allowed methods, and 404 for an unknown path (E0047R)', async () => {
    const wrong = await send('PUT', '/default', {});
    expect(wrong).toMatchObject({ status: 405, body: { errorCode: 'E0047R' } });
    expect(wrong.headers.get('allow')).toBe('DELETE, GET, PATCH');
    const unknown = await admin.get('/tenantapi/nothing');
    expect(unknown).toMatchObject({ status: 404, body: { errorCode: 'E0047R' } });
  });

  it('creates, lists, changes and removes a tenant', async () => {
    await removeTenants(server);
    const made = await send('POST', '', { tenant: 'acme', displayName: 'Acme' });
    expect(made).toMatchObject({
      status: 201,
      body: { ...OK, tenant: 'acme', displayName: 'Acme' },
    });
    expect(new Date(String(made.body['createdAt'])).toISOString()).toBe(made.body['createdAt']);
    const bare = await send('POST', '', { tenant: 'bare' });
    expect(bare.body).toMatchObject({ tenant: 'bare', displayName: 'bare' });

    const changed = await send('PATCH', '/acme', { displayName: 'Acme Corporation' });
    expect(changed).toMatchObject({ status: 200, body: { displayName: 'Acme Corporation' } });
    const { tenants } = (await admin.get(TENANTS)).body as { tenants?: { tenant: string }[] };
    expect(tenants?.map(({ tenant }) => tenant)).toEqual(['acme', 'bare', 'default']);

    for (const tenant of ['acme', 'bare']) {
      const removed = await send('DELETE', `/${tenant}`);
      expect(removed).toMatchObject({ status: 200, body: { ...OK, tenant, removed: true } });
    }
    expect((await admin.get(TENANTS)).text).not.toContain('acme');
    expect((await send('POST', '', { tenant: 'acme' })).status).toBe(201);
    await send('DELETE', '/acme');
  });

  it('creates, lists, changes and removes a relying party with immediate effect', async () => {
    await send('POST', '', { tenant: 'shop' });
    const path = '/shop/relying-parties';
    const made = await send('POST', path, { domain: 'shop.example' });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      ...OK,
      tenant: 'shop',
      domain: 'shop.example',
      enrolmentUrl: null,
      colour: null,
      name: 'shop.example',
      origins: ['https://shop.example'],
      policy: {},
      relatedOrigins: [],
      apps: {},
      passkeyEndpoints: {},
      confirmedApps: [],
      predecessor: null,
      createdAt: expect.any(String),
      version: expect.any(Number),
    });
    const client = at('shop.example');
    expect((await client.register('customer')).status).toBe(200);

    const origins = ['https://shop.example', 'https://app.shop.example'];
    const changed = await send('PATCH', `${path}/shop.example`, { name: 'Shop', origins });
    expect(changed).toMatchObject({ status: 200, body: { name: 'Shop', origins, policy: {} } });
    expect((await admin.get(`${TENANTS}${path}/shop.example`)).body).toEqual(changed.body);
    const shop = await admin.get(`${TENANTS}/shop`);
    expect(shop).toMatchObject({ status: 200, body: { ...OK, tenant: 'shop' } });
    const begun = await client.beginRegistration('customer-2');
    expect(begun.body['rp']).toEqual({ id: 'shop.example', name: 'Shop' });
    const { authenticator } = client;
    const app = new FidoClient(server.url, {
      relyingParty: 'shop.example',
      origin: 'https://app.shop.example',
      authenticator,
    });
    expect((await app.signIn('customer')).status).toBe(200);
    await send('PATCH', `${path}/shop.example`, { origins: ['https://shop.example'] });
    expect((await app.signIn('customer')).body.errorCode).toBe('E0029R');

    const { relyingParties } = (await admin.get(TENANTS + path)).body;
    expect(relyingParties).toMatchObject([{ domain: 'shop.example', name: 'Shop' }]);
    expect((await send('DELETE', `${path}/shop.example`)).status).toBe(200);
    expect((await client.signIn('customer')).body.errorCode).toBe('E0025R');
    expect((await admin.get(TENANTS + path)).body['relyingParties']).toEqual([]);
    await send('DELETE', '/shop');
  });

  it('a dry run of a change answers what would result, and changes nothing', async () => {
    await server.addRelyingParty('tried', { domain: 'tried.example' });
    const path = '/tried/relying-parties/tried.example';
    const found = await admin.get(TENANTS + path);
    const before = await server.snapshot();
    const policy = { registration: 'ticket' };
    const tried = await send('PATCH', `${path}?dryRun=yes`, { policy, name: 'Tried' });
    expect(tried).toMatchObject({ status: 200, body: { dryRun: true, policy, name: 'Tried' } });
    expect(tried.headers.get('etag')).toBe(found.headers.get('etag'));
    const wrong = { policy: { unknownUsers: 'pretend' } };
    const refused = await send('PATCH', `${path}?dryRun=yes`, wrong);
    expect(refused).toMatchObject({ status: 400, body: { reason: 'policy.pretendOpen' } });
    expect(await server.snapshot()).toBe(before);
    const changed = await send('PATCH', path, { policy });
    expect(changed.body).not.toHaveProperty('dryRun');
    await send('DELETE', '/tried');
  });

  describe('a refused change', () => {
    beforeAll(async () => {
      await server.addRelyingParty('taken', { domain: 'taken.example' });
      await server.addRelyingParty('other', { domain: 'other.example' });
    });
    let before: string;
    beforeEach(async () => {
      before = await server.snapshot();
    });
    afterEach(async () => expect(await server.snapshot()).toBe(before));

    const RPS = '/taken/relying-parties';
    const refused = async (answer: Promise<unknown>, status: number, errorCode: string) =>
      expect(await answer).toMatchObject({
        status,
        body: { status: 'failed', errorCode, errorMessage: expect.stringMatching(/./) },
      });

    it.each([
      ['the name of another tenant', '', { tenant: 'taken' }],
      ['the domain of this tenant', RPS, { domain: 'taken.example' }],
      ['the domain of another tenant', RPS, { domain: 'other.example' }],
    ])('stores nothing of %s (E0045R)', (_, path, body) =>
      refused(send('POST', path, body), 400, 'E0045R'),
    );

    it.each<[string, unknown]>([
      ['no tenant', {}],
      ['an empty tenant', { tenant: '' }],
      ['upper case', { tenant: 'Taken' }],
      ['a trailing dot', { tenant: 'taken.' }],
      ['a leading hyphen', { tenant: '-a' }],
      ['65 characters', { tenant: 'a'.repeat(65) }],
      ['a path', { tenant: '../taken' }],
      ['a homograph', { tenant: 'tаken' }],
      ['a number', { tenant: 7 }],
      ['an array', { tenant: ['taken2'] }],
      ['an empty display name', { tenant: 'fine', displayName: '' }],
      ['a display name with a control character', { tenant: 'fine', displayName: 'a\u0007' }],
      ['a display name of 256 bytes', { tenant: 'fine', displayName: 'é'.repeat(128) }],
      ['a display name that is null', { tenant: 'fine', displayName: null }],
    ])('creates no tenant with %s (E0045R)', (_, body) =>
      refused(send('POST', '', body), 400, 'E0045R'),
    );

    it.each<[string, unknown]>([
      ['nothing', undefined],
      ['an empty text', ''],
      ['upper case', 'Taken.example'],
      ['a trailing dot', 'taken.example.'],
      ['an IPv4 address', '192.0.2.1'],
      ['an IPv6 address', '[::1]'],
      ['a number at the end', 'example.1'],
      ['a U-label', 'bücher.example'],
      ['a URL with user information', 'https://me@new.example'],
      ['a URL of an address', 'https://192.0.2.1'],
      ['a port', 'new.example:443'],
      ['a wildcard', '*.example'],
      ['an empty label', 'a..example'],
      ['an underscore', 'a_b.example'],
      ['a label of 64 characters', `${'a'.repeat(64)}.example`],
      ['254 characters', `${'a.'.repeat(123)}example1`],
    ])('creates no relying party whose domain is %s (E0045R)', (_, domain) =>
      refused(send('POST', RPS, { domain }), 400, 'E0045R'),
    );

    it.each<[string, unknown]>([
      ['a text', 'https://new.example'],
      ['empty', []],
      ['holding a number', [1]],
      ['holding a path', ['https://new.example/x']],
      ['holding a query', ['https://new.example?x']],
      ['holding user info', ['https://me@new.example']],
      ['holding another scheme', ['ftp://new.example']],
      ['holding a host without scheme', ['new.example']],
      ['holding an IP address', ['https://192.0.2.1']],
      ['holding a star alone', ['*']],
      ['holding two stars', ['https://*.*.example']],
      ['holding a star in the middle', ['https://a.*.example']],
      ['holding a port that is no number', ['https://new.example:https']],
      ['holding null', ['null']],
      ['of 101 entries', Array.from({ length: 101 }, (__, n) => `https://a${n}.example`)],
    ])('stores no origins that are %s (E0045R)', (_, origins) =>
      refused(send('POST', RPS, { domain: 'new.example', origins }), 400, 'E0045R'),
    );

    it.each<[string, unknown]>([
      ['a text', 'strict'],
      ['an array', []],
      ['an unknown member', { colour: 'red' }],
      ['a member of the prototype', JSON.parse('{"constructor":"x"}')],
      ['__proto__', JSON.parse('{"__proto__":{"counter":"warn"}}')],
      ['an unknown word', { counter: 'ignore' }],
      ['a switch', { userVerification: true }],
      ['an array for a word', { registration: ['open'] }],
      ['top origins that are no list', { topOrigins: 'https://a.example' }],
      ['a top origin that is no origin', { topOrigins: ['a.example'] }],
    ])('stores no policy that is or contains %s (E0045R)', async (_, policy) => {
      await refused(send('POST', RPS, { domain: 'new.example', policy }), 400, 'E0045R');
      await refused(send('PATCH', `${RPS}/taken.example`, { policy }), 400, 'E0045R');
    });

    it.each([
      ['GET', '/nobody', undefined],
      ['GET', '/nobody/relying-parties/taken.example', undefined],
      ['GET', `${RPS}/other.example`, undefined],
      ['PATCH', '/nobody', { displayName: 'x' }],
      ['DELETE', '/nobody', undefined],
      ['GET', '/nobody/relying-parties', undefined],
      ['POST', '/nobody/relying-parties', { domain: 'new.example' }],
      ['PATCH', '/nobody/relying-parties/taken.example', { name: 'x' }],
      ['PATCH', `${RPS}/other.example`, { name: 'x' }],
      ['PATCH', `${RPS}/nowhere.example`, { name: 'x' }],
      ['DELETE', `${RPS}/other.example`, undefined],
      ['DELETE', `${RPS}/nowhere.example`, undefined],
      ['DELETE', '/TAKEN', undefined],
      ['DELETE', '/taken%20', undefined],
      ['DELETE', `${RPS}/taken.example%20`, undefined],
      ['DELETE', '/%25', undefined],
    ])('a refused change has no effect by %s %s (E0044R)', (method, path, body) =>
      refused(send(method, path, body), 404, 'E0044R'),
    );

    it.each([
      ['POST', ''],
      ['PATCH', '/taken'],
      ['DELETE', '/taken'],
      ['POST', RPS],
      ['PATCH', `${RPS}/taken.example`],
      ['DELETE', `${RPS}/taken.example`],
    ])(
      'a refused change has no effect by %s %s from a page of another site (E0043R)',
      async (method, path) => {
        for (const headers of [
          { 'sec-fetch-site': 'cross-site' },
          { 'sec-fetch-site': 'same-site' },
          { origin: 'https://evil.example' },
          { origin: 'null' },
        ]) {
          const init = { method, headers: { 'content-type': 'application/json', ...headers } };
          const body = method === 'DELETE' ? {} : { body: '{"tenant":"evil"}' };
          await refused(admin.send(TENANTS + path, { ...init, ...body }), 403, 'E0043R');
        }
      },
    );

    it.each([
      ['GET', ''],
      ['POST', ''],
      ['PATCH', '/taken'],
      ['DELETE', '/taken'],
      ['GET', RPS],
      ['POST', RPS],
      ['PATCH', `${RPS}/taken.example`],
      ['DELETE', `${RPS}/taken.example`],
    ])(
      'a refused change has no effect by %s %s without signing in (E0042R)',
      async (method, path) => {
        const answer = await new Client(server.url).send(TENANTS + path, { method });
        expect(answer).toMatchObject({ status: 401, body: { errorCode: 'E0042R' } });
        expect(answer.headers.get('www-authenticate')).toMatch(/^Basic realm="ServiceFido"/);
      },
    );

    it('a refused change has no effect if the body is not a JSON object (E0001R, E0048R)', async () => {
      for (const body of ['[]', '7', 'null', '{"tenant":', '"tenant"']) {
        await refused(admin.post(TENANTS, body), 400, 'E0001R');
      }
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const init = { method: 'POST', body: 'tenant=x', headers: form };
      await refused(admin.send(TENANTS, init), 415, 'E0048R');
    });
  });

  describe('origins', () => {
    it.each([
      ['https://*.wild.example', 'https://a.wild.example', 200],
      ['https://*.wild.example', 'https://a.b.wild.example', 200],
      ['https://*.wild.example', 'https://wild.example', 401],
      ['https://*.wild.example', 'https://evilwild.example', 401],
      ['https://*.wild.example', 'http://a.wild.example', 401],
      ['https://wild.example:*', 'https://wild.example:8443', 200],
      ['https://wild.example:*', 'https://wild.example', 200],
      ['https://wild.example:8443', 'https://wild.example', 401],
      ['http://wild.example', 'http://wild.example', 200],
      ['android:apk-key-hash:AbC-_1', 'android:apk-key-hash:AbC-_1', 200],
      ['android:apk-key-hash:AbC-_1', 'android:apk-key-hash:abc-_1', 401],
      ['ios:bundle-id:com.example.app', 'ios:bundle-id:com.example.app', 200],
    ])(
      '%s in the list give a registration from %s the status %i',
      async (entry, origin, status) => {
        const domain = 'wild.example';
        await server.addRelyingParty('wild', { domain, origins: [entry] });
        expect((await at(domain, origin).register('someone')).status).toBe(status);
        await send('DELETE', `/wild/relying-parties/${domain}`);
      },
    );
  });

  describe('policy', () => {
    const domain = 'policy.example';
    beforeAll(() => server.addRelyingParty('policy', { domain }));
    const set = (policy: object) => send('PATCH', `/policy/relying-parties/${domain}`, { policy });

    it('overrides the request’s userVerification in both ceremonies', async () => {
      const client = at(domain);
      await client.register('verified');
      await set({ userVerification: 'required' });
      const up = await client.beginRegistration('new', { userVerification: 'discouraged' });
      expect(up.body['authenticatorSelection']).toMatchObject({ userVerification: 'required' });
      const inn = await client.beginAuthentication('verified', { userVerification: 'discouraged' });
      expect(inn.body['userVerification']).toBe('required');
      const body = client.assert(inn, { flags: (flags) => flags & ~0x04 });
      expect((await client.completeAuthentication(body)).body.errorCode).toBe('E0031R');
    });

    it('requires a token for the second registration if registration is "first-only"', async () => {
      const client = at(domain);
      await client.register('double');
      await set({ registration: 'first-only' });
      expect((await client.beginRegistration('double')).body.errorCode).toBe('E0043R');
      expect((await client.beginRegistration('still-new')).status).toBe(200);
      const { token } = (await client.signIn('double')).body;
      const begun = await client.post(
        client.paths.beginRegistration,
        { username: 'double', displayName: 'double' },
        { authorization: `Bearer ${String(token)}` },
      );
      expect(begun.status).toBe(200);
    });

    it.each([
      ['reject', 401, 200],
      ['warn', 200, 200],
      ['disable', 401, 403],
    ])(
      'counter "%s" answers a counter that did not rise with %i, and the next with %i',
      async (counter, first, next) => {
        await set({});
        const username = `counter-${counter}`;
        const client = at(domain);
        await client.register(username);
        expect((await client.signIn(username, { signCount: 50 })).status).toBe(200);
        await set({ counter });
        expect((await client.signIn(username, { signCount: 50 })).status).toBe(first);
        expect((await client.signIn(username, { signCount: 51 })).status).toBe(next);
      },
    );

    it('lets pages in topOrigins embed the ceremony', async () => {
      await set({});
      const clientData = { crossOrigin: true, topOrigin: 'https://portal.example' };
      const register = async (username: string) => {
        const client = at(domain);
        const begun = await client.beginRegistration(username);
        return client.completeRegistration(client.create(begun, { clientData }));
      };
      expect((await register('framed')).body.errorCode).toBe('E0029R');
      await set({ topOrigins: ['https://portal.example'] });
      expect((await register('framed')).status).toBe(200);
    });

    it('lets a page that the browser does not name embed the ceremony if topOrigins has unknown', async () => {
      const embedded = async (clientData: Readonly<Record<string, unknown>>) => {
        const client = at(domain);
        const begun = await client.beginRegistration('embedded');
        return client.completeRegistration(client.create(begun, { clientData }));
      };
      await set({ topOrigins: ['https://portal.example'] });
      expect((await embedded({ crossOrigin: true })).body.errorCode).toBe('E0029R');
      await set({ topOrigins: ['https://portal.example', 'unknown'] });
      const evil = { crossOrigin: true, topOrigin: 'https://evil.example' };
      expect((await embedded(evil)).body.errorCode).toBe('E0029R');
      expect((await embedded({ crossOrigin: true })).status).toBe(200);
    });
  });

  it('a change of a relying party does not set the ID that its users refer to', async () => {
    await server.addRelyingParty('referred', { domain: 'referred.example' });
    const commit = jest.spyOn(server.get(Database), 'commit');
    const path = '/referred/relying-parties/referred.example';
    const changed = await send('PATCH', path, { name: 'Referred' });
    expect(changed).toMatchObject({ status: 200, body: { name: 'Referred' } });
    const statements = commit.mock.calls
      .flatMap(([unit]) => unit)
      .map((step) => ('sql' in step ? step.sql : ''));
    commit.mockRestore();
    const [update = ''] = statements.filter((sql) => /^UPDATE .relying_parties/.test(sql));
    expect(update).toMatch(/ SET .*.name. = /);
    // For this, SQLite would look at each user of the relying party, twice.
    expect(update).not.toMatch(/ SET .*.\bid. = .* WHERE /);
  });

  it('a relying party of an earlier version publishes nothing, until a change adds a file', async () => {
    await server.addRelyingParty('earlier', { domain: 'earlier.example' });
    const sql = "UPDATE relying_parties SET well_known = NULL WHERE domain = 'earlier.example'";
    await server.get(Database).commit([{ sql, params: [] }]);
    const path = '/earlier/relying-parties/earlier.example';
    const nothing = { relatedOrigins: [], apps: {}, passkeyEndpoints: {} };
    expect((await admin.get(TENANTS + path)).body).toMatchObject(nothing);
    const relatedOrigins = ['https://related.example'];
    const changed = await send('PATCH', path, { relatedOrigins });
    expect(changed).toMatchObject({ status: 200, body: { ...nothing, relatedOrigins } });
    expect((await admin.get(TENANTS + path)).body).toEqual(changed.body);
  });

  it('the domains in E0025R are those of all tenants in order, without deleted ones', async () => {
    await server.addRelyingParty('zz', { domain: 'zz.example' });
    await server.addRelyingParty('aa', { domain: 'aa.example' });
    const { body } = await at('nowhere.example').beginRegistration('x');
    const domains = body['domains'] as string[];
    expect(domains).toEqual([...domains].sort());
    expect(domains).toEqual(expect.arrayContaining(['aa.example', 'localhost', 'zz.example']));
    await send('DELETE', '/zz');
    const later = await at('nowhere.example').beginRegistration('x');
    expect(later.body['domains']).toEqual(domains.filter((domain) => domain !== 'zz.example'));
  });
});

describe('the tenant API with --list-domains off', () => {
  it('E0025R contains no domains with --list-domains off', async () => {
    const server = await TestServer.start({ options: { listDomains: false } });
    const client = new FidoClient(server.url, {
      relyingParty: 'nowhere.example',
      authenticator: new SoftAuthenticator(),
    });
    const { body } = await client.beginRegistration('x');
    expect(body.errorCode).toBe('E0025R');
    expect(body).not.toHaveProperty('domains');
    await server.stop();
  });
});
