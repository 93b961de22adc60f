import { Client, adminClient, type Answer } from '../support/client.js';
import { FidoClient, PATHS } from '../support/fido-client.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { TestServer } from '../support/test-server.js';

const ACME = 'https://acme.example';
const BEGIN = PATHS.certify.beginRegistration;
const BODY = { username: 'alice', displayName: 'alice' };

const ALLOWED = {
  'allow-origin': ACME,
  'allow-credentials': 'true',
  'expose-headers': 'Retry-After, X-Request-Id, RateLimit, RateLimit-Policy',
};

describe('CORS', () => {
  let server: TestServer;
  let client: Client;
  beforeAll(async () => {
    server = await TestServer.start();
    await server.addRelyingParty('acme', {
      domain: 'acme.example',
      origins: [ACME, 'https://*.shop.acme.example'],
    });
    await server.addRelyingParty('neighbour', { domain: 'neighbour.example' });
    client = new Client(server.url, { 'x-servicefido-relyingparty': 'acme.example' });
  });
  afterAll(() => server.stop());

  it.each(Object.values(PATHS).flatMap((paths) => Object.values(paths)))(
    'allows a listed origin to call %s with credentials and read its errors',
    async (path) => {
      const answer = await client.post(path, {}, { origin: ACME });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(corsOf(answer)).toEqual(ALLOWED);
      expect(answer.headers.get('vary')).toMatch(/\bOrigin\b/);
    },
  );

  it('allows an origin that matches a pattern', async () => {
    const origin = 'https://www.shop.acme.example';
    const answer = await client.post(BEGIN, BODY, { origin });
    expect(answer.status).toBe(200);
    expect(corsOf(answer)).toEqual({ ...ALLOWED, 'allow-origin': origin });
  });

  it.each([
    'https://evil.example',
    'null',
    'https://acme.example.evil.example',
    'http://acme.example',
    'https://acme.example:8443',
    'https://www.acme.example',
    'https://shop.acme.example',
    'HTTPS://ACME.EXAMPLE',
    'https://evilacme.example',
  ])('refuses the origin %s, both directly and after a preflight', async (origin) => {
    expect(corsOf(await client.post(BEGIN, BODY, { origin }))).toEqual({});
    expect(corsOf(await preflight(origin))).toEqual({});
  });

  it('allows only the listed methods and headers in a preflight', async () => {
    const answer = await preflight(ACME);
    expect(answer.status).toBe(204);
    expect(corsOf(answer)).toEqual({
      ...ALLOWED,
      'allow-methods': 'GET, POST, PATCH, DELETE',
      'allow-headers':
        'content-type, x-servicefido-relyingparty, authorization, idempotency-key, ' +
        'traceparent, tracestate, x-requested-with',
      'max-age': '600',
    });
  });

  it('allows the origins of all relying parties in preflights, since the call itself decides', async () => {
    const origin = 'https://neighbour.example';
    expect(corsOf(await preflight(origin))).toMatchObject({ 'allow-origin': origin });
    expect(corsOf(await client.post(BEGIN, BODY, { origin }))).not.toHaveProperty('allow-origin');
  });

  it.each([
    ['https://evil.example', undefined, false],
    ['null', undefined, false],
    [ACME, undefined, true],
    [ACME, 'acme.example', true],
    ['https://neighbour.example', 'acme.example', false],
    [ACME, 'unknown.example', false],
    [ACME, 'no domain', false],
  ])(
    'answers GET /fidoapi/test from %s with whether %s lists that origin',
    async (origin, relyingParty, listed) => {
      const query = relyingParty ? `?${new URLSearchParams({ relyingParty })}` : '';
      const answer = await new Client(server.url).get(`/fidoapi/test${query}`, { origin });
      expect(answer.headers.get('vary')).toMatch(/\bOrigin\b/);
      if (listed) {
        expect(corsOf(answer)).toEqual(ALLOWED);
        expect(answer.body).toMatchObject({ originListed: true, version: expect.any(String) });
      } else {
        expect(corsOf(answer)).toMatchObject({ 'allow-origin': '*' });
        expect(corsOf(answer)).not.toHaveProperty('allow-credentials');
        expect(answer.body).toEqual({ status: 'ok', errorMessage: '', originListed: false });
      }
    },
  );

  it('mentions no origin in GET /fidoapi/test if the request has none', async () => {
    expect((await new Client(server.url).get('/fidoapi/test')).body).not.toHaveProperty(
      'originListed',
    );
    const many = await client.get('/fidoapi/test?relyingParty=a&relyingParty=b', { origin: ACME });
    expectRefusal(many, 'E0045R', 400);
  });

  it('refuses a page of one relying party that completes a ceremony of another (E0029R)', async () => {
    const visitor = new FidoClient(server.url, { relyingParty: 'acme.example', origin: ACME });
    const body = visitor.create(await visitor.beginRegistration('mallory'));
    const origin = { origin: 'https://neighbour.example' };
    const before = await server.snapshot();
    expectRefusal(await visitor.post(visitor.paths.completeRegistration, body, origin), 'E0029R');
    expectRefusal(await visitor.completeRegistration(body), 'E0024R');
    expect(await server.snapshot()).toBe(before);
  });

  it.each([
    ['malformed JSON', '{', {}, 400],
    ['too large a body', 'x'.repeat(70_000), {}, 413],
    ['the wrong content type', '{}', { 'content-type': 'text/plain' }, 415],
    ['an unknown relying party', BODY, { 'x-servicefido-relyingparty': 'unknown.example' }, 400],
    ['a malformed header', BODY, { 'x-servicefido-relyingparty': 'a b' }, 400],
  ])('adds its headers to the error of %s', async (_, body, headers, status) => {
    const answer = await client.post(BEGIN, body, { origin: ACME, ...headers });
    expect(answer.status).toBe(status);
    expect(corsOf(answer)).toEqual(ALLOWED);
  });

  it.each(['/userapi/tickets', '/tenantapi/tenants', '/status', '/getversion', '/'])(
    'adds no headers to %s',
    async (path) => {
      const answer = await adminClient(server.url).get(path, { origin: ACME });
      expect(corsOf(answer)).toEqual({});
    },
  );

  it('allows any origin to read the public keys of tokens', async () => {
    const answer = await client.get('/.well-known/jwks.json', { origin: 'https://any.example' });
    expect(corsOf(answer)).toMatchObject({ 'allow-origin': '*' });
  });

  it('forbids caching of every answer', async () => {
    const answer = await client.post(BEGIN, BODY, { origin: ACME });
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  function preflight(origin: string, path: string = BEGIN) {
    return client.send(path, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,x-servicefido-relyingparty',
      },
    });
  }
});

