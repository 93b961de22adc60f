import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { ADMIN_ENDPOINTS, type AdminEndpoint } from '../support/admin-endpoints.js';
import { adminClient, type Answer, type Client } from '../support/client.js';
import { FidoClient } from '../support/fido-client.js';
import { countOf, rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

const MOZILLA = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0' };
/** As `Invoke-WebRequest` names itself. */
const POWERSHELL = {
  'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Microsoft Windows 10.0; en-US) PowerShell/7.4.6',
};
const NAVIGATION = { 'sec-fetch-mode': 'navigate' };
const CORS = { 'sec-fetch-mode': 'cors' };
const REFUSED = { status: 403, body: { errorCode: 'E0043R' } };

/** Ways in which a page of another site makes a browser send a request, and the headers of each. */
const WAYS: readonly (readonly [string, Record<string, string>])[] = [
  ['a page of another site', { ...MOZILLA, 'sec-fetch-site': 'cross-site' }],
  ['a page of another port or sibling domain', { ...MOZILLA, 'sec-fetch-site': 'same-site' }],
  ['a page with another origin', { ...MOZILLA, origin: 'https://evil.example' }],
  ['a sandboxed page', { ...MOZILLA, 'sec-fetch-site': 'cross-site', origin: 'null' }],
  ['a page whose origin is null', { origin: 'null' }],
  ['a prefetch', { ...MOZILLA, 'sec-fetch-site': 'same-origin', 'sec-purpose': 'prefetch' }],
  ['a prerendering', { ...MOZILLA, 'sec-fetch-site': 'none', 'sec-purpose': 'prefetch;prerender' }],
];

const CHANGING = [...ADMIN_ENDPOINTS.filter(({ changes }) => changes), ...realChanges()];

describe('requests from pages of another site', () => {
  let server: TestServer;
  let admin: Client;
  beforeAll(async () => {
    server = await TestServer.start();
    admin = adminClient(server.url);
    await new FidoClient(server.url).register('alice');
  });
  afterAll(() => server.stop());

  it.each(WAYS)(
    'a change by %s is refused and leaves an audit row (E0043R)',
    async (_, headers) => {
      const before = await server.snapshot();
      const rows = await countOf(server, 'audit');
      const [{ last } = {}] = await rowsOf<{ last: number | null }>(
        server,
        'SELECT MAX(seq) AS last FROM audit',
      );
      for (const endpoint of CHANGING) {
        expect([endpoint, await call(endpoint, headers)]).toMatchObject([endpoint, REFUSED]);
      }
      expect(await server.snapshot()).toBe(before);
      expect(await countOf(server, 'audit')).toBe(rows + CHANGING.length);
      const codes = await rowsOf(
        server,
        'SELECT DISTINCT result, code FROM audit WHERE seq > ?',
        last ?? 0,
      );
      expect(codes).toEqual([{ result: 'refused', code: 'E0043R' }]);
    },
  );

  const BY_GET = CHANGING.filter(({ method }) => method === 'GET');

  it.each<[string, Record<string, string>]>([
    ['without Sec-Fetch-Site', MOZILLA],
    ['of a typed address', { 'sec-fetch-site': 'none' }],
    ['of a link on an own page', { 'sec-fetch-site': 'same-origin', ...NAVIGATION }],
    ['of an own page without Sec-Fetch-Mode', { 'sec-fetch-site': 'same-origin' }],
    [
      'of the address bar that calls itself PowerShell',
      { ...POWERSHELL, 'sec-fetch-site': 'none' },
    ],
  ])('a browser’s GET %s changes nothing (E0043R)', async (_, headers) => {
    const before = await server.snapshot();
    for (const endpoint of BY_GET) {
      const answer = await asked(endpoint.path, { ...MOZILLA, ...headers });
      expect([endpoint, answer]).toMatchObject([endpoint, REFUSED]);
      expect(answer.body.errorMessage).toMatch(/use the pages under .* or send .* by POST as JSON/);
    }
    expect(await server.snapshot()).toBe(before);
  });

  it.each<[string, Record<string, string>]>([
    ['curl', { 'user-agent': 'curl/8.5.0' }],
    ['Python', { 'user-agent': 'python-requests/2.32.3' }],
    ['fetch of Node, which sends a lone Sec-Fetch-Mode', { 'sec-fetch-mode': 'cors' }],
    ['PowerShell', POWERSHELL],
    ['Windows PowerShell', { 'user-agent': 'Mozilla/5.0 (NT; en-US) WindowsPowerShell/5.1.19041' }],
    ['WinHttp', { 'user-agent': 'Mozilla/4.0 (compatible; Win32; WinHttp.WinHttpRequest.5)' }],
    ['a script of an own page', { ...MOZILLA, 'sec-fetch-site': 'same-origin', ...CORS }],
  ])('the request of %s may change users by GET', async (program, headers) => {
    const username = `user of ${program}`;
    expect((await new FidoClient(server.url).register(username)).status).toBe(200);
    const filter = encodeURIComponent(username);
    const change = (type: string) =>
      asked(`/userapi/manageusers?type=${type}&filter=${filter}`, headers);
    expect(await change('disableall')).toMatchObject({ status: 200, body: { credentials: 1 } });
    expect(await change('enableall')).toMatchObject({ status: 200, body: { credentials: 1 } });
    const issued = await asked('/userapi/invoice?tenant=default&invoicelog=yes', headers);
    expect(issued).toMatchObject({ status: 200, body: { stored: [{ kind: 'statement' }] } });
  });

  it('a HEAD request or a conditional GET changes nothing (E0043R)', async () => {
    const before = await server.snapshot();
    for (const endpoint of BY_GET) {
      const answer = await call(endpoint, {}, 'HEAD');
      expect(answer.status).toBe(403);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const conditional = { ...MOZILLA, 'sec-fetch-site': 'cross-site', 'if-none-match': '*' };
      expect(await call(endpoint, conditional)).toMatchObject(REFUSED);
    }
    expect(await server.snapshot()).toBe(before);
  });

  it('a form of another site changes nothing, in any encoding (E0043R)', async () => {
    const before = await server.snapshot();
    const body = JSON.stringify({ type: 'deluser', filter: 'alice' });
    const headers = { ...MOZILLA, 'sec-fetch-site': 'cross-site', origin: 'null' };
    for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain']) {
      for (const path of [
        '/userapi/manageusers',
        '/userapi/deletelistusers',
        '/tenantapi/tenants',
        '/userapi/tickets',
      ]) {
        const answer = await admin.send(path, {
          method: 'POST',
          body,
          headers: { ...headers, 'content-type': type, accept: 'application/json' },
        });
        expect(answer).toMatchObject(REFUSED);
      }
    }
    expect(await server.snapshot()).toBe(before);
  });

  it('a preflight of another site gets no permission', async () => {
    for (const { path, method } of CHANGING) {
      const answer = await admin.send(path, {
        method: 'OPTIONS',
        headers: { origin: 'https://evil.example', 'access-control-request-method': method },
      });
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  it.each([
    ['a program', {}],
    ['an own page', { ...MOZILLA, 'sec-fetch-site': 'same-origin' }],
    ['PowerShell', POWERSHELL],
    ['a browser without a page', { ...MOZILLA, 'sec-fetch-site': 'none' }],
  ])('the request of %s may change data by POST and DELETE', async (_, headers) => {
    const disable = { type: 'disableall', filter: 'alice' };
    expect((await admin.post('/userapi/manageusers', disable, headers)).status).toBe(200);
    const tenant = `made-${Math.random().toString(36).slice(2)}`;
    const made = await admin.post('/tenantapi/tenants', { tenant }, headers);
    expect(made.status).toBe(201);
    const own = { ...headers, origin: server.url };
    const removed = await admin.send(`/tenantapi/tenants/${tenant}`, {
      method: 'DELETE',
      headers: own,
    });
    expect(removed.status).toBe(200);
  });

  it('a request from a page of another site may read', async () => {
    for (const [, headers] of WAYS) {
      expect((await admin.get('/userapi/audit', headers)).status).toBe(200);
      expect((await admin.get('/userapi/manageusers?type=list', headers)).status).toBe(200);
    }
  });

  function call(
    { method, path, body }: AdminEndpoint,
    headers: Record<string, string>,
    asked: string = method,
  ): Promise<Answer> {
    return admin.send(path, {
      method: asked,
      headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  }

  /** A GET with these headers and no others: `fetch` would put its own `Sec-Fetch-Mode` in. */
  async function asked(path: string, headers: Record<string, string>) {
    const options = { headers: { ...admin.headers, accept: 'application/json', ...headers } };
    const [response] = (await once(get(server.url + path, options), 'response')) as [
      IncomingMessage,
    ];
    return { status: response.statusCode, body: (await json(response)) as Answer['body'] };
  }
});

describe('requests behind a trusted proxy', () => {
  it('the origin of a request must be the host that the browser requested (E0043R)', async () => {
    const server = await TestServer.start({ options: { trustProxy: 1 } });
    const create = (tenant: string, origin: string) =>
      adminClient(server.url).post(
        '/tenantapi/tenants',
        { tenant },
        { origin, 'x-forwarded-host': 'fido.example.com' },
      );
    expect((await create('own', 'https://fido.example.com')).status).toBe(201);
    expect(await create('other', 'https://evil.example')).toMatchObject(REFUSED);
    await server.stop();
  });
});

/** Calls that would change data. */
function realChanges(): readonly AdminEndpoint[] {
  return [
    ...['deluser', 'disableall', 'enableall'].map((type) => `type=${type}&filter=alice`),
    ...['deldevice', 'disabledevice'].map((type) => `type=${type}&filter=alice&device=*`),
    'type=deluser&filter=*&confirm=all',
  ].map((query) => ({
    method: 'GET',
    path: `/userapi/manageusers?${query}`,
    roles: [],
    changes: true,
  }));
}
