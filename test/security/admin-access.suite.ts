import { request } from 'node:http';
import { hashPassword } from '../../src/platform/access/basic/password-checks.js';
import { Client, adminClient } from '../support/client.js';
import { FidoClient } from '../support/fido-client.js';
import { ADMIN, TestServer } from '../support/test-server.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];
const PATHS = [
  '/userapi',
  '/userapi/manageusers',
  '/userapi/tickets',
  '/users',
  '/tenantapi/tenants',
];
const RIGHT = `${ADMIN.user}:${ADMIN.password}`;
const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');

describe('HTTP Basic for the administration', () => {
  let server: TestServer;
  let anybody: Client;
  beforeAll(async () => {
    server = await TestServer.start();
    anybody = new Client(server.url);
  });
  afterAll(() => server.stop());

  const withHeader = (authorization: string) =>
    anybody.get('/tenantapi/tenants', { authorization });

  it.each(PATHS.flatMap((path) => METHODS.map((method) => [method, path] as const)))(
    'refuses %s %s without credentials (E0042R)',
    async (method, path) => {
      const answer = await anybody.send(path, { method });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Basic realm="ServiceFido"/);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      if (method !== 'HEAD') expect(answer.body.errorCode).toBe('E0042R');
    },
  );

  it('refuses GET / without credentials, as JSON and as a page (E0042R)', async () => {
    const answer = await anybody.get('/', { accept: 'application/json' });
    expect(answer).toMatchObject({ status: 401, body: { errorCode: 'E0042R' } });
    const page = await anybody.get('/', { accept: 'text/html' });
    expect(page.status).toBe(401);
    expect(page.headers.get('www-authenticate')).toMatch(/^Basic /);
  });

  it.each([
    ['no header', {}, 'Send the name and password of an account by HTTP Basic, or '],
    ['a wrong password', { authorization: `Basic ${base64('admin:wrong')}` }, 'The name or the '],
    [
      'a password as a Bearer',
      { authorization: `Bearer ${ADMIN.password}` },
      'The "Authorization" ',
    ],
  ])('says how to sign in after %s', async (_, headers, advice) => {
    const { body } = await anybody.get('/tenantapi/tenants', headers);
    expect(body).toMatchObject({ errorCode: 'E0042R', reason: 'authentication.needed' });
    expect(body.errorMessage).toMatch(new RegExp(`^Authentication is required\\. ${advice}`));
  });

  it('gives one answer to a wrong user, a wrong password and both (E0042R)', async () => {
    const answers = await Promise.all(
      [`${ADMIN.user}:wrong`, `nobody:${ADMIN.password}`, 'nobody:wrong', `${ADMIN.user}:`].map(
        (pair) => withHeader(`Basic ${base64(pair)}`),
      ),
    );
    const said = answers.map(({ status, body }) =>
      JSON.stringify([status, { ...body, requestId: '' }]),
    );
    expect(new Set(said).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 401, body: { errorCode: 'E0042R' } });
  });

  it.each([
    ['nothing behind the scheme', 'Basic'],
    ['a blank behind the scheme', 'Basic '],
    ['no Base64', 'Basic ???'],
    ['no colon', `Basic ${base64('admin')}`],
    ['a colon alone', `Basic ${base64(':')}`],
    ['a NUL behind the name', `Basic ${base64(`${ADMIN.user}\u0000:${ADMIN.password}`)}`],
    ['a NUL behind the password', `Basic ${base64(`${RIGHT}\u0000`)}`],
    ['a line end behind the password', `Basic ${base64(`${RIGHT}\n`)}`],
    ['bytes that are no UTF-8', `Basic ${base64(Buffer.from([0xff, 0xfe, 0x3a, 0xff]))}`],
    ['8 KB of credentials', `Basic ${base64(`admin:${'x'.repeat(6000)}`)}`],
    ['the name in upper case', `Basic ${base64(`ADMIN:${ADMIN.password}`)}`],
    ['the password up to its colon', `Basic ${base64('admin:correct horse')}`],
    ['the right pair twice', `Basic ${base64(RIGHT)} ${base64(RIGHT)}`],
    ['another scheme', `Bearer ${base64(RIGHT)}`],
    ['the scheme Digest', 'Digest username="admin", realm="ServiceFido"'],
  ])('refuses an Authorization header with %s (E0042R)', async (_, authorization) => {
    const answer = await withHeader(authorization);
    expect(answer).toMatchObject({ status: 401, body: { errorCode: 'E0042R' } });
  });

  it('accepts a password with a colon, and the scheme Basic in any case', async () => {
    for (const scheme of ['Basic', 'basic', 'BASIC']) {
      expect((await withHeader(`${scheme} ${base64(RIGHT)}`)).status).toBe(200);
    }
  });

  it('reads only the first of two Authorization headers', async () => {
    const right = `Basic ${base64(RIGHT)}`;
    const wrong = `Basic ${base64('admin:wrong')}`;
    expect(await statusOfHeaders([right, wrong])).toBe(200);
    expect(await statusOfHeaders([wrong, right])).toBe(401);
  });

  /** fetch would join two headers of one name. */
  function statusOfHeaders(values: string[]): Promise<number | undefined> {
    const headers = values.flatMap((value) => ['Authorization', value]);
    return new Promise((resolve, reject) => {
      request(`${server.url}/tenantapi/tenants`, { headers: ['Host', 'localhost', ...headers] })
        .once('response', (response) => resolve(response.resume().statusCode))
        .once('error', reject)
        .end();
    });
  }

  it.each([
    '//userapi',
    '/UserApi',
    '/userapi/',
    '/userapi%2f..',
    '/userapi;x',
    '/USERAPI/manageusers',
    '/userapi/../userapi/manageusers',
    '/fidoapi/../userapi',
    '/fidoapi/%2e%2e/userapi',
    '/users/',
    '/Users',
    '/users?filter=*',
    '/tenantapi',
    '/TenantApi/tenants',
    '/tenantapi//tenants',
    '/tenantapi/tenants/',
    '/tenantapi/%74enants',
    '/%74enantapi/tenants',
    '/tenantapi/tenants/%2e%2e/tenants',
  ])('the path %s does not bypass the sign-in', async (path) => {
    expect([401, 404]).toContain(await statusOfPath(path));
  });

  /** fetch would tidy the path. */
  function statusOfPath(path: string): Promise<number | undefined> {
    const { hostname, port } = new URL(server.url);
    return new Promise((resolve, reject) => {
      request({ hostname, port, path })
        .once('response', (response) => resolve(response.resume().statusCode))
        .once('error', reject)
        .end();
    });
  }

  it('a session cookie or a user’s token does not open the administration (E0042R)', async () => {
    const user = new FidoClient(server.url);
    await user.register('admin');
    const { token } = (await user.signIn('admin')).body;
    expect((await user.get('/tenantapi/tenants')).status).toBe(401);
    const bearer = { authorization: `Bearer ${String(token)}` };
    expect((await user.get('/tenantapi/tenants', bearer)).status).toBe(401);
    const basic = { authorization: `Basic ${base64(`admin:${String(token)}`)}` };
    expect((await user.get('/tenantapi/tenants', basic)).status).toBe(401);
  });

  it('reports an unknown path to a signed-in caller (E0047R)', async () => {
    const answer = await adminClient(server.url).get('/tenantapi/nothing');
    expect(answer).toMatchObject({ status: 404, body: { errorCode: 'E0047R' } });
  });

  it('the log contains no credentials of the administration', async () => {
    await adminClient(server.url).get('/tenantapi/tenants');
    const log = JSON.stringify(server.logged);
    expect(log).toContain('/tenantapi/tenants');
    expect(log).not.toContain(ADMIN.password);
    expect(log).not.toContain(base64(RIGHT));
  });
});