describe('the relying party of a call', () => {
  let server: TestServer;
  let withDomain: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
    withDomain = await TestServer.start({ options: { domain: 'main.example' } });
    for (const each of [server, withDomain]) {
      await each.addRelyingParty('acme', { domain: 'acme.example' });
      await each.addRelyingParty('shop', {
        domain: 'shop.example',
        origins: ['https://shop.example', 'https://www.shop.example'],
      });
    }
  });
  afterAll(async () => {
    await server.stop();
    await withDomain.stop();
  });

  it.each([
    ['acme.example', false, undefined, 'acme.example'],
    ['acme.example', false, 'https://shop.example', 'acme.example'],
    ['acme.example', true, undefined, 'acme.example'],
    ['acme.example', true, 'https://shop.example', 'acme.example'],
    [undefined, true, undefined, 'main.example'],
    [undefined, true, 'https://shop.example', 'main.example'],
    [undefined, false, 'https://shop.example', 'shop.example'],
    [undefined, false, 'https://www.shop.example', 'shop.example'],
    ['ACME.example', false, undefined, 'acme.example'],
    ['https://acme.example:8443/path?q#f', false, undefined, 'acme.example'],
  ])(
    'with header %s, --domain %s and Origin %s is %s',
    async (header, domain, origin, expected) => {
      const headers = {
        ...(header === undefined ? {} : { 'x-servicefido-relyingparty': header }),
        ...(origin === undefined ? {} : { origin }),
      };
      const answer = await new Client((domain ? withDomain : server).url, headers).post(
        BEGIN,
        BODY,
      );
      expect(answer).toMatchObject({ status: 200, body: { rp: { id: expected } } });
    },
  );

  it.each([undefined, 'null', 'https://unknown.example', 'https://other.shop.example', 'garbage'])(
    'is missing for Origin %s without header and --domain, so that E0025R lists the domains',
    async (origin) => {
      const client = new Client(server.url, origin === undefined ? {} : { origin });
      const answer = await client.post(BEGIN, BODY);
      expectRefusal(answer, 'E0025R');
      expect(answer.body['domains']).toEqual(['acme.example', 'localhost', 'shop.example']);
    },
  );

  it.each(['x-forwarded-host', 'forwarded', 'x-original-url', 'x-host'])(
    'the relying party is not taken from the header %s',
    async (name) => {
      const value = name === 'forwarded' ? 'host=acme.example' : 'acme.example';
      expectRefusal(await new Client(server.url).post(BEGIN, BODY, { [name]: value }), 'E0025R');
    },
  );

  it('is missing from E0025R, like all domains, with --list-domains off', async () => {
    const silent = await TestServer.start({ options: { listDomains: false } });
    const { status, body } = await new Client(silent.url).post(BEGIN, BODY);
    expect({ status, ...body }).toMatchObject({ errorCode: 'E0025R' });
    expect(body).not.toHaveProperty('domains');
    await silent.stop();
  });
});

/** The CORS headers of an answer, without the prefix of their names. */
function corsOf({ headers }: Answer) {
  return Object.fromEntries(
    [...headers]
      .filter(([name]) => name.startsWith('access-control-'))
      .map(([name, value]) => [name.replace('access-control-', ''), value]),
  );
}
