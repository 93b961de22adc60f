import type { Server } from 'node:http';
import { connect } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { HttpAdapterHost } from '@nestjs/core';
import { Client, adminClient } from '../support/client.js';
import { FidoClient, PATHS } from '../support/fido-client.js';
import { abandon, postHead, sendRaw, statusOf } from '../support/raw-http.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { TestServer } from '../support/test-server.js';

const BEGIN = PATHS.certify.beginRegistration;
const BODY = { username: 'alice', displayName: 'alice' };
const JSON_BODY = JSON.stringify(BODY);
const LIMIT = 64 * 1024;

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
  it('may have exactly 64 KiB; one byte more is E0041R (J09)', async () => {
    expect(await client.post(BEGIN, padded(LIMIT))).toMatchObject({ status: 200 });
    expectRefusal(await client.post(BEGIN, padded(LIMIT + 1)), 'E0041R');
  });

  it('without a length are counted as they arrive (J54)', async () => {
    const head = postHead(BEGIN, 'Content-Type: application/json', 'Transfer-Encoding: chunked');
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    expect(statusOf(await sendRaw(server.url, head, chunk, chunk, '0\r\n\r\n'))).toBe(413);
  });

  it('with a member of 1 MB are too large (B11)', async () => {
    const begun = await client.beginRegistration('bob');
    const body = { ...client.create(begun), id: 'A'.repeat(1_000_000) };
    expectRefusal(await client.completeRegistration(body), 'E0041R');
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON',
  ])('of type %s are read', async (type) => {
    const answer = await client.post(BEGIN, BODY, { 'content-type': type });
    expect(answer.status).toBe(200);
  });

  it.each([
    ['J04', 'text/plain'],
    ['J05', 'application/x-www-form-urlencoded'],
    ['J05', 'multipart/form-data; boundary=x'],
    ['J06', 'application/json; charset=utf-16'],
    ['J06', 'application/json; charset=bogus'],
    ['J06', 'application/json; charset=iso-8859-1'],
    ['J06', 'application/cbor'],
  ])('%s of type %s are E0048R', async (_, type) => {
    expectRefusal(await client.post(BEGIN, JSON_BODY, { 'content-type': type }), 'E0048R');
  });

  it('without a type are E0048R (J06)', async () => {
    const answer = await client.send(BEGIN, {
      method: 'POST',
      body: new TextEncoder().encode(JSON_BODY),
    });
    expectRefusal(answer, 'E0048R');
  });

  it.each([
    ['J07', 'gzip', gzipSync(JSON_BODY)],
    ['J07', 'gzip', gzipSync(Buffer.alloc(10_000_000))],
    ['J08', 'br', brotliCompressSync(JSON_BODY)],
    ['J08', 'deflate', Buffer.from('garbage')],
    ['J08', 'xyz', Buffer.from(JSON_BODY)],
  ])('%s compressed with %s are E0048R', async (_, encoding, bytes) => {
    expectRefusal(await client.post(BEGIN, bytes, { 'content-encoding': encoding }), 'E0048R');
  });

  it('get JSON, uncompressed, for any Accept header (HT11, HT14)', async () => {
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
    '%s is 405 (J51)',
    async (method) => {
      for (const path of Object.values(PATHS.certify)) {
        const answer = await client.send(path, { method });
        expect(answer.status).toBe(405);
        expect(answer.headers.get('allow')).toBe('POST');
      }
    },
  );

  it('TRACE does not repeat the request (J51)', async () => {
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
  ])('%s is E0047R (J52)', async (path) => {
    expectRefusal(await client.post(path, BODY), 'E0047R');
  });

  it('a host that hides another one in its port is sent to no other', async () => {
    const answer = await sendRaw(
      server.url,
      'GET /demo HTTP/1.1\r\nHost: 127.0.0.1:80@other.example\r\nConnection: close\r\n\r\n',
    );
    expect(statusOf(answer)).toBe(200);
    expect(answer).not.toMatch(/^location:/im);
  });

  it('a parameter of the path that is not UTF-8 is E0047R', async () => {
    const admin = adminClient(server.url);
    for (const path of [
      '/tenantapi/tenants/%E0%A4%A',
      '/userapi/invoices/%zz',
      '/userapi/receipts/%',
    ]) {
      expectRefusal(await admin.get(path), 'E0047R');
    }
  });

  it.each(['/fidoapi/%zz', '/fidoapi/register/%c0%ae', `/fidoapi/${'a-'.repeat(7000)}`])(
    'a malformed or long path is a 4xx in the documented form (HT08)',
    async (path) => {
      const answer = await client.post(path, BODY);
      expect([400, 404]).toContain(answer.status);
      expect(answer.body).toMatchObject({ status: 'failed', errorCode: expect.any(String) });
    },
  );

  it('a query is ignored (J55)', async () => {
    const answer = await client.post(`${BEGIN}?username=victim&x[]=1`, BODY);
    expect(answer).toMatchObject({ status: 200, body: { user: { name: 'alice' } } });
  });
});

