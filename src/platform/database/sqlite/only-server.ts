import { existsSync, realpathSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import BetterSqlite3 from 'better-sqlite3';
import { OptionMistakes } from '../../config/option-types.js';
import { isError } from '../../errors/driver-errors.js';
import { createPrivately } from '../data-source.js';

/** As long as a lease lasts: a server that is stopping has ended by then. */
const WAIT_MS = 15_000;
const RETRY_MS = 100;

/** The locks of this process by their files. They are open until it ends, which releases them, however it ends. */
const held = new Map<string, BetterSqlite3.Database>();

/**
 * Makes this process the only server on a SQLite file, by an exclusive lock on a file beside it. Commands take no such
 * lock: they may run beside a server.
 *
 * @throws OptionMistakes if another server has the file for 15 seconds
 */
export async function becomeOnlyServer(file: string): Promise<void> {
  // Links to one file are one file.
  const lockFile = `${existsSync(file) ? realpathSync(file) : file}-server`;
  if (held.has(lockFile)) return;
  createPrivately(lockFile);
  const deadline = performance.now() + WAIT_MS;
  let locked = lock(lockFile);
  if (!locked) {
    const wait = `waiting ${WAIT_MS / 1000} s until it has stopped`;
    Logger.warn(`Another server has ${file} open: ${wait}`, 'Database');
  }
  while (!locked) {
    if (performance.now() >= deadline) {
      throw new OptionMistakes([`another server has ${file} open: stop it first`]);
    }
    await pause(RETRY_MS);
    locked = lock(lockFile);
  }
  held.set(lockFile, locked);
}

function lock(file: string): BetterSqlite3.Database | undefined {
  const database = new BetterSqlite3(file, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    if (isError(error) && String(error.code).startsWith('SQLITE_BUSY')) return undefined;
    throw error;
  }
}
