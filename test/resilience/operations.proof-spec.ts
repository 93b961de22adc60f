import { createLocalJWKSet, jwtVerify } from 'jose';
import { SigningKeys } from '../../src/fido/tokens/signing-keys.js';
import { Draining } from '../../src/health/draining.js';
import { holdAtBarrier } from '../support/barrier.js';
import { Client } from '../support/client.js';
import { EVERY_DATABASE } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { keySetOf } from '../support/key-set.js';
import { createServerDatabase } from '../support/server-database.js';
import { ServerProcess } from '../support/server-process.js';
import { TestServer } from '../support/test-server.js';

describe.each(EVERY_DATABASE)('operational endpoints on %s', (on) => {
  let server: TestServer;
  let client: Client;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    client = new Client(server.url);
  });
  afterAll(() => server.stop());

  it('GET /fidoapi/test reports that the API works and its configuration', async () => {
    const { status, body } = await client.get('/fidoapi/test');
    expect(status).toBe(200);
    expect(body).toEqual({
      status: 'ok',
      errorMessage: '',
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      features: {
        verify: false,
        attestation: true,
        aaguid: false,
        jwt: true,
        registration: 'open',
        session: 60,
        mds: false,
      },
    });
  });

  it('GET /fidoapi/testdb reports the database in use', async () => {
    const { status, body } = await client.get('/fidoapi/testdb');
    const database = on === 'SQLite' ? 'sqlite' : 'mysql';
    expect(status).toBe(200);
    const latencyMs: unknown = expect.any(Number);
    expect(body).toEqual({ status: 'ok', errorMessage: '', database, latencyMs });
  });

  it('GET /health/live and /health/ready report the state', async () => {
    expect(await client.get('/health/live')).toMatchObject({ status: 200, body: { status: 'ok' } });
    const ready = await client.get('/health/ready');
    expect(ready.status).toBe(200);
    const details = Object.fromEntries(
      ['database', 'sessions', 'process'].map((name) => [name, { status: 'up' }]),
    );
    expect(ready.body).toEqual({ status: 'ok', info: details, error: {}, details });
  });

  it('GET /metrics returns the Prometheus format', async () => {
    const { status, text, headers } = await client.get('/metrics');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(text).toMatch(/^# TYPE process_cpu_seconds_total counter$/m);
  });

  it('GET /metrics counts answers by call and code, and reports the load of the stores', async () => {
    const user = new FidoClient(server.url);
    await user.register('measured');
    const begun = await user.beginAuthentication('measured');
    const replayed = user.assert(begun);
    await user.completeAuthentication(replayed);
    await user.completeAuthentication(replayed);
    const { text } = await client.get('/metrics');
    for (const line of [
      /^servicefido_answers_total\{call="registration-complete",status="200",code=""\} [1-9]/m,
      /^servicefido_answers_total\{call="authentication-complete",status="408",code="E0024R"\} [1-9]/m,
      /^servicefido_call_seconds_bucket\{le="0\.25",call="authentication-begin"\} \d/m,
      // However slow the machine is.
      /^servicefido_call_seconds_bucket\{le="\+Inf",call="authentication-begin"\} [1-9]/m,
      /^servicefido_database_connections\{pool="reading",state="busy"\} \d/m,
      /^servicefido_commits_queued \d/m,
      /^nodejs_eventloop_lag_p99_seconds /m,
    ]) {
      expect(text).toMatch(line);
    }
  });

  it('GET /metrics has no labels for unknown paths that strangers request', async () => {
    for (let n = 0; n < 20; n += 1) await client.get(`/fidoapi/x${n}`);
    const { text } = await client.get('/metrics');
    expect(text).not.toContain('x19');
  });

  it.each([
    '/fidoapi/test',
    '/fidoapi/testdb',
    '/health/ready',
    '/metrics',
    '/status',
    '/getversion',
  ])('GET %s reveals no secret', async (path) => {
    const { status, text } = await client.get(path);
    expect(status).toBe(200);
    for (const secret of [server.database.url, '/tmp/', 'root@', 'password', 'mysql://']) {
      expect(text).not.toContain(secret);
    }
  });

  it.each([
    ['/fidoapi/test', 200],
    ['/fidoapi/nothing', 404],
    ['/health/live', 200],
    ['/userapi', 401],
    ['/tenantapi/tenants', 401],
  ])('GET %s forbids caching, sniffing and framing', async (path, status) => {
    const answer = await client.get(path);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-request-id')).toMatch(/./);
    expect(answer.headers.get('x-powered-by')).toBeNull();
    expect(answer.headers.get('etag')).toBeNull();
  });

  it.each(['/status', '/getversion', '/demo', '/docs'])(
    'GET %s has a strict content security policy',
    async (path) => {
      const { status, headers } = await client.get(path, { accept: 'text/html' });
      expect(status).toBe(200);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|\*/);
      expect(headers.get('referrer-policy')).toBe('same-origin');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-powered-by')).toBeNull();
      expect(headers.get('strict-transport-security')).toBeNull();
    },
  );

  it.each([
    '/nothing',
    '/fidoapi',
    '/fidoapi/',
    '/fidoapi/nothing',
    '/api/fidoapi/test',
    '/health',
    '/health/nothing',
    '/.well-known/nothing',
    '/static/nothing.js',
    '/static/../package.json',
    '/sdk/..%2f..%2fpackage.json',
    '/.env',
    '/%E0%A4%A',
  ])('refuses the unknown path %s without details (E0047R)', async (path) => {
    const answer = await client.get(path);
    expect(answer).toMatchObject({ status: 404, body: { status: 'failed', errorCode: 'E0047R' } });
    expect(answer.text).not.toMatch(/node_modules|Error:|at /);
  });

  it.each([
    ['POST', '/fidoapi/test', 'GET, HEAD'],
    ['GET', '/fidoapi/register/begin', 'POST'],
    ['DELETE', '/health/live', 'GET, HEAD'],
  ])('refuses the method %s for %s (E0047R, 405)', async (method, path, allow) => {
    const answer = await client.send(path, { method });
    expect(answer).toMatchObject({ status: 405, body: { errorCode: 'E0047R' } });
    const allowed = answer.headers.get('allow') ?? '';
    expect(allow.split(', ')).toEqual(expect.arrayContaining(allowed.split(', ')));
  });
});