const json = 'Content-Type: application/json';
const rp = 'X-ServiceFido-RelyingParty: localhost';

describe('raw HTTP', () => {
  const length = `Content-Length: ${JSON_BODY.length}`;

  it.each([
    ['length and chunked (HT06)', [json, length, 'Transfer-Encoding: chunked']],
    ['xchunked (HT06)', [json, 'Transfer-Encoding: xchunked']],
    ['chunked, identity (HT06)', [json, 'Transfer-Encoding: chunked, identity']],
    ['two lengths (HT06)', [json, length, 'Content-Length: 1']],
    ['a folded header (HT06)', [json, length, 'X-Note: a\r\n b']],
    ['a NUL in a header (RP09)', [json, length, 'X-ServiceFido-RelyingParty: a\0b']],
  ])('%s is 400', async (_, lines) => {
    expect(statusOf(await sendRaw(server.url, postHead(BEGIN, ...lines), JSON_BODY))).toBe(400);
  });

  it('answers 431 to headers of more than 16 KB (HT07)', async () => {
    const head = postHead(BEGIN, json, length, `X-Note: ${'x'.repeat(17_000)}`);
    expect(statusOf(await sendRaw(server.url, head, JSON_BODY))).toBe(431);
  });

  it('answers 431 to more than 100 headers, in the documented form (HT07)', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => `x${n}:y`);
    const answers = [90, 101, 1500].map((count) =>
      sendRaw(server.url, postHead(BEGIN, json, length, rp, ...many(count)), JSON_BODY),
    );
    const [few = '', over = '', far = ''] = await Promise.all(answers);
    expect([few, over, far].map(statusOf)).toEqual([200, 431, 431]);
    expect(over).toContain('"errorCode":"E0001R"');
  });

  it('answers pipelined requests in order (HT05)', async () => {
    const one = (n: number) =>
      postHead(BEGIN, json, rp, `Content-Length: ${JSON_BODY.length}`, `X-N: ${n}`) + JSON_BODY;
    const keep = (text: string) => text.replace('Connection: close', 'Connection: keep-alive');
    const answer = await sendRaw(server.url, ...[1, 2, 3, 4].map((n) => keep(one(n))), one(5));
    expect(answer.match(/HTTP\/1\.1 200 /g)).toHaveLength(5);
  });

  it.each([
    ['a bare LF between headers (HT06)', `Content-Type: application/json\nX-A: b\r\n`],
    ['a blank before the colon (HT06)', `Transfer-Encoding : chunked\r\n`],
    ['chunked twice (HT06)', `Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n`],
    ['identity (HT06)', `Transfer-Encoding: identity\r\n`],
    ['a plus before the length (HT06)', `Content-Length: +${JSON_BODY.length}\r\n`],
    ['no HTTP version (HT10)', `\r\n`],
  ])('%s: is refused, and what follows is not read as a request', async (name, lines) => {
    const smuggled = 'GET /fidoapi/test HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    const version = name.endsWith('(HT10)') ? '' : ' HTTP/1.1';
    const head = `POST ${BEGIN}${version}\r\nHost: localhost\r\n${lines}\r\n`;
    const answer = await sendRaw(server.url, head + JSON_BODY + smuggled);
    expect([400, 411, 415]).toContain(statusOf(answer));
    expect(answer).not.toContain('"features"');
  });

  it('ignores a chunk extension or trailer (HT06)', async () => {
    const head = postHead(BEGIN, json, rp, 'Transfer-Encoding: chunked');
    const size = JSON_BODY.length.toString(16);
    const body = `${size};a=b\r\n${JSON_BODY}\r\n0\r\nX-ServiceFido-RelyingParty: evil.example\r\n\r\n`;
    const answer = await sendRaw(server.url, head, body);
    expect(statusOf(answer)).toBe(200);
    expect(answer).toContain('"id":"localhost"');
  });

  it('survives Expect: 100-continue without a body, and Upgrade (HT09)', async () => {
    const sockets = ['Expect: 100-continue', 'Upgrade: h2c\r\nConnection: Upgrade'].map((line) =>
      abandon(server.url, postHead(BEGIN, json, length, line)),
    );
    await Promise.all(sockets);
    const expecting = postHead(BEGIN, json, length, rp, 'Expect: something-else');
    expect(statusOf(await sendRaw(server.url, expecting))).toBe(417);
    expect(await client.register('after-upgrade')).toMatchObject({ status: 200 });
  });

  it('answers E0026R to a repeated relying-party header (RP02)', async () => {
    const answer = await sendRaw(server.url, postHead(BEGIN, json, length, rp, rp), JSON_BODY);
    expect(statusOf(answer)).toBe(400);
    expect(answer).toContain('"errorCode":"E0026R"');
  });

  it('uses the first of two content types (HT13)', async () => {
    const head = postHead(BEGIN, 'Content-Type: text/plain', json, length, rp);
    expect(statusOf(await sendRaw(server.url, head, JSON_BODY))).toBe(415);
  });

  it('ignores the Host header (RP19)', async () => {
    const head = postHead(BEGIN, json, length, rp).replace('Host: localhost', 'Host: evil.example');
    const answer = await sendRaw(server.url, head, JSON_BODY);
    expect(statusOf(answer)).toBe(200);
    expect(answer).not.toContain('evil');
  });

  it('RFC 9112 §3.2.2: treats an absolute target like its path', async () => {
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
    'E0047R: answers no request for the target %s',
    async (target) => {
      const head = `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
      const answer = await sendRaw(server.url, head);
      expect(statusOf(answer)).toBe(404);
      expect(answer).toContain('E0047R');
    },
  );

  it.each([
    ['two of them', 'Host: localhost\r\nHost: localhost'],
    ['another one', 'Host: localhost\r\nhOST: evil.example'],
    ['an empty one', 'Host: localhost\r\nHost:'],
  ])('E0001R: answers 400 to a Host header and %s', async (_, hosts) => {
    const head = postHead(BEGIN, json, length, rp).replace('Host: localhost', hosts);
    const answer = await sendRaw(server.url, head, JSON_BODY);
    expect(statusOf(answer)).toBe(400);
    expect(answer).toContain('"errorCode":"E0001R"');
  });

  it.each(['GET /fidoapi/test\r\n\r\n', 'GET /fidoapi/test HTTP/0.9\r\nHost: localhost\r\n\r\n'])(
    'answers 400 to HTTP/0.9: %j',
    async (text) => {
      expect(statusOf(await sendRaw(server.url, text))).toBe(400);
    },
  );

  it('is not disturbed by bodies that end early (J10)', async () => {
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

  it('are cut off: headers after 10 s, the request after 30 s (HT01, HT02)', async () => {
    const http = server.get(HttpAdapterHost).httpAdapter.getHttpServer() as Server;
    expect(http).toMatchObject({ headersTimeout: 10_000, requestTimeout: 30_000 });
    const slow = hold(server.url, `POST ${BEGIN} HTTP/1.1\r\nHost: loc`);
    const began = performance.now();
    await slow.closed;
    expect(performance.now() - began).toBeLessThan(20_000);
    expect((await client.register('meanwhile')).status).toBe(200);
  });

  it('that leave before the answer are recorded once or not at all (HT12)', async () => {
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
  it('E0040R: apply per user name, and other users can continue', async () => {
    const limited = await TestServer.start({ options: { rateUser: 3 } });
    const person = new FidoClient(limited.url);
    for (let n = 0; n < 3; n += 1) {
      expect(await person.beginRegistration('alice')).toMatchObject({ status: 200 });
    }
    const answer = await person.beginRegistration('alice');
    expectRefusal(answer, 'E0040R');
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expectRefusal(await person.beginAuthentication('alice'), 'E0040R');
    expect(await person.register('bob')).toMatchObject({ status: 200 });
    await limited.stop();
  });

  it('E0040R: count all spellings of a name together', async () => {
    const limited = await TestServer.start({ options: { rateUser: 1 } });
    const person = new FidoClient(limited.url);
    expect(await person.beginRegistration('Zo\u00eb')).toMatchObject({ status: 200 });
    expectRefusal(await person.beginRegistration('Zoe\u0308'), 'E0040R');
    await limited.stop();
  });

  it('E0040R: apply per address, even to refused calls', async () => {
    const limited = await TestServer.start({ options: { rateAddress: 3, trustProxy: 1 } });
    const from = (address: string) =>
      new Client(limited.url, { 'x-forwarded-for': address }).post(BEGIN, { username: 1 });
    for (let n = 0; n < 3; n += 1) expectRefusal(await from('192.0.2.1'), 'E0025R');
    expectRefusal(await from('192.0.2.1'), 'E0040R');
    expect((await from('192.0.2.2')).body.errorCode).not.toBe('E0040R');
    await limited.stop();
  });
});
