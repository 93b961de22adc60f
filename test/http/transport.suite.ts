import { connect } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { Client, adminClient } from '../support/client.js';
import { FidoClient, PATHS } from '../support/fido-client.js';
import { abandon, postHead, sendRaw, statusOf } from '../support/raw-http.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { TestServer } from '../support/test-server.js';

const BEGIN = PATHS.certify.beginRegistration;
const BODY = { username: 'alice', displayName: 'alice' };
const JSON_BODY = JSON.stringify(BODY);
const LIMIT = 64 * 1024;

describe('the transport of a request', () => {
  let server: TestServer;
  let client: FidoClient;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    client = new FidoClient(server.url);
  });

  /** A valid body, filled with blanks to this size. */
  const padded = (bytes: number) => JSON_BODY.padEnd(bytes, ' ');

  describe('request bodies', () => {
    it('accepts a body of 64 KiB and refuses one byte more (E0041R)', async () => {
      expect(await client.post(BEGIN, padded(LIMIT))).toMatchObject({ status: 200 });
      expectRefusal(await client.post(BEGIN, padded(LIMIT + 1)), 'E0041R');
    });

    it('refuses a chunked body of more than 64 KiB with 413', async () => {
      const head = postHead(BEGIN, 'Content-Type: application/json', 'Transfer-Encoding: chunked');
      const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
      expect(statusOf(await sendRaw(server.url, head, chunk, chunk, '0\r\n\r\n'))).toBe(413);
    });

    it('refuses a body with a member of 1 MB (E0041R)', async () => {
      const begun = await client.beginRegistration('bob');
      const body = { ...client.create(begun), id: 'A'.repeat(1_000_000) };
      expectRefusal(await client.completeRegistration(body), 'E0041R');
    });

    it.each([
      'application/json',
      'application/json; charset=utf-8',
      'application/json;charset=UTF-8',
      'Application/JSON',
      'application/json; charset=utf8',
      'application/json; charset=utf-16',
      'application/json; charset=bogus',
      'application/json; CHARSET="iso-8859-1"',
    ])('reads a body of type %s', async (type) => {
      const answer = await client.post(BEGIN, BODY, { 'content-type': type });
      expect(answer.status).toBe(200);
    });

    it.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/cbor',
      'application/jsonp',
    ])('refuses a body of type %s (E0048R)', async (type) => {
      const answer = await client.post(BEGIN, JSON_BODY, { 'content-type': type });
      expectRefusal(answer, 'E0048R');
      expect(answer.headers.get('accept')).toBe('application/json');
      expect(answer.body.errorMessage).toContain('application/json');
    });

    it('refuses a body without a type (E0048R)', async () => {
      const answer = await client.send(BEGIN, {
        method: 'POST',
        body: new TextEncoder().encode(JSON_BODY),
      });
      expectRefusal(answer, 'E0048R');
    });

    it.each([
      ['a body compressed with gzip', 'gzip', gzipSync(JSON_BODY)],
      ['10 MB of zeros compressed with gzip', 'gzip', gzipSync(Buffer.alloc(10_000_000))],
      ['a body compressed with br', 'br', brotliCompressSync(JSON_BODY)],
      ['garbage as deflate', 'deflate', Buffer.from('garbage')],
      ['a body of the unknown encoding xyz', 'xyz', Buffer.from(JSON_BODY)],
    ])('refuses %s (E0048R)', async (_, encoding, bytes) => {
      const answer = await client.post(BEGIN, bytes, { 'content-encoding': encoding });
      expectRefusal(answer, 'E0048R');
      expect(answer.body['reason']).toBe('request.compressed');
      expect(answer.headers.get('accept-encoding')).toBe('identity');
    });

    it('reads a body whose coding is Identity', async () => {
      const answer = await client.post(BEGIN, JSON_BODY, { 'content-encoding': 'Identity' });
      expect(answer.status).toBe(200);
    });

    it('refuses a body in UTF-16, whatever its charset says (E0001R)', async () => {
      const bytes = Buffer.from(`\ufeff${JSON_BODY}`, 'utf16le');
      const type = { 'content-type': 'application/json; charset=utf-16' };
      expectRefusal(await client.post(BEGIN, bytes, type), 'E0001R');
    });

    it('the refusal of a form of another type says what to send (E0048R)', async () => {
      const admin = adminClient(server.url);
      const type = { 'content-type': 'text/csv' };
      const form = await admin.post('/userapi/audit/verify', 'x', type);
      expectRefusal(form, 'E0048R');
      expect(form.headers.get('accept')).toBe('application/x-www-form-urlencoded');
      for (const path of ['/userapi/upload', '/userapi/deletelistusers', '/userapi/import']) {
        const list = await admin.post(path, 'username\nanna\n', type);
        expectRefusal(list, 'E0048R');
        expect(list.headers.get('accept')).toContain('multipart/form-data');
      }
    });

    it('answers uncompressed JSON, whatever the request accepts', async () => {
      const headers = { accept: 'text/html', 'accept-encoding': 'gzip', range: 'bytes=0-1' };
      for (const body of [BODY, {}]) {
        const answer = await client.post(BEGIN, body, headers);
        expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
        expect(answer.headers.get('content-encoding')).toBeNull();
      }
    });
  });

  describe('paths and methods', () => {
    it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'])(
      'refuses the method %s on the four calls with 405',
      async (method) => {
        for (const path of Object.values(PATHS.certify)) {
          const answer = await client.send(path, { method });
          expect(answer.status).toBe(405);
          expect(answer.headers.get('allow')).toBe('POST');
        }
      },
    );

    it('the answer to TRACE does not repeat the request', async () => {
      const head = `TRACE ${BEGIN} HTTP/1.1\r\nHost: localhost\r\nCookie: secret\r\nConnection: close\r\n\r\n`;
      const answer = await sendRaw(server.url, head);
      expect(statusOf(answer)).toBe(405);
      expect(answer).not.toContain('secret');
    });

    it.each([
      '/fidoapi',
      '/fidoapi/',
      '/fidoapi/certify',
      '/fidoapi/register/begin/x',
      '/fidoapi/register%2Fbegin',
      '/fidoapi/register/begin%00',
      '/fidoapi/register/begin;a=b',
      '/fidoapi/certify/attestation/Option',
      '/fidoapi/toString',
    ])('refuses the unknown path %s (E0047R)', async (path) => {
      expectRefusal(await client.post(path, BODY), 'E0047R');
    });

    it('a Host header with another host in its port causes no redirect', async () => {
      const answer = await sendRaw(
        server.url,
        'GET /demo HTTP/1.1\r\nHost: 127.0.0.1:80@other.example\r\nConnection: close\r\n\r\n',
      );
      expect(statusOf(answer)).toBe(200);
      expect(answer).not.toMatch(/^location:/im);
    });

    it('refuses a path parameter that is not UTF-8 (E0047R)', async () => {
      const admin = adminClient(server.url);
      for (const path of [
        '/tenantapi/tenants/%E0%A4%A',
        '/userapi/invoices/%zz',
        '/userapi/receipts/%',
      ]) {
        expectRefusal(await admin.get(path), 'E0047R');
      }
    });

    it.each([
      ['a malformed escape', '/fidoapi/%zz'],
      ['an overlong escape', '/fidoapi/register/%c0%ae'],
      ['14,000 characters', `/fidoapi/${'a-'.repeat(7000)}`],
    ])('refuses a path with %s by 400 or 404, in the documented form', async (_, path) => {
      const answer = await client.post(path, BODY);
      expect([400, 404]).toContain(answer.status);
      expect(answer.body).toMatchObject({ status: 'failed', errorCode: expect.any(String) });
    });

    it('ignores the query of a begin call', async () => {
      const answer = await client.post(`${BEGIN}?username=victim&x[]=1`, BODY);
      expect(answer).toMatchObject({ status: 200, body: { user: { name: 'alice' } } });
    });
  });

  const json = 'Content-Type: application/json';
  const rp = 'X-ServiceFido-RelyingParty: localhost';

  describe('raw HTTP', () => {
    const length = `Content-Length: ${JSON_BODY.length}`;

    it.each([
      ['a length and the transfer encoding chunked', [json, length, 'Transfer-Encoding: chunked']],
      ['the transfer encoding xchunked', [json, 'Transfer-Encoding: xchunked']],
      [
        'the transfer encodings chunked and identity',
        [json, 'Transfer-Encoding: chunked, identity'],
      ],
      ['two lengths', [json, length, 'Content-Length: 1']],
      ['a folded header', [json, length, 'X-Note: a\r\n b']],
      ['a NUL in a header', [json, length, 'X-ServiceFido-RelyingParty: a\0b']],
    ])('answers 400 to a request with %s', async (_, lines) => {
      expect(statusOf(await sendRaw(server.url, postHead(BEGIN, ...lines), JSON_BODY))).toBe(400);
    });

    it('answers 431 to headers of more than 16 KB', async () => {
      const head = postHead(BEGIN, json, length, `X-Note: ${'x'.repeat(17_000)}`);
      expect(statusOf(await sendRaw(server.url, head, JSON_BODY))).toBe(431);
    });

    it('answers 431 to more than 100 headers, in the documented form', async () => {
      const many = (count: number) => Array.from({ length: count }, (_, n) => `x${n}:y`);
      const answers = [90, 101, 1500].map((count) =>
        sendRaw(server.url, postHead(BEGIN, json, length, rp, ...many(count)), JSON_BODY),
      );
      const [few = '', over = '', far = ''] = await Promise.all(answers);
      expect([few, over, far].map(statusOf)).toEqual([200, 431, 431]);
      expect(over).toContain('"errorCode":"E0001R"');
    });

    it('answers each of five pipelined requests', async () => {
      const one = (n: number) =>
        postHead(BEGIN, json, rp, `Content-Length: ${JSON_BODY.length}`, `X-N: ${n}`) + JSON_BODY;
      const keep = (text: string) => text.replace('Connection: close', 'Connection: keep-alive');
      const answer = await sendRaw(server.url, ...[1, 2, 3, 4].map((n) => keep(one(n))), one(5));
      expect(answer.match(/HTTP\/1\.1 200 /g)).toHaveLength(5);
    });

    it.each([
      ['a bare LF between headers', `Content-Type: application/json\nX-A: b\r\n`],
      ['a blank before the colon of a header', `Transfer-Encoding : chunked\r\n`],
      [
        'the transfer encoding chunked twice',
        `Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n`,
      ],
      ['the transfer encoding identity', `Transfer-Encoding: identity\r\n`],
      ['a plus before the length', `Content-Length: +${JSON_BODY.length}\r\n`],
      ['no HTTP version', `\r\n`],
    ])(
      'refuses a request with %s, and reads nothing after it as a request',
      async (name, lines) => {
        const smuggled =
          'GET /fidoapi/test HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
        const version = name === 'no HTTP version' ? '' : ' HTTP/1.1';
        const head = `POST ${BEGIN}${version}\r\nHost: localhost\r\n${lines}\r\n`;
        const answer = await sendRaw(server.url, head + JSON_BODY + smuggled);
        expect([400, 411, 415]).toContain(statusOf(answer));
        expect(answer).not.toContain('"features"');
      },
    );

    it('ignores a chunk extension and a trailer', async () => {
      const head = postHead(BEGIN, json, rp, 'Transfer-Encoding: chunked');
      const size = JSON_BODY.length.toString(16);
      const body = `${size};a=b\r\n${JSON_BODY}\r\n0\r\nX-ServiceFido-RelyingParty: evil.example\r\n\r\n`;
      const answer = await sendRaw(server.url, head, body);
      expect(statusOf(answer)).toBe(200);
      expect(answer).toContain('"id":"localhost"');
    });

    it('serves others after abandoned requests with Expect: 100-continue or Upgrade', async () => {
      const sockets = ['Expect: 100-continue', 'Upgrade: h2c\r\nConnection: Upgrade'].map((line) =>
        abandon(server.url, postHead(BEGIN, json, length, line)),
      );
      await Promise.all(sockets);
      const expecting = postHead(BEGIN, json, length, rp, 'Expect: something-else');
      expect(statusOf(await sendRaw(server.url, expecting))).toBe(417);
      expect(await client.register('after-upgrade')).toMatchObject({ status: 200 });
    });

    it('refuses a repeated relying-party header (E0026R)', async () => {
      const answer = await sendRaw(server.url, postHead(BEGIN, json, length, rp, rp), JSON_BODY);
      expect(statusOf(answer)).toBe(400);
      expect(answer).toContain('"errorCode":"E0026R"');
    });

    it('uses the first of two Content-Type headers', async () => {
      const head = postHead(BEGIN, 'Content-Type: text/plain', json, length, rp);
      expect(statusOf(await sendRaw(server.url, head, JSON_BODY))).toBe(415);
    });

    it('ignores a foreign Host header if a header names the relying party', async () => {
      const head = postHead(BEGIN, json, length, rp).replace(
        'Host: localhost',
        'Host: evil.example',
      );
      const answer = await sendRaw(server.url, head, JSON_BODY);
      expect(statusOf(answer)).toBe(200);
      expect(answer).not.toContain('evil');
    });

    it('treats an absolute request target like its path (RFC 9112 §3.2.2)', async () => {
      const at = (path: string) => `http://localhost${path}`;
      const origin = `Origin: ${server.url}`;
      const begun = await sendRaw(
        server.url,
        postHead(at(BEGIN), json, length, rp, origin),
        JSON_BODY,
      );
      expect(statusOf(begun)).toBe(200);
      expect(begun).toMatch(/^set-cookie: servicefido=/im);
      expect(begun).toContain(`Access-Control-Allow-Origin: ${server.url}`);
      for (const path of ['/userapi', '/users', '/tenantapi/tenants', '/', '/fidoapi/test', '']) {
        const get = (target: string) =>
          sendRaw(
            server.url,
            `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
          );
        const told = (answer: string) =>
          (answer.split('\r\n\r\n', 1)[0] ?? '').replace(/^(?:X-Request-Id|Date): .*\r\n/gim, '');
        const plain = path === '' ? '/' : path;
        expect(told(await get(at(path)))).toBe(told(await get(plain)));
      }
    });

    it.each(['ftp://localhost/fidoapi/test', 'HTTPX://localhost/fidoapi/test', '*'])(
      'answers 404 to the request target %s (E0047R)',
      async (target) => {
        const head = `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
        const answer = await sendRaw(server.url, head);
        expect(statusOf(answer)).toBe(404);
        expect(answer).toContain('E0047R');
      },
    );

    it.each([
      ['two equal Host headers', 'Host: localhost\r\nHost: localhost'],
      ['two different Host headers', 'Host: localhost\r\nhOST: evil.example'],
      ['a second, empty Host header', 'Host: localhost\r\nHost:'],
    ])('answers 400 to a request with %s (E0001R)', async (_, hosts) => {
      const head = postHead(BEGIN, json, length, rp).replace('Host: localhost', hosts);
      const answer = await sendRaw(server.url, head, JSON_BODY);
      expect(statusOf(answer)).toBe(400);
      expect(answer).toContain('"errorCode":"E0001R"');
    });

    it.each(['GET /fidoapi/test\r\n\r\n', 'GET /fidoapi/test HTTP/0.9\r\nHost: localhost\r\n\r\n'])(
      'answers 400 to the HTTP/0.9 request %j',
      async (text) => {
        expect(statusOf(await sendRaw(server.url, text))).toBe(400);
      },
    );

    it('serves others after 50 bodies that end early', async () => {
      const head = postHead(BEGIN, json, 'Content-Length: 1000000', rp);
      await Promise.all(Array.from({ length: 50 }, () => abandon(server.url, `${head}{"user`)));
      expect(await client.register('canary')).toMatchObject({ status: 200 });
    });
  });

  describe('slow and many clients', () => {
    /** Opens a connection and sends bytes; resolves with the answer when the connection is closed. */
    const hold = (url: string, text: string) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.on('error', () => undefined).resume();
      socket.write(text);
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      return { socket, closed };
    };

    it('a client is cut off if its headers take more than 10 s', async () => {
      const http = server.http;
      expect(http).toMatchObject({ headersTimeout: 10_000, requestTimeout: 30_000 });
      http.headersTimeout = 500;
      const slow = hold(server.url, `POST ${BEGIN} HTTP/1.1\r\nHost: loc`);
      await slow.closed;
      http.headersTimeout = 10_000;
      expect((await client.register('meanwhile')).status).toBe(200);
    });

    it('a sign-in whose client leaves before the answer is recorded once or not at all', async () => {
      await client.register('impatient');
      const counters: number[] = [];
      for (let n = 0; n < 30; n += 1) {
        const body = JSON.stringify(client.assert(await client.beginAuthentication('impatient')));
        const lines = [json, rp, `Cookie: ${client.cookie}`, `Content-Length: ${body.length}`];
        await abandon(server.url, postHead(PATHS.certify.completeAuthentication, ...lines) + body);
        const again = await client.completeAuthentication(JSON.parse(body));
        expect([200, 408]).toContain(again.status);
        if (again.status === 200) counters.push(Number(again.body['signCount']));
      }
      expect(counters).toEqual([...new Set(counters)].sort((a, b) => a - b));
      expect((await client.signIn('impatient')).status).toBe(200);
    });
  });

  describe('rate limits', () => {
    it('the rate limit of a user name does not stop other users (E0040R)', async () => {
      const limited = await TestServer.start({ options: { rateUser: 3 } });
      const user = new FidoClient(limited.url);
      for (let n = 0; n < 3; n += 1) {
        expect(await user.beginRegistration('alice')).toMatchObject({ status: 200 });
      }
      const answer = await user.beginRegistration('alice');
      expectRefusal(answer, 'E0040R');
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expectRefusal(await user.beginAuthentication('alice'), 'E0040R');
      expect(await user.register('bob')).toMatchObject({ status: 200 });
      await limited.stop();
    });

    it('the rate limit counts all spellings of a user name together (E0040R)', async () => {
      const limited = await TestServer.start({ options: { rateUser: 1 } });
      const user = new FidoClient(limited.url);
      expect(await user.beginRegistration('Zo\u00eb')).toMatchObject({ status: 200 });
      expectRefusal(await user.beginRegistration('Zoe\u0308'), 'E0040R');
      await limited.stop();
    });

    it('the rate limit of an address counts refused calls too (E0040R)', async () => {
      const limited = await TestServer.start({ options: { rateAddress: 3, trustProxy: 1 } });
      const from = (address: string) =>
        new Client(limited.url, { 'x-forwarded-for': address }).post(BEGIN, { username: 1 });
      for (let n = 0; n < 3; n += 1) expectRefusal(await from('192.0.2.1'), 'E0025R');
      expectRefusal(await from('192.0.2.1'), 'E0040R');
      expect((await from('192.0.2.2')).body.errorCode).not.toBe('E0040R');
      await limited.stop();
    });
  });
});