describe('a server of its own for each test', () => {
  it('GET /health/ready answers 503 without the session store or while the process ends (E0052R)', async () => {
    const server = await TestServer.start();
    const client = new Client(server.url);
    server.get(Draining).begin();
    const leaving = await client.get('/health/ready');
    expect(leaving).toMatchObject({
      status: 503,
      body: { status: 'failed', errorCode: 'E0052R' },
    });
    expect(leaving.body['details']).toEqual({
      database: { status: 'up' },
      sessions: { status: 'up' },
      process: { status: 'down' },
    });
    expect(leaving.headers.get('retry-after')).toBe('1');
    expect((await client.get('/health/live')).status).toBe(200);
    await server.stop();

    const away = await TestServer.start({ options: { sessions: 'redis://127.0.0.1:1' } });
    const alone = new Client(away.url);
    expect(await alone.get('/health/ready')).toMatchObject({
      status: 503,
      body: { details: { database: { status: 'up' }, sessions: { status: 'down' } } },
    });
    expect((await alone.get('/health/live')).status).toBe(200);
    await away.stop();
  });

  it('the log names every reason for which GET /health/ready answers 503', async () => {
    const server = await TestServer.start({ options: { sessions: 'redis://127.0.0.1:1' } });
    server.get(Draining).begin();
    const { body } = await new Client(server.url).get('/health/ready');
    await server.stop();
    const lines = server.logged.filter(({ requestId }) => requestId === body['requestId']);
    const messages = lines.map(({ msg }) => msg);
    expect(messages).toEqual([
      expect.not.stringMatching('The service is not available'),
      'This process is about to end.',
      'request',
    ]);
    expect(lines.at(-1)?.['detail']).toMatch(
      /^sessions: .+; process: This process is about to end\.$/,
    );
  });

  it('a rotated signing key verifies its tokens until they expire, and new tokens use the new key', async () => {
    const server = await TestServer.start();
    const client = new FidoClient(server.url);
    const sign = async () => String((await client.signIn('rotated')).body['token']);
    const verify = async (token: string) => {
      const currentDate = new Date(server.clock.now());
      const keys = createLocalJWKSet(await keySetOf(client));
      return jwtVerify(token, keys, { currentDate });
    };
    await client.register('rotated');
    const old = await sign();
    const { protectedHeader: before } = await verify(old);

    await server.get(SigningKeys).rotate(server.call);
    expect((await verify(await sign())).protectedHeader.kid).toBe(before.kid);
    server.clock.advance(61_000);
    const { protectedHeader: after } = await verify(await sign());
    expect(after.kid).not.toBe(before.kid);
    expect((await verify(old)).protectedHeader.kid).toBe(before.kid);
    await server.stop();
  });

  it('a refused sign-in gets no token', async () => {
    const server = await TestServer.start();
    const client = new FidoClient(server.url);
    await client.register('refused');
    const flip = (bytes: Buffer) =>
      Buffer.from(bytes.map((byte, n) => (n === bytes.length - 1 ? byte ^ 1 : byte)));
    const begun = await client.beginAuthentication('refused');
    expect(begun.text).not.toContain('token');
    for (const tweaks of [
      { signCount: 0 },
      { flags: () => 0 },
      { rpIdHash: Buffer.alloc(32) },
      { signature: flip },
    ]) {
      const { status, body } = await client.signIn('refused', tweaks);
      expect(status).toBe(401);
      expect(body).not.toHaveProperty('token');
    }
    await server.stop();
  });
});

describe.each(EVERY_DATABASE)('SIGTERM under load on %s', (on) => {
  it('a server answers every accepted request after SIGTERM, then exits with 0', async () => {
    const database = await createServerDatabase(on);
    const server = new ServerProcess(['--db', database.url, '--log-level', 'warn']);
    try {
      await server.start();
      const shots = await Promise.all(
        Array.from({ length: 60 }, async (_, n) => {
          const client = new FidoClient(server.url);
          const body = client.create(await client.beginRegistration(`in-flight-${n}`));
          const headers = { ...client.headers, cookie: `${client.cookie}` };
          return { url: server.url + client.paths.completeRegistration, body, headers };
        }),
      );
      const fire = await holdAtBarrier(shots);
      const ending = server.end('SIGTERM');
      await eventually(async () => {
        // A second after the signal, the server takes no new connection.
        const status = await fetch(`${server.url}/health/ready`).then(
          (answer) => answer.status,
          () => 503,
        );
        expect(status).toBe(503);
      });
      const [code, answers] = await Promise.all([ending, fire()]);
      const statuses = answers.map(({ status }) => status);
      expect(statuses).toEqual(Array(60).fill(200));
      expect(code).toBe(0);
      expect(server.stderr).toBe('');
      await expect(fetch(`${server.url}/health/ready`)).rejects.toThrow();

      await server.start();
      expect((await new FidoClient(server.url).get('/health/ready')).status).toBe(200);
    } finally {
      await server.remove();
      await database.remove();
    }
  });
});
