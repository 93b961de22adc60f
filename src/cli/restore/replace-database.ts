import { existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { OptionMistakes } from '../../platform/config/option-types.js';
import { isError } from '../../platform/errors/driver-errors.js';
import { companionFiles, syncDirectoryOf } from './sqlite-copy.js';

/** @throws OptionMistakes if a program has the database open */
export function requireStopped(file: string): void {
  if (existsSync(file)) lock(file).close();
}

/**
 * Replaces a database atomically, and keeps the old one.
 *
 * @returns the new name of the old database; `undefined` if there was none
 * @throws OptionMistakes if a program has the old one open
 */
export function replaceDatabase(part: string, file: string): string | undefined {
  const aside = `${file}.before-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
  const old = existsSync(file) ? lock(file) : undefined;
  try {
    if (old) {
      linkSync(file, aside);
      // Left over from a killed server; no process has it open.
      rmSync(`${file}-shm`, { force: true });
    } else setAside(file, aside);
    renameSync(part, file);
  } finally {
    old?.close();
  }
  syncDirectoryOf(file);
  return old && aside;
}

/** SQLite would otherwise apply the write-ahead log of a lost database to the one that replaces it. */
function setAside(file: string, aside: string): void {
  const names = companionFiles(aside);
  for (const [n, left] of companionFiles(file).entries()) {
    if (existsSync(left)) renameSync(left, names[n] ?? aside);
  }
}

/**
 * Opens a database exclusively. A server holds SQLite's shared lock for as long as it has the file open, even while
 * idle, and regardless of leases: so no other process can get an exclusive one. The write-ahead log is merged into
 * the file.
 */
function lock(file: string): BetterSqlite3.Database {
  const database = new BetterSqlite3(file, { fileMustExist: true, timeout: 0 });
  try {
    database.pragma('locking_mode = EXCLUSIVE');
    database.pragma('journal_mode = DELETE');
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    throw new OptionMistakes([mistakeOf(file, error)]);
  }
}

function mistakeOf(file: string, error: unknown): string {
  const code = isError(error) ? String(error.code) : '';
  if (code.startsWith('SQLITE_BUSY')) return `a server has ${file} open: stop it first`;
  const advice =
    'stop the server, move it and the files beside it (-wal, -shm) away, and try again';
  return `${file} cannot be opened (${code}): ${advice}`;
}
