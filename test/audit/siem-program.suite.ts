import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { EventNumbering } from '../../src/events/numbering/event-numbering.js';
import type { OcsfRecord } from '../../src/platform/http/ocsf.js';
import { projectPath } from '../../src/platform/project.js';
import { accountsFile, PASSWORD } from '../support/accounts.js';
import { issueKey } from '../support/application-keys.js';
import { adminClient } from '../support/client.js';
import { FidoClient } from '../support/fido-client.js';
import { describeWith } from '../support/needs.js';
import { TestServer } from '../support/test-server.js';

const execute = promisify(execFile);
const docs = readFileSync(projectPath('docs/siem.md'), 'utf8');
const PROGRAM = /```python\n([^]*?)```/.exec(docs)?.[1] ?? '';

const codeOf = (line: string) => (JSON.parse(line) as OcsfRecord).metadata['event_code'];

describeWith('python3')('the program of docs/siem.md', () => {
  let server: TestServer;
  let folder: string;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    server = await TestServer.start({ options: { accounts: accountsFile() } });
    const order = { tenant: 'default', scopes: ['events:read', 'audit:read'] } as const;
    const { secret } = await issueKey(server.url, order);
    env = { ...process.env, SERVICEFIDO_URL: server.url, SERVICEFIDO_KEY: secret, PAUSE: '0.1' };
  });
  afterAll(() => server.stop());

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'servicefido-siem-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  async function register(username: string) {
    await new FidoClient(server.url).register(username);
    server.clock.advance(1000);
    await server.get(EventNumbering).catchUp();
  }

  async function runOnce(settings: NodeJS.ProcessEnv = env) {
    const { stdout } = await execute('python3', ['-c', PROGRAM, '--once'], {
      env: { ...settings, CURSORS: folder },
    });
    return stdout.split('\n').flatMap((line) => (line === '' ? [] : [codeOf(line)]));
  }

  it('prints each record once, although it is stopped and started', async () => {
    await register('greta');
    expect(await runOnce()).toEqual(
      expect.arrayContaining(['user-created', 'registration', 'application-key.issue']),
    );
    expect(await runOnce()).toEqual([]);
    await register('hans');
    expect(await runOnce()).toEqual(['user-created', 'registration']);
  });

  it('the program of docs/siem.md begins again if the file of a cursor is empty, and leaves no temporary file', async () => {
    await register('ida');
    const all = await runOnce();
    writeFileSync(join(folder, 'events.cursor'), '');
    writeFileSync(join(folder, 'audit.cursor'), '');
    expect(await runOnce()).toEqual(all);
    expect(readdirSync(folder).toSorted()).toEqual(['audit.cursor', 'events.cursor']);
  });

  it('prints the rows of no tenant only as an account of all tenants', async () => {
    const model = '11111111-2222-4333-8444-555555555555';
    await adminClient(server.url).post('/userapi/aaguid', { aaguid: model });
    expect(await runOnce()).not.toContain('aaguid.add');
    rmSync(folder, { recursive: true });
    folder = mkdtempSync(join(tmpdir(), 'servicefido-siem-'));
    const signIn = { SERVICEFIDO_USER: 'auditor', SERVICEFIDO_PASSWORD: PASSWORD };
    expect(await runOnce({ ...env, SERVICEFIDO_KEY: undefined, ...signIn })).toContain(
      'aaguid.add',
    );
  });

  describe('behind a proxy that fails at first', () => {
    /** What the proxy does with its first calls; it passes on all others. */
    const faults = ['no answer', 502, 503];
    let calls = 0;
    const proxy = createServer((request, response) => {
      const fault = faults[calls];
      calls += 1;
      if (fault === 'no answer') request.socket.destroy();
      else if (typeof fault === 'number') response.writeHead(fault).end('<h1>Bad gateway</h1>');
      else {
        const { authorization = '' } = request.headers;
        void fetch(server.url + String(request.url), { headers: { authorization } })
          .then((answer) => answer.text())
          .then((body) => response.end(body));
      }
    });
    let settings: NodeJS.ProcessEnv;
    beforeEach(async () => {
      calls = 0;
      await once(proxy.listen(0, '127.0.0.1'), 'listening');
      const { port } = proxy.address() as AddressInfo;
      settings = { ...env, SERVICEFIDO_URL: `http://127.0.0.1:${port}` };
    });
    afterEach(async () => {
      const closed = once(proxy, 'close');
      proxy.close();
      proxy.closeAllConnections();
      await closed;
    });

    it('says so and tries again until it is answered', async () => {
      await register('karl');
      const child = spawn('python3', ['-c', PROGRAM], { env: { ...settings, CURSORS: folder } });
      const complaints = text(child.stderr);
      for await (const line of createInterface(child.stdout)) {
        if (codeOf(line) === 'application-key.issue') break;
      }
      child.kill();
      const said = (await complaints).split('\n').filter((line) => line !== '');
      expect(said).toEqual(faults.map(() => expect.stringMatching(/; trying again$/)));
      expect(said[1]).toContain('502');
    });

    it('ends with the message if it is to run once', async () => {
      await expect(runOnce(settings)).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^http:\S+ .+\n$/),
      });
    });
  });
});
