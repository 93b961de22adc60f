import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommandHere } from '../support/command.js';
import { startOnce } from '../support/start-once.js';
import { ADMIN } from '../support/test-server.js';

describe('the audit key on the command line', () => {
  let empty: string;
  let data: string;
  const newFolder = () => mkdtempSync(join(tmpdir(), 'servicefido-test-'));
  const databaseIn = (folder: string) => join(folder, 'servicefido.sqlite');
  const file = (name: string) => join(data, `${name}.key`);
  beforeAll(async () => {
    empty = newFolder();
    await startOnce({ url: `sqlite:${databaseIn(empty)}` });
  });
  afterAll(() => rmSync(empty, { recursive: true }));
  beforeEach(() => {
    data = newFolder();
    copyFileSync(databaseIn(empty), databaseIn(data));
    for (const name of ['one', 'two']) writeFileSync(file(name), name.repeat(20), { mode: 0o600 });
    writeFileSync(file('short'), 'too short');
  });
  afterEach(() => rmSync(data, { recursive: true }));

  const run = (...args: string[]) =>
    runCommandHere([...args, '--data', data, '--admin-password', ADMIN.hash]);
  const withKey = (name: string, ...args: string[]) => run(...args, '--audit-key-file', file(name));
  const verify = (name?: string) =>
    name === undefined ? run('audit', 'verify') : withKey(name, 'audit', 'verify');

  /** Row 1 is not sealed, row 2 begins the seal, and row 3 has it. */
  async function seal(): Promise<void> {
    expect((await run('tenant', 'add', 'acme')).code).toBe(0);
    expect((await withKey('one', 'audit', 'seal')).code).toBe(0);
    expect((await withKey('one', 'tenant', 'add', 'globex')).code).toBe(0);
  }

  it('refuses an audit key that is unreadable or short, together with all other mistakes', async () => {
    const { code, stderr } = await withKey('short', '--port', 'x');
    expect(code).toBe(2);
    expect(stderr).toContain('--port: must be a whole number');
    expect(stderr).toContain(`--audit-key-file: ${file('short')} must hold at least 32 bytes`);
    expect(await withKey('nothing')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot be read'),
    });
  });

  it('the command audit verify states that a trail without a key is not proved', async () => {
    expect((await run('tenant', 'add', 'acme')).code).toBe(0);
    const { code, stdout } = await verify();
    expect(code).toBe(0);
    expect(stdout).toContain('1 rows are good.');
    expect(stdout).toContain(
      'The trail is sealed with no key (--audit-key-file).\nIt is not proved',
    );
    // It is not sealed, and the command says so.
    expect(await verify('one')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not sealed'),
    });
  });

  it('refuses a change with an audit key before the command audit seal begins the seal', async () => {
    expect((await run('tenant', 'add', 'acme')).code).toBe(0);
    expect(await withKey('one', 'tenant', 'add', 'globex')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('“./servicefido audit seal” begins the seal'),
    });
    expect((await withKey('one', 'audit', 'key', file('two'))).code).toBe(2);
    expect((await run('audit', 'key', file('two'))).code).toBe(2);
    expect((await run('audit', 'seal')).code).toBe(2);
    expect((await verify('one')).code).toBe(1);
  });

  it('the command audit seal prints a hash that audit verify accepts as expected', async () => {
    expect((await run('tenant', 'add', 'acme')).code).toBe(0);
    const { code, stdout } = await withKey('one', 'audit', 'seal');
    expect(code).toBe(0);
    const [, hash = ''] =
      /sealing row 2, for --expect of audit verify: ([0-9a-f]{64})$/m.exec(stdout) ?? [];
    expect((await withKey('one', 'audit', 'seal')).stdout).toContain('with this key already');
    expect((await withKey('one', 'tenant', 'add', 'globex')).code).toBe(0);
    const proved = await withKey('one', 'audit', 'verify', '--expect', hash);
    expect(proved).toMatchObject({ code: 0, stderr: '' });
    expect(proved.stdout).toMatch(
      /^3 rows are good\.[^]*^The key proves the rows up to 3 \(it seals since row 2, 2/m,
    );
    expect(proved.stdout).toContain(`Row 2 must be the one whose hash you noted: ${hash}`);
    const wrong = await withKey('one', 'audit', 'verify', '--expect', '0'.repeat(64));
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('expected hash') });
  });

  it('the command audit verify without the audit key names the missing key', async () => {
    await seal();
    const { code, stdout } = await verify();
    expect(code).toBe(0);
    expect(stdout).toMatch(/sealed with the key [0-9a-f]{16}, which was not given/);
  });

  const others: [string, () => string[], string][] = [
    ['no audit key', () => [], 'which is needed'],
    ['another audit key', () => ['--audit-key-file', file('two')], 'and this one is'],
  ];
  it.each(others)('a start or a changing command with %s is refused', async (...row) => {
    const [, args, reason] = row;
    await seal();
    for (const command of [
      ['tenant', 'add', 'late'],
      ['--port', '0'],
    ]) {
      const { code, stderr, stdout } = await run(...command, ...args());
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^--audit-key-file: the audit trail is sealed with the key [^\n]*\n$/);
      expect(stderr).toContain(reason);
    }
  });

  it('the command audit key replaces the audit key', async () => {
    await seal();
    const change = await withKey('one', 'audit', 'key', file('two'));
    expect(change).toMatchObject({ code: 0, stdout: expect.stringContaining('from now on') });
    expect((await withKey('one', 'tenant', 'add', 'late')).code).toBe(2);
    expect((await withKey('two', 'tenant', 'add', 'initech')).code).toBe(0);
  });

  it('the old and the new audit key each prove the rows that they sealed', async () => {
    await seal();
    await withKey('one', 'audit', 'key', file('two'));
    await withKey('two', 'tenant', 'add', 'initech');
    expect((await verify('two')).stdout).toContain('up to 5 (it seals since row 4');
    expect((await verify('one')).stdout).toContain('up to 3 (it seals since row 2');
  });

  it('the command audit key refuses a file without a key', async () => {
    await seal();
    expect((await withKey('one', 'audit', 'key', file('short'))).code).toBe(2);
  });

  it('a command warns of an audit key that others may read', async () => {
    await seal();
    chmodSync(file('one'), 0o644);
    const { code, stderr } = await withKey('one', 'tenant', 'add', 'umbrella');
    expect(code).toBe(0);
    expect(stderr).toContain(`others may read ${file('one')}`);
  });

  it('the command audit key none removes the audit key', async () => {
    await seal();
    expect((await withKey('one', 'audit', 'key', 'none')).code).toBe(0);
    expect((await run('tenant', 'add', 'late')).code).toBe(0);
    expect((await verify()).stdout).toContain('sealed with no key');
  });
});
