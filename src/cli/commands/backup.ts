import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { OptionMistakes } from '../../platform/config/load-options.js';
import type { CommandLine } from '../../platform/config/load-options.js';
import { newId } from '../../platform/database/columns.js';
import { NOTE_BACKUP } from '../../platform/database/last-backup.js';

const SQLITE = 'sqlite:';

/**
 * Copies the database while the server runs. The copy is complete or does not exist: it gets its name when it
 * is checked and synced. Other databases have their own tools: the command
 * for them is printed.
 *
 * @throws OptionMistakes when the file is there already, or there is no database to copy
 */
export async function backup({ options: { db }, words: [file = ''] }: CommandLine): Promise<void> {
  if (!db.startsWith(SQLITE)) return console.log(dumpCommand(new URL(db), file));
  const source = db.slice(SQLITE.length);
  if (!existsSync(source)) throw new OptionMistakes([`there is no database at ${source}`]);
  ensureFree(file);
  // No other backup to the same file writes to this one, and nobody else has one of this name.
  const part = `${file}.${newId().toString('hex')}.part`;
  try {
    // For the owner only: the copy holds the keys of tokens and cookies.
    closeSync(openSync(part, 'wx', 0o600));
    copy(source, part);
    check(part);
    sync(part);
    ensureFree(file);
    renameSync(part, file);
  } finally {
    rmSync(part, { force: true });
  }
  chmodSync(file, 0o600);
  note(source);
  console.log(
    `${file}: ${statSync(file).size} bytes, checked. It holds secrets: keep it like one.`,
  );
}

/** @throws OptionMistakes when the file is there already, perhaps by another backup that was faster */
function ensureFree(file: string): void {
  if (!existsSync(file)) return;
  throw new OptionMistakes([`${file} is there already: it is not overwritten`]);
}

/**
 * Copies in one read transaction, beside which the server commits. SQLite's online backup would begin again at
 * each commit of the server. The copy has no write-ahead log, so that reading it leaves no files beside it.
 */
function copy(source: string, target: string): void {
  const database = new BetterSqlite3(source, { readonly: true, fileMustExist: true });
  try {
    database.prepare('VACUUM INTO ?').run(target);
  } finally {
    database.close();
  }
}

/** Notes the time of the backup in the database, for the status page; the copy is as good without it. */
function note(source: string): void {
  try {
    const database = new BetterSqlite3(source, { fileMustExist: true });
    database.pragma('synchronous = FULL');
    database.prepare(NOTE_BACKUP).run(String(Date.now()));
    database.close();
  } catch (error) {
    console.error(`The copy is made, but not noted in the database: ${String(error)}`);
  }
}

/** @throws Error when the copy is not a sound database */
function check(file: string): void {
  const database = new BetterSqlite3(file, { readonly: true });
  const verdict: unknown = database.pragma('integrity_check', { simple: true });
  database.close();
  if (verdict !== 'ok') throw new Error(`The copy is not sound: ${String(verdict)}`);
}

function sync(file: string): void {
  const descriptor = openSync(file, 'r+');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** The command that dumps a MySQL or MariaDB database, without the password, which that program asks for. */
function dumpCommand({ hostname, port, username, pathname }: URL, file: string): string {
  const quoted = (text: string) => `'${decodeURIComponent(text).replaceAll("'", "'\\''")}'`;
  return [
    'mariadb-dump --single-transaction --hex-blob --default-character-set=utf8mb4',
    `--host=${hostname} --port=${port || '3306'} --user=${quoted(username)} --password`,
    `${quoted(pathname.slice(1))} > ${quoted(file)}`,
  ].join(' \\\n  ');
}
