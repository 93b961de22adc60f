import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { projectPath } from '../../src/platform/project.js';
import { Database } from '../../src/platform/database/database.js';
import { passwordMatches } from '../../src/platform/access/basic/password-checks.js';
import { commandsOn, runCommandHere } from '../support/command.js';
import { DATABASES, type TestDatabase } from '../support/databases.js';
import { rowsOf } from '../support/rows.js';
import { createServerDatabase } from '../support/server-database.js';
import { startOnce } from '../support/start-once.js';
import { TestServer } from '../support/test-server.js';

describe.each(DATABASES)('the audit trail of the command line on %s', (on) => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createServerDatabase(on);
    await startOnce(database);
  });
  afterEach(() => database.remove());

  const run = (...args: string[]) => commandsOn(database)(...args);
  const verify = (...args: string[]) => run('audit', 'verify', ...args);

  /** Three changes and, as the third, a refused one. */
  async function change(): Promise<void> {
    expect((await run('tenant', 'add', 'acme')).code).toBe(0);
    expect((await run('relying-party', 'add', 'acme', 'acme.example')).code).toBe(0);
    expect((await run('tenant', 'remove', 'nothing')).code).toBe(1);
    expect((await run('keys', 'rotate')).code).toBe(0);
  }

  it('each changing command leaves an audit row, done or refused', async () => {
    await change();
    const server = await TestServer.start({ database });
    const rows = await rowsOf(
      server,
      'SELECT account, action, tenant, relying_party, result, code FROM audit ORDER BY seq',
    );
    await server.stop();
    const account = Buffer.from('cli');
    const acme = Buffer.from('acme');
    const row = { account, tenant: acme, relying_party: null, result: 'ok', code: null };
    expect(rows).toEqual([
      { ...row, action: 'tenant.create' },
      { ...row, action: 'relying-party.create', relying_party: Buffer.from('acme.example') },
      {
        ...row,
        action: 'tenant.remove',
        tenant: Buffer.from('nothing'),
        result: 'refused',
        code: 'E0044R',
      },
      { ...row, action: 'signing-key.rotate', tenant: null },
    ]);
  });

  it('the command audit verify reports the number of valid rows and accepts an expected hash', async () => {
    await change();
    const { code, stdout } = await verify();
    expect(code).toBe(0);
    const [, hash = ''] =
      /^4 rows are good\. The last of them: 4 ([0-9a-f]{64})$/m.exec(stdout) ?? [];
    expect((await verify('--expect', hash)).code).toBe(0);

    const other = await verify('--expect', '0'.repeat(64));
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('expected hash') });
    expect((await verify('--expect', 'x')).code).toBe(2);
  });

  it('the command audit verify reports a fault with exit code 1', async () => {
    await change();
    const server = await TestServer.start({ database });
    const sql = 'UPDATE audit SET result = ? WHERE seq = 3';
    await server.get(Database).commit([{ sql, params: ['ok'] }]);
    await server.stop();
    const { code, stdout, stderr } = await verify();
    expect(code).toBe(1);
    expect(stdout).toContain('2 rows are good.');
    expect(stderr).toContain('The audit trail is at fault: row 3 was altered.');
  });
});

describe('accounts on the command line', () => {
  async function hashOf(input: string | Buffer) {
    const child = spawn(process.execPath, [projectPath('dist/main.js'), 'password', 'hash']);
    child.stdin.end(input);
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    return { output: output.trim(), code: code as number };
  }

  it('the command password hash prints the hash of its input without the line end', async () => {
    const { output, code } = await hashOf('pass word: ✓\n');
    expect(code).toBe(0);
    expect(await passwordMatches('pass word: ✓', output)).toBe(true);
    expect((await hashOf('')).code).toBe(1);
    expect((await hashOf('a\nb\n')).code).toBe(1);
  });

  it.each(['\uFEFFpassword', ' password ', '-password'])(
    'the command password hash keeps each character of %j',
    async (password) => {
      const { output } = await hashOf(`${password}\n`);
      expect(await passwordMatches(password, output)).toBe(true);
      expect(await passwordMatches('password', output)).toBe(false);
    },
  );

  it('the command password hash refuses bytes that are not text', async () => {
    expect((await hashOf(Buffer.from([0x61, 0xff]))).code).toBe(1);
  });

  it('mistakes in the file of --accounts are reported together, and the server does not start', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
    const file = join(directory, 'accounts.yaml');
    writeFileSync(file, 'accounts: [{ name: anna }, { name: admin, role: root, password: x }]');
    const { code, stderr, stdout } = await runCommandHere(['--accounts', file, '--port', 'x']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('--port: must be a whole number');
    expect(stderr.match(/accounts\[0\] needs a "(role|password)"/g)).toHaveLength(2);
    expect(stderr.match(/accounts\[1\] needs a "(role|password)"/g)).toHaveLength(2);
    rmSync(directory, { recursive: true });
  });
});
