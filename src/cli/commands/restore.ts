import { accessSync, constants, existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { INestApplicationContext, LoggerService } from '@nestjs/common';
import BetterSqlite3 from 'better-sqlite3';
import { Clock } from '../../platform/common/clock.js';
import { OptionMistakes } from '../../platform/config/option-types.js';
import { newId } from '../../platform/database/row-ids.js';
import { Database } from '../../platform/database/database.js';
import {
  BACKUP_RECORD,
  SharedRecords,
  lastBackup,
} from '../../platform/database/shared-records.js';
import { LEASE_BEATS } from '../../platform/database/jobs/leased-job.js';
import { messageOfError } from '../../platform/errors/driver-errors.js';
import { withModule } from '../application.js';
import type { Runs } from '../commands.js';
import { beginEpoch, RestoreModule } from '../restore/begin-epoch.js';
import {
  replaceDatabase,
  requireStopped,
  copyDatabase,
  removeCopy,
  syncFile,
} from '../restore/sqlite-files.js';
import { foreignParts } from '../restore/foreign-schema.js';
import { PROBE_BACKUP } from '../restore/restore.statements.js';
import { PROGRAM } from '../../platform/program.js';

const SQLITE = 'sqlite:';
/** Longer than the interval at which a server renews its leases. */
const LEASE_MS = 7_000;
const SHOWN_PARTS = 5;

/** Not the log of a command: it would contain rows of a copy that may never replace the database. */
const WARNINGS: LoggerService = {
  log: () => undefined,
  warn: (message) => console.error(message),
  error: () => undefined,
};

export const restoreCommands: Runs<'restore' | 'restored'> = {
  /**
   * Replaces a SQLite database with a backup. All work is done in a copy, which is finally renamed to the database's
   * name: a restore that fails or is killed leaves the database unchanged.
   *
   * @throws OptionMistakes for a file that is not a backup, and while a server has the database open
   */
  restore: async ({ options, file, ...facts }) => {
    if (!options.db.startsWith(SQLITE)) {
      const advice = `read the dump into an empty database, then run: ${PROGRAM} restored`;
      throw new OptionMistakes([`restore is for SQLite; for MariaDB and MySQL, ${advice}`]);
    }
    requireReadable(facts.log);
    requireBackup(file);
    await requireOwnSchema(file);
    const target = fileOf(options.db);
    requireStopped(target);
    mkdirSync(dirname(target), { recursive: true });
    const part = `${target}.${newId().toString('hex')}.part`;
    try {
      copyDatabase(file, part);
      const copy = { ...options, db: `${SQLITE}${part}` };
      const former = existsSync(target) ? target : undefined;
      const lines = await withModule(RestoreModule.with(copy, true), WARNINGS, async (app) => {
        await noteBackup(app, file);
        return beginEpoch(app, options, { ...facts, former });
      });
      leaveWriteAheadLog(part);
      const aside = replaceDatabase(part, target);
      console.log(`${target} is restored from ${file}.`);
      if (aside !== undefined) console.log(`The database before is kept: ${aside}`);
      for (const line of lines) console.log(line);
    } finally {
      removeCopy(part);
    }
  },

  /**
   * Begins the next epoch in a database that was restored by other means.
   *
   * @throws OptionMistakes, or Error for MariaDB and MySQL, while a server runs on it; Error for an older database
   */
  restored: async ({ options, ...facts }) => {
    requireReadable(facts.log);
    if (options.db.startsWith(SQLITE)) requireStopped(fileOf(options.db));
    const lines = await withModule(RestoreModule.with(options, false), WARNINGS, async (app) => {
      await requireNoBeat(app.get(Database), app.get(Clock));
      return beginEpoch(app, options, facts);
    });
    for (const line of lines) console.log(line);
  },
};

/** A backup of an earlier version does not say when it was made. */
async function noteBackup(app: INestApplicationContext, file: string): Promise<void> {
  const records = app.get(SharedRecords);
  if ((await lastBackup(records)) !== undefined) return;
  await records.create(BACKUP_RECORD, `${Math.round(statSync(file).mtimeMs)}`);
}

/** The file of a SQLite database; for a symbolic link, its target. */
function fileOf(db: string): string {
  const file = db.slice(SQLITE.length);
  return existsSync(file) ? realpathSync(file) : file;
}

/** A running server renews its leases; one that hangs is not detected, so the docs say to stop all servers. */
async function requireNoBeat(database: Database, clock: Clock): Promise<void> {
  if (database.kind === 'sqlite') return;
  const read = async () => JSON.stringify(await database.query(LEASE_BEATS));
  const before = await read();
  await pause(clock.timer(LEASE_MS));
  if ((await read()) === before) return;
  throw new Error('A server runs on this database: stop all servers first.');
}

/** @param log the file of `--log` */
function requireReadable(log: string | undefined): void {
  if (log === undefined) return;
  try {
    accessSync(log, constants.R_OK);
  } catch {
    throw new OptionMistakes([`--log: ${log} cannot be read`]);
  }
}

/** @throws OptionMistakes for a file that is not a database of this program */
function requireBackup(file: string): void {
  if (!existsSync(file)) throw new OptionMistakes([`there is no file ${file}`]);
  try {
    const database = new BetterSqlite3(file, { readonly: true, fileMustExist: true });
    try {
      database.prepare(PROBE_BACKUP).get();
    } finally {
      database.close();
    }
  } catch (error) {
    throw new OptionMistakes([`${file} is no backup of ServiceFido: ${messageOfError(error)}`]);
  }
}

/** @throws OptionMistakes for a file to which somebody has added triggers, views or tables */
async function requireOwnSchema(file: string): Promise<void> {
  const foreign = await foreignParts(file);
  if (foreign.length === 0) return;
  const parts = foreign.slice(0, SHOWN_PARTS).join(', ');
  throw new OptionMistakes([
    `${file} contains what no version of ServiceFido makes: ${parts}. Find out who added it; it is not restored.`,
  ]);
}

/** Closing the last connection merges the write-ahead log into the file, which then is the whole database. */
function leaveWriteAheadLog(file: string): void {
  const database = new BetterSqlite3(file, { fileMustExist: true });
  database.pragma('journal_mode = DELETE');
  database.close();
  syncFile(file);
}
