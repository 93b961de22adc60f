import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { AdminClient } from '../support/admin-client.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { ServerProcess, runProgram } from '../support/server-process.js';

/** Enough lines to fill the server's buffer, a pipe and the buffer of its reader. */
const ENOUGH = 1000;

/** The usual limit of a shell; Node opens hundreds at once when it loads the modules. */
const DESCRIPTORS = 1024;

describe('the process and its environment', () => {
  let server: ServerProcess;
  beforeEach(() => {
    server = new ServerProcess();
  });
  afterEach(() => server.remove());

  async function expectToWork(username: string): Promise<void> {
    const client = new FidoClient(server.url);
    expect((await client.register(username)).status).toBe(200);
    expect((await client.signIn(username)).status).toBe(200);
  }

  async function ask(times: number): Promise<void> {
    const client = new Client(server.url);
    for (let n = 0; n < times; n += 10) {
      const few = Array.from({ length: 10 }, () => client.get('/fidoapi/test'));
      for (const { status } of await Promise.all(few)) expect(status).toBe(200);
    }
  }

  const FULL = '/dev/full';
  if (existsSync(FULL))
    it('a server continues without space for the log', async () => {
      await server.startInto(FULL);
      await ask(100);
      await expectToWork('unlogged');
      expect(await server.end('SIGTERM')).toBe(0);
      expect(server.stderr.trim().split('\n')).toEqual([expect.stringContaining('ENOSPC')]);
    });

  it('a server prints all warnings of /status at its start', async () => {
    await server.start();
    const { text } = await new AdminClient(server.url).get('/status', { accept: 'text/html' });
    const list = /<ul class="setup">[^]*?<\/ul>/.exec(text)?.[0] ?? '';
    const listed = [...list.matchAll(/<strong>(.*?)<\/strong>/g)].map(([, title]) => title);
    const said = [...server.stdout.matchAll(/^  [!-] (.*)$/gm)].map(([, title]) => title);
    expect(said).toHaveLength(listed.length);
    expect(said).not.toHaveLength(0);
  });

  it('a server that works writes nothing to standard error', async () => {
    await server.start();
    expect((await new AdminClient(server.url).get('/userapi/manageusers')).status).toBe(200);
    expect(await server.end('SIGTERM')).toBe(0);
    expect(server.stderr).toBe('');
  });

  it('a server continues if its log is not read, and ends on request', async () => {
    await server.start();
    server.stopListening();
    await ask(ENOUGH);
    await expectToWork('unread');
    expect(await server.end('SIGTERM')).toBe(0);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    '%s during shutdown ends the process at once and keeps what it acknowledged',
    async (second) => {
      await server.start();
      const client = new FidoClient(server.url);
      expect((await client.register('kept')).status).toBe(200);
      server.signal('SIGTERM');
      await eventually(async () => {
        // A shutdown that goes on for longer than this look takes no connection any more.
        const status = await client.get('/health/ready').then(
          (answer) => answer.status,
          () => 503,
        );
        expect(status).toBe(503);
      });
      await server.end(second);
      await server.start();
      const { authenticator, origin } = client;
      const later = new FidoClient(server.url, { authenticator, origin });
      expect((await later.signIn('kept')).status).toBe(200);
    },
  );

  if (process.platform !== 'win32')
    it('a server with few file descriptors recovers after many connections', async () => {
      await server.start(DESCRIPTORS);
      const { port } = new URL(server.url);
      const sockets = Array.from({ length: 1.5 * DESCRIPTORS }, () => {
        const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
        socket.write('GET /health/live HTTP/1.1\r\n');
        return socket;
      });
      await Promise.all(sockets.map((socket) => socket.pending && once(socket, 'connect')));
      sockets.forEach((socket) => socket.destroy());
      await eventually(() => expectToWork(`afterwards-${performance.now()}`));
      expect(await server.end('SIGTERM')).toBe(0);
    });

  it('a second server on one SQLite file ends with code 2, and commands run beside the first', async () => {
    const db = `sqlite:${join(server.data, 'only')}`;
    const first = new ServerProcess(['--db', db]);
    await first.start();
    const second = await runProgram(['--db', db, '--data', first.data, '--port', '0']);
    expect(second).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('waiting 15 s until it has stopped'),
      stderr: expect.stringContaining('another server has'),
    });
    const command = await runProgram(['tenant', 'list', '--db', db, '--data', first.data]);
    expect(command).toMatchObject({ code: 0, stdout: expect.stringContaining('default') });
    await first.remove();
  });

  it('a server on SQLite takes over the jobs of a killed one at once', async () => {
    const killed = new ServerProcess();
    await killed.start();
    await new FidoClient(killed.url).register('before');
    await eventually(async () => expect(await numbered(killed)).toBe(1));
    await killed.end('SIGKILL');
    await killed.start();
    await new FidoClient(killed.url).register('after');
    // Another server would have to see the lease of the killed one unchanged for 15 seconds.
    await eventually(async () => expect(await numbered(killed)).toBe(2));
    await killed.remove();
  });

  /** How many registrations a reader of the events finds. */
  async function numbered({ url }: ServerProcess): Promise<number> {
    const { body } = await new AdminClient(url).get('/userapi/events?after=0&limit=100');
    const events = body['events'] as Record<string, unknown>[];
    return events.filter(({ kind }) => kind === 'registration').length;
  }

  it('a server reports the same times and the same invoice in any time zone', async () => {
    const told: unknown[] = [];
    const today = new Date().toISOString().slice(0, 10);
    for (const TZ of ['Asia/Tokyo', 'America/St_Johns']) {
      const abroad = new ServerProcess(['--db', `sqlite:${join(server.data, 'shared')}`], { TZ });
      await abroad.start();
      if (told.length === 0) await new FidoClient(abroad.url).register('traveller');
      const admin = new AdminClient(abroad.url, 'localhost');
      const users = await admin.list();
      const { invoice } = (await admin.get(`/userapi/invoice?date=${today}`)).body;
      told.push({ users, invoice });
      await abroad.remove();
    }
    expect(told[0]).toMatchObject({ invoice: { date: today } });
    expect(told[0]).toEqual(told[1]);
    expect(JSON.stringify(told[0])).toMatch(/"registrationDate":"[\d-]+T[\d:.]+Z"/);
  });
});