describe('passwords and settings of the administration', () => {
  it.each(['pass:word', 'pässwörd ✓', ' blanks ', 'x'.repeat(200), '密码'])(
    'accepts the password %j',
    async (adminPassword) => {
      const server = await TestServer.start({ options: { adminPassword, adminUser: 'Käthe' } });
      const header = (pair: string) => ({ authorization: `Basic ${base64(pair)}` });
      const client = new Client(server.url);
      const right = header(`Käthe:${adminPassword}`);
      expect((await client.get('/tenantapi/tenants', right)).status).toBe(200);
      const wrong = header(`Käthe:${adminPassword}x`);
      expect((await client.get('/tenantapi/tenants', wrong)).status).toBe(401);
      await server.stop();
    },
  );

  it('accepts the password of a stored hash, and not the hash as a password', async () => {
    const adminPassword = await hashPassword('password');
    const server = await TestServer.start({ options: { adminPassword } });
    const statusOf = async (password: string) => {
      const authorization = `Basic ${base64(`admin:${password}`)}`;
      return (await new Client(server.url, { authorization }).get('/tenantapi/tenants')).status;
    };
    expect(await statusOf('password')).toBe(200);
    expect(await statusOf(adminPassword)).toBe(401);
    await server.stop();
  });

  it('limits guesses of a password, even with forged addresses (E0040R)', async () => {
    const server = await TestServer.start();
    const guess = new Client(server.url, { authorization: `Basic ${base64('admin:guess')}` });
    const guessAs = (n: number) =>
      guess.get('/tenantapi/tenants', n % 2 === 0 ? {} : { 'x-forwarded-for': `10.0.0.${n}` });
    for (let n = 0; n < 50; n += 1) expect((await guessAs(n)).status).toBe(401);
    for (const n of [50, 51]) {
      const answer = await guessAs(n);
      expect(answer).toMatchObject({ status: 429, body: { errorCode: 'E0040R' } });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    server.clock.advance(5 * 60 * 1000);
    expect((await adminClient(server.url).get('/tenantapi/tenants')).status).toBe(200);
    await server.stop();
  });

  it('asks each of two servers in one process for its own password, also after the other stopped', async () => {
    const first = await TestServer.start();
    const adminPassword = await hashPassword('another password');
    const second = await TestServer.start({ options: { adminPassword } });
    const statusAt = async ({ url }: TestServer, pair: string) => {
      const headers = { authorization: `Basic ${base64(pair)}` };
      return (await new Client(url).get('/tenantapi/tenants', headers)).status;
    };
    const other = `${ADMIN.user}:another password`;
    expect(await Promise.all([statusAt(first, RIGHT), statusAt(first, other)])).toEqual([200, 401]);
    expect(await Promise.all([statusAt(second, RIGHT), statusAt(second, other)])).toEqual([
      401, 200,
    ]);
    await second.stop();
    expect(await statusAt(first, RIGHT)).toBe(200);
    await first.stop();
  });

  it('accepts every caller with --auth off, except pages of another site (E0043R)', async () => {
    const server = await TestServer.start({ options: { auth: false } });
    const client = new Client(server.url);
    expect((await client.get('/tenantapi/tenants')).status).toBe(200);
    expect((await client.post('/tenantapi/tenants', { tenant: 'made' })).status).toBe(201);
    const evil = { 'sec-fetch-site': 'cross-site' };
    const forged = await client.post('/tenantapi/tenants', { tenant: 'forged' }, evil);
    expect(forged).toMatchObject({ status: 403, body: { errorCode: 'E0043R' } });
    await server.stop();
  });

  /** The request of a page whose name was made to resolve to this server: `fetch` would send the real host. */
  function statusFor(url: string, host: string, more: string[] = []): Promise<number | undefined> {
    const headers = ['Host', host, 'Sec-Fetch-Site', 'same-origin', ...more];
    return new Promise((resolve, reject) => {
      request(`${url}/tenantapi/tenants`, { headers })
        .once('response', (response) => resolve(response.resume().statusCode))
        .once('error', reject)
        .end();
    });
  }

  it.each([
    'evil.example:8080',
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
  ])(
    'refuses a caller under the host name %s with --auth off, as in DNS rebinding (E0043R)',
    async (host) => {
      const server = await TestServer.start({ options: { auth: false } });
      expect(await statusFor(server.url, host)).toBe(403);
      expect(await statusFor(server.url, host, ['X-Forwarded-Host', 'localhost'])).toBe(403);
      await server.stop();
    },
  );

  it('serves loopback names with --auth off, and all names with --auth-off-anywhere', async () => {
    const server = await TestServer.start({ options: { auth: false, trustProxy: 1 } });
    for (const host of ['localhost', 'LOCALHOST:1', '127.0.0.1:8080', '127.0.0.2', '[::1]:8080']) {
      expect([host, await statusFor(server.url, host)]).toEqual([host, 200]);
    }
    const forwarded = ['X-Forwarded-Host', 'localhost'];
    expect(await statusFor(server.url, 'evil.example', forwarded)).toBe(403);
    await server.stop();
    const options = { auth: false, authOffAnywhere: true };
    const anywhere = await TestServer.start({ options });
    expect(await statusFor(anywhere.url, 'fido.example')).toBe(200);
    await anywhere.stop();
  });
});
