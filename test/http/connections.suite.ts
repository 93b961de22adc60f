import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ServerOptions } from '../../src/platform/config/server-config.js';
import { adminClient, basic } from '../support/client.js';
import { FidoClient, PATHS } from '../support/fido-client.js';
import { eventually } from '../support/eventually.js';
import { OwnTls } from '../support/own-tls.js';
import { rowsOf } from '../support/rows.js';
import { ADMIN, TestServer } from '../support/test-server.js';

/** How many connections an address group may hold in any case. */
const LEAST_SHARE = 16;
/** Few enough connections that a tenth of them is less than the minimum of a group. */
const MAX_CONNECTIONS = 40;

describe('connections to the server', () => {
  let server: TestServer;
  const held: Held[] = [];
  afterEach(async () => {
    for (const one of held.splice(0)) one.end();
    await server.stop();
  });

  it('an address has at most sixteen connections, and one more ends its longest silent one', async () => {
    await start();
    const first = await hold('127.0.0.2', 1);
    const others = await hold('127.0.0.3', 3);
    const many = await hold('127.0.0.2', LEAST_SHARE + 4);
    await Promise.all([...first, ...many.slice(0, 4)].map(({ closed }) => closed));
    expect(openOf(many)).toEqual([...repeated(false, 4), ...repeated(true, LEAST_SHARE)]);
    expect(openOf(others)).toEqual(repeated(true, 3));
  });

  it('an address has at most a tenth of the connections if that is more than sixteen', async () => {
    await start({ maxConnections: 200 });
    const many = await hold('127.0.0.2', 21);
    await many[0]?.closed;
    expect(openOf(many)).toEqual([false, ...repeated(true, 20)]);
  });

  it('other clients can connect while two or three addresses use all connections they may', async () => {
    await start();
    await hold('127.0.0.2', MAX_CONNECTIONS);
    await hold('127.0.0.3', MAX_CONNECTIONS);
    expect((await new FidoClient(server.url).register('third')).status).toBe(200);
    const [oldest] = await hold('127.0.0.4', MAX_CONNECTIONS);
    await oldest?.closed;
    const late = await Held.open(server.url, '127.0.0.5');
    held.push(late);
    expect(await late.ask('/health/live')).toMatch(/^HTTP\/1\.1 200/);
  });

  it('the connection of a signed-in administrator remains open while others are ended', async () => {
    await start();
    const [admin] = await hold('127.0.0.9', 1);
    const { authorization } = basic(ADMIN.user, ADMIN.password);
    const ask = () => admin?.ask('/tenantapi/tenants', `Authorization: ${authorization}`);
    expect(await ask()).toMatch(/^HTTP\/1\.1 200/);
    const [stranger] = await hold('127.0.0.8', 1);
    expect(await stranger?.ask('/health/live')).toMatch(/^HTTP\/1\.1 200/);
    for (const address of ['127.0.0.2', '127.0.0.3', '127.0.0.4']) {
      await hold(address, LEAST_SHARE);
    }
    await stranger?.closed;
    expect(await ask()).toMatch(/^HTTP\/1\.1 200/);
  });

  it('connections over TLS are limited too', async () => {
    const tls = new OwnTls();
    await start(tls.options);
    const admin = await Held.openTls(server.url, '127.0.0.2');
    const { authorization } = basic(ADMIN.user, ADMIN.password);
    const ask = () => admin.ask('/tenantapi/tenants', `Authorization: ${authorization}`);
    expect(await ask()).toMatch(/^HTTP\/1\.1 200/);
    const [mute] = await hold('127.0.0.2', 1);
    const other = await Held.openTls(server.url, '127.0.0.2');
    held.push(admin, other);
    await hold('127.0.0.2', LEAST_SHARE - 3);
    expect(await other.ask('/health/live')).toMatch(/^HTTP\/1\.1 200/);
    await hold('127.0.0.2', 2);
    await mute?.closed;
    expect(other.isOpen).toBe(true);
    expect(await ask()).toMatch(/^HTTP\/1\.1 200/);
    tls.remove();
  });

  it('a connection that waits for an answer is not ended', async () => {
    await start();
    let arrived = 0;
    server.http.on('request', () => (arrived += 1));
    const waiting = await hold('127.0.0.2', 2);
    const silent = await hold('127.0.0.2', LEAST_SHARE - 2);
    const answers = waiting.map((one, n) =>
      one.ask('/tenantapi/tenants', `Authorization: ${basic('guess', `${n}`).authorization}`),
    );
    await eventually(() => expect(arrived).toBe(2));
    await hold('127.0.0.2', LEAST_SHARE - 2);
    await Promise.all(silent.map(({ closed }) => closed));
    for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 401/);
  });

  it('a client can connect while a trusted proxy uses all connections', async () => {
    await start({ trustProxy: 1 });
    const all = await hold('127.0.0.2', MAX_CONNECTIONS);
    expect(openOf(all)).toEqual(repeated(true, MAX_CONNECTIONS));
    expect((await new FidoClient(server.url).register('behind')).status).toBe(200);
    await all[0]?.closed;
  });

  describe.each(['http', 'https'])('over %s', (scheme) => {
    const tls = new OwnTls();
    let one: Held;
    beforeEach(async () => {
      await start(scheme === 'https' ? tls.options : {});
      one = await Held[scheme === 'https' ? 'openTls' : 'open'](server.url, '127.0.0.2');
      held.push(one);
    });
    afterAll(() => tls.remove());

    it('a connection is ended by its 17th unanswered request, and none of them is executed', async () => {
      one.write(Array.from({ length: 17 }, (_, n) => newTenant(`tenant-${n}`)).join(''));
      await one.closed;
      expect(one.answers).toBe('');
      expect(await tenants()).toEqual(['default']);
    });

    it('a connection answers sixteen requests that are sent at once', async () => {
      const names = Array.from({ length: 16 }, (_, n) => `tenant-${n}`);
      one.write(names.map(newTenant).join(''));
      await eventually(() => expect(one.answers.match(/HTTP\/1\.1 201/g)).toHaveLength(16));
      expect(one.isOpen).toBe(true);
    });
  });

  it('a connection is ended by its 17th unanswered request with an unknown expectation', async () => {
    await start();
    const [one] = await hold('127.0.0.2', 1);
    one?.write('GET / HTTP/1.1\r\nHost: localhost\r\nExpect: more\r\n\r\n'.repeat(17));
    await one?.closed;
    expect(one?.isOpen).toBe(false);
  });

  it('a request is executed when the client has read the answers before it', async () => {
    await start();
    let arrived = 0;
    server.http.on('request', () => (arrived += 1));
    const [one] = await hold('127.0.0.2', 1);
    one?.pause();
    // Too much for the buffers of a connection.
    one?.write('GET /docs/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(15));
    one?.write(newTenant('later'));
    await eventually(() => expect(arrived).toBe(16));
    const admin = adminClient(server.url);
    await admin.post('/tenantapi/tenants', { tenant: 'sooner' });
    expect(await tenants()).toEqual(['default', 'sooner']);
    one?.resume();
    await eventually(async () => expect(await tenants()).toEqual(['default', 'later', 'sooner']));
  });

  it('a connection is ended after ten silent seconds at any point of a request', async () => {
    server = await TestServer.start();
    expect(server.http).toMatchObject({ timeout: 10_000, headersTimeout: 10_000 });
    // The same limits, of half a second: nobody waits for ten.
    server.http.headersTimeout = server.http.setTimeout(500).timeout;
    const [mute, head, body] = await hold('127.0.0.2', 3);
    const begin = `POST ${PATHS.certify.beginRegistration} HTTP/1.1\r\nHost: localhost\r\n`;
    head?.write(begin);
    body?.write(`${begin}Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{`);
    await Promise.all([mute, head, body].map((one) => one?.closed));
  });

  /** A server that ends no connection because it was silent for ten seconds: a busy machine takes longer to open many. */
  async function start(more: Partial<ServerOptions> = {}) {
    server = await TestServer.start({ options: { maxConnections: MAX_CONNECTIONS, ...more } });
    server.http.setTimeout(0);
    Object.assign(server.http, { headersTimeout: 0, requestTimeout: 0 });
  }

  const signedIn = `Host: localhost\r\nAuthorization: ${basic(ADMIN.user, ADMIN.password).authorization}\r\n`;

  function newTenant(tenant: string): string {
    const body = JSON.stringify({ tenant });
    const type = `Content-Type: application/json\r\nContent-Length: ${body.length}`;
    return `POST /tenantapi/tenants HTTP/1.1\r\n${signedIn}${type}\r\n\r\n${body}`;
  }

  async function tenants(): Promise<string[]> {
    const sql = 'SELECT name FROM tenants ORDER BY name';
    return (await rowsOf<{ name: string }>(server, sql)).map(({ name }) => name);
  }

  /** Silent connections, opened one after the other. */
  async function hold(address: string, count: number): Promise<Held[]> {
    const more: Held[] = [];
    for (let n = 0; n < count; n += 1) more.push(await Held.open(server.url, address));
    held.push(...more);
    return more;
  }

  function openOf(some: readonly Held[]) {
    return some.map(({ isOpen }) => isOpen);
  }

  function repeated(value: boolean, count: number) {
    return Array<boolean>(count).fill(value);
  }
});

