import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { findProgram } from '../../scripts/lib/services/programs.mjs';
import { BusyUsers } from '../support/busy-users.js';
import { adminClient } from '../support/client.js';
import { createDatabase, type TestDatabase } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { runCommandHere } from '../support/command.js';
import { OwnTls } from '../support/own-tls.js';
import { TestServer } from '../support/test-server.js';

describe('backup and restore', () => {
  let folder: string;
  let server: TestServer;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'servicefido-backup-'));
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true, force: true });
  });

  /** Users register while the work runs. Returns those who were acknowledged before it began. */
  async function underLoad(work: () => unknown): Promise<Map<string, FidoClient>> {
    const users = new BusyUsers([server.url], 4);
    await eventually(() => expect(users.registered.size).toBeGreaterThan(8));
    const before = new Map(users.registered);
    await work();
    await users.stop();
    return before;
  }

  /** All users of the backup sign in again, although their counters have advanced. */
  async function expectAll(users: Map<string, FidoClient>, database: TestDatabase) {
    const restored = await TestServer.start({ database });
    for (const [username, { authenticator }] of users) {
      const again = new FidoClient(restored.url, { authenticator });
      expect((await again.signIn(username)).status).toBe(200);
    }
    await restored.stop();
  }

  it('servicefido backup copies SQLite under load, and the copy lets every user sign in', async () => {
    server = await TestServer.start();
    const file = join(folder, 'backup.sqlite');
    const users = await underLoad(async () => {
      const run = await runCommandHere(['backup', file, '--db', server.database.url]);
      expect(run).toMatchObject({ code: 0, stderr: '' });
      expect(run.stdout).toMatch(/bytes, checked/);
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { text } = await adminClient(server.url).get('/status', { accept: 'text/html' });
    expect(text).toMatch(/<dt>Last backup<\/dt>\s*<dd><time datetime="20/);
    for (const [username, client] of users) await client.signIn(username);
    await server.stop();
    const copy = join(folder, 'restored.sqlite');
    copyFileSync(file, copy);
    await expectAll(users, { url: `sqlite:${copy}`, remove: async () => undefined });
  });

  it('servicefido backup never overwrites a file, and reports a missing database in one line', async () => {
    const file = join(folder, 'precious');
    writeFileSync(file, 'precious');
    const missing = `sqlite:${join(folder, 'nothing.sqlite')}`;
    const none = await runCommandHere(['backup', join(folder, 'x'), '--db', missing]);
    expect(none).toMatchObject({ code: 2, stdout: '' });
    expect(none.stderr).toMatch(/^there is no database at .*\n$/);
    const database = await createDatabase('SQLite');
    writeFileSync(database.url.slice('sqlite:'.length), '');
    const taken = await runCommandHere(['backup', file, '--db', database.url]);
    expect(taken.code).toBe(2);
    expect(taken.stderr).toMatch(/not overwritten/);
    expect(statSync(file).size).toBe('precious'.length);
    await database.remove();
  });

  it('servicefido backup leaves no other file and does not touch another backup’s file', async () => {
    const source = join(folder, 'small.sqlite');
    // As the server does: reading such a file creates other files beside it.
    const database = new BetterSqlite3(source);
    database.pragma('journal_mode = WAL');
    database.exec('CREATE TABLE people (name TEXT)').close();
    const copy = join(folder, 'small.copy');
    writeFileSync(`${copy}.part`, 'precious');
    expect((await runCommandHere(['backup', copy, '--db', `sqlite:${source}`])).code).toBe(0);
    const beside = readdirSync(folder).filter((name) => name.startsWith('small.copy'));
    expect(beside.sort()).toEqual(['small.copy', 'small.copy.part']);
    expect(readFileSync(`${copy}.part`, 'utf8')).toBe('precious');
  });

  it('servicefido backup leaves no file if the database is damaged', async () => {
    const source = join(folder, 'damaged.sqlite');
    const database = new BetterSqlite3(source);
    database.exec('CREATE TABLE people (name TEXT)');
    database.exec('INSERT INTO people VALUES (hex(zeroblob(100000)))').close();
    const bytes = readFileSync(source);
    writeFileSync(source, bytes.fill(0xff, 4096));
    const { code } = await runCommandHere([
      'backup',
      join(folder, 'x'),
      '--db',
      `sqlite:${source}`,
    ]);
    expect(code).toBe(1);
    expect(readdirSync(folder)).toEqual(['damaged.sqlite']);
  });

  it('servicefido backup prints the command for MariaDB and MySQL without the password', async () => {
    const url = 'mysql://app:s3cret@db.example:3307/fido';
    const { code, stdout } = await runCommandHere(['backup', 'dump.sql', '--db', url]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^\(umask 077; mariadb-dump --single-transaction --hex-blob --no-tablespaces [^]*--user='app'[^]*'fido' > 'dump\.sql'\)$/m,
    );
    expect(stdout).not.toContain('s3cret');
  });

  it('servicefido backup prints a command that connects over TLS if the server does', async () => {
    const tls = new OwnTls();
    const { tlsCert } = tls.options;
    const url = `mysql://app@db.example/fido?ssl=${encodeURIComponent(tlsCert)}`;
    const { stdout } = await runCommandHere(['backup', 'dump.sql', '--db', url]);
    expect(stdout).toContain(` --password --ssl-ca='${tlsCert}' --ssl-verify-server-cert \\\n`);
    tls.remove();
  });

  const dumper =
    process.env['TEST_MYSQL_URL'] === '' ? undefined : findProgram('mariadb-dump', 'mysqldump');
  const client = findProgram('mariadb', 'mysql');
  const programs = dumper && client ? [{ dumper, client }] : [];
  for (const { dumper, client } of programs) {
    it('the printed command for MariaDB, run under load, makes a backup that lets every user sign in', async () => {
      const live = await createDatabase('MariaDB');
      const other = await createDatabase('MariaDB');
      server = await TestServer.start({ database: live });
      const login = ({ hostname, port, username }: URL) => [
        ...[`--host=${hostname}`, `--port=${port || '3306'}`, `--user=${username}`],
      ];
      const from = new URL(live.url);
      const to = new URL(other.url);
      let dump = Buffer.alloc(0);
      const users = await underLoad(() => {
        const options = [
          '--single-transaction',
          '--hex-blob',
          '--no-tablespaces',
          '--default-character-set=utf8mb4',
        ];
        dump = execFileSync(dumper, [...options, ...login(from), from.pathname.slice(1)], {
          maxBuffer: 1e9,
        });
      });
      await server.stop();
      execFileSync(client, [...login(to), to.pathname.slice(1)], { input: dump });
      await expectAll(users, other);
      await live.remove();
      await other.remove();
    });
  }
});
