import {
  closeSync,
  fsyncSync,
  openSync,
  rmSync,
  statSync,
  existsSync,
  linkSync,
  renameSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import BetterSqlite3 from 'better-sqlite3';
import { OptionMistakes } from '../../platform/config/option-types.js';
import { isError } from '../../platform/errors/driver-errors.js';

/** SQLite's calls block the thread, so another one reports; it writes to standard error without the main thread. */
const REPORTER = `
  const { statSync, writeSync } = require('node:fs');
  const { workerData: { what, part, total } } = require('node:worker_threads');
  const mb = (bytes) => Math.round(bytes / 1e6);
  const size = () => statSync(part, { throwIfNoEntry: false })?.size ?? 0;
  const began = Date.now();
  setInterval(() => {
    const seconds = Math.round((Date.now() - began) / 1000);
    writeSync(2, what + ': ' + mb(size()) + ' of about ' + mb(total) + ' MB, ' + seconds + ' s\\n');
  }, 5000);
`;

interface Growth {
  readonly what: string;
  readonly part: string;
  /** Bytes. */
  readonly total: number;
}

/** Runs work that blocks this thread, and reports on standard error every five seconds. */
export function withProgress<T>(growth: Growth, work: () => T): T {
  const reporter = new Worker(REPORTER, { eval: true, workerData: growth });
  reporter.unref();
  try {
    return work();
  } finally {
    void reporter.terminate();
  }
}

/**
 * Copies a database in one read transaction, beside which its server can commit: SQLite's online backup would start
 * over at each commit. The copy is checked and synced, readable by its owner only, and has no write-ahead log.
 *
 * @param part a name that no other process uses
 * @throws Error if the source is not a database, or the copy is not sound
 */
export function copyDatabase(source: string, part: string): void {
  closeSync(openSync(part, 'wx', 0o600));
  const total = statSync(source).size;
  withProgress({ what: 'Copying', part, total }, () => vacuum(source, part));
  withProgress({ what: 'Checking', part, total }, () => check(part));
  syncFile(part);
}

function vacuum(source: string, target: string): void {
  const database = new BetterSqlite3(source, { readonly: true, fileMustExist: true });
  try {
    database.prepare('VACUUM INTO ?').run(target);
  } finally {
    database.close();
  }
}

/**
 * Reads every page. Whether indexes match their tables need not be checked, which would take 15 times as long: the copy
 * creates its indexes from its tables.
 */
function check(file: string): void {
  const database = new BetterSqlite3(file, { readonly: true });
  const verdict: unknown = database.pragma('quick_check', { simple: true });
  database.close();
  if (verdict !== 'ok') throw new Error(`The copy is not sound: ${String(verdict)}`);
}

export function syncFile(file: string, flags = 'r+'): void {
  const descriptor = openSync(file, flags);
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** Waits until the names in a file's directory are on disk: a power failure would otherwise undo a rename. */
export const syncDirectoryOf = (file: string): void => syncFile(dirname(file), 'r');

/** Removes an unfinished copy, and the files that SQLite created beside it. */
export function removeCopy(part: string): void {
  for (const file of companionFiles(part)) rmSync(file, { force: true });
}

const companionFiles = (file: string): readonly string[] =>
  ['', '-wal', '-shm', '-journal'].map((end) => `${file}${end}`);

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