/** A connection from an address of this machine, which stays open. */
class Held {
  answers = '';
  readonly closed: Promise<void>;

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('utf8').on('data', (text: string) => (this.answers += text));
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
  }

  static async open(url: string, localAddress: string): Promise<Held> {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress });
    const held = new Held(socket);
    await once(socket, 'connect');
    return held;
  }

  static async openTls(url: string, localAddress: string): Promise<Held> {
    const { socket } = await Held.open(url, localAddress);
    const secure = connectTls({ socket, rejectUnauthorized: false });
    const held = new Held(secure);
    await once(secure, 'secureConnect');
    return held;
  }

  get isOpen(): boolean {
    return !this.socket.destroyed;
  }

  write(text: string): void {
    this.socket.write(text);
  }

  /** Sends a request; resolves with the answers so far when its answer has begun. */
  async ask(path: string, ...lines: string[]): Promise<string> {
    const before = this.answers.length;
    this.write([`GET ${path} HTTP/1.1`, 'Host: localhost', ...lines, '', ''].join('\r\n'));
    await eventually(() => {
      if (this.isOpen) expect(this.answers.length).toBeGreaterThan(before);
    });
    return this.answers.slice(before);
  }

  /** Stops reading answers. */
  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  end(): void {
    this.socket.destroy();
  }
}
