import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '../../scripts/lib/services/programs.mjs';
import { commandsOn, runCommandHere } from './command.js';
import { EVERY_DATABASE, type DatabaseName, type TestDatabase } from './databases.js';
import { FAST } from './test-server.js';

const dump = findProgram('mariadb-dump', 'mysqldump');
const client = findProgram('mariadb', 'mysql');
/** The databases of which this machine can make and restore a backup. */
export const RESTORABLE = EVERY_DATABASE.filter((name) => name === 'SQLite' || (dump && client));

const loginTo = ({ hostname, port, username }: URL) => [
  ...[`--host=${hostname}`, `--port=${port || '3306'}`, `--user=${username}`],
];

/** Backups of a database by the means of `docs/operations.md`. */
export class Backups {
  private count = 0;

  constructor(
    private readonly on: DatabaseName,
    private readonly folder: string,
  ) {}

  /** Copies a database while its server runs. */
  async make({ url }: TestDatabase): Promise<string> {
    const file = join(this.folder, `backup-${(this.count += 1)}`);
    if (this.on === 'SQLite') {
      expect(await runCommandHere(['backup', file, '--db', url])).toMatchObject({ code: 0 });
      return file;
    }
    const options = [
      '--single-transaction',
      '--hex-blob',
      '--no-tablespaces',
      '--default-character-set=utf8mb4',
    ];
    const from = new URL(url);
    const name = from.pathname.slice(1);
    const bytes = execFileSync(dump ?? '', [...options, ...loginTo(from), name], {
      maxBuffer: 1e9,
    });
    writeFileSync(file, bytes);
    return file;
  }

  /** Restores a backup after the loss of its database; returns the command's output. */
  async restore(file: string, database: TestDatabase, ...flags: string[]): Promise<string> {
    const { url } = database;
    if (this.on === 'MariaDB') {
      const to = new URL(url);
      execFileSync(client ?? '', [...loginTo(to), to.pathname.slice(1)], {
        input: execFileSync('cat', [file], { maxBuffer: 1e9 }),
      });
    }
    const words = this.on === 'SQLite' ? ['restore', file] : ['restored'];
    const run = await commandsOn(database, FAST)(...words, ...flags);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    return run.stdout;
  }
}
