import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { MigrationExecutor, QueryFailedError, type DataSource, type QueryRunner } from 'typeorm';
import { MysqlDriver } from 'typeorm/driver/mysql/MysqlDriver.js';
import { ResumingQueryRunner } from './mysql/resuming-query-runner.js';
import { Baseline1764300002000, CREATION_RECORD } from './migrations/1764300002000-baseline.js';

/** Number of failures of one migration after which the start fails. */
const ATTEMPTS = 10;
const PAUSE_MS = 500;
/**
 * How long a statement waits for a table that others read, and for the rows of tables that refer to it, which MariaDB
 * locks too. While it waits, every later reader of the table waits too, and a dump reads for hours: so it gives up soon,
 * and tries again after a pause. A reader may even have those rows: then both would wait for each other.
 */
const TABLE_WAIT_SECONDS = 1;
/** For the table itself, and for rows. */
const TIMEOUTS = ['lock_wait_timeout', 'innodb_lock_wait_timeout'];
const TABLE_PAUSE_MS = 5000;

/**
 * Name of the lock, an SQL expression with the database's name, so that other databases on the same server
 * need not wait.
 */
export const MIGRATIONS_LOCK = "CONCAT('servicefido_migrations_', LEFT(MD5(DATABASE()), 16))";
/** How long one request for the lock waits by default; each failed request is logged. */
const LOCK_WAIT_SECONDS = 10;
const WAITING = 'Another instance changes the tables: this one starts when that has ended.';
const IS_NEW = `SELECT 1 FROM secrets WHERE name = '${CREATION_RECORD}'`;
const END_CREATION = `DELETE FROM secrets WHERE name = '${CREATION_RECORD}'`;
const EMPTY =
  'The database is empty: start the server first, with the same --db. Commands create no tables.';
const OLDER =
  'The database is of an older version: start the server of this version first. Commands change no tables.';
const LOST =
  'The connection with which the tables were changed was lost, and with it the lock that keeps other instances ' +
  'from changing them at the same time. Start again: what is done stays done.';

/**
 * Brings the schema up to date. Instances that start together take turns with a named lock; on Galera, where such
 * locks have no effect, the loser fails, waits, and tries again with the rest. A process may be killed at any
 * statement: the next one continues from the current schema.
 *
 * @param settings `check` is called before anything changes, and may throw; `created` once for each new database, in the
 *   transaction that ends its creation, whichever start that is
 * @throws Error if a newer version has changed the schema already, or the schema is older than version 1.0
 */
export async function migrate(
  dataSource: DataSource,
  settings: MigrationSettings = {},
): Promise<void> {
  if (dataSource.driver instanceof MysqlDriver) {
    const runner = new ResumingQueryRunner(dataSource, dataSource.driver);
    await migrateTogether(dataSource, runner, settings);
    return;
  }
  const runner = dataSource.createQueryRunner();
  await readHistory(runner, namesOf(dataSource));
  await settings.check?.(runner);
  await dataSource.runMigrations();
  await endCreation(runner, settings.created);
}

/** Stores the first rows of a new database. Returns what reports them once they are stored. */
export type FirstRows = (runner: QueryRunner) => Promise<(() => void) | undefined>;

interface MigrationSettings {
  readonly check?: (runner: QueryRunner) => Promise<void> | undefined;
  readonly created?: FirstRows | undefined;
  readonly lockWaitSeconds?: number;
}

const namesOf = ({ migrations }: DataSource): string[] =>
  migrations.map(({ name, constructor }) => name ?? constructor.name);

/**
 * Refuses a database that is not up to date, and changes nothing.
 *
 * @throws Error if it is empty, of an older version or of a newer one
 */
export async function requireMigrated(dataSource: DataSource): Promise<void> {
  const runner = dataSource.createQueryRunner();
  try {
    const names = await readHistory(runner, namesOf(dataSource));
    if (names.size === 0 || (await isNew(runner))) throw new Error(EMPTY);
    if (!namesOf(dataSource).every((name) => names.has(name))) throw new Error(OLDER);
  } finally {
    await runner.release();
  }
}

/** Runs the migrations on the connection that holds the lock, so that they stop if the lock is lost. */
async function migrateTogether(
  dataSource: DataSource,
  runner: QueryRunner,
  { check, created, lockWaitSeconds = LOCK_WAIT_SECONDS }: MigrationSettings,
): Promise<void> {
  try {
    await takeLock(runner, lockWaitSeconds);
    await runner.query(setTimeouts(TABLE_WAIT_SECONDS));
    await readHistory(runner, namesOf(dataSource));
    await check?.(runner);
    await migrateWithRetries(dataSource, runner);
    await endCreation(runner, created);
  } finally {
    await runner.query(setTimeouts('DEFAULT')).catch(() => undefined);
    await runner.query(`SELECT RELEASE_LOCK(${MIGRATIONS_LOCK})`).catch(() => undefined);
    await runner.release();
  }
}

const setTimeouts = (seconds: number | 'DEFAULT'): string =>
  `SET ${TIMEOUTS.map((name) => `SESSION ${name} = ${seconds}`).join(', ')}`;

async function takeLock(runner: QueryRunner, waitSeconds: number): Promise<void> {
  for (let seconds = 0; ; seconds = waitSeconds) {
    const taken = await answerOf(runner, `GET_LOCK(${MIGRATIONS_LOCK}, ${seconds})`);
    if (taken === 1) return;
    if (taken === null) throw new Error('The database gives no lock for changing the tables.');
    Logger.log(WAITING, 'Database');
  }
}

const holdsLock = async (runner: QueryRunner): Promise<boolean> =>
  (await answerOf(runner, `IS_USED_LOCK(${MIGRATIONS_LOCK}) = CONNECTION_ID()`)) === 1;

async function answerOf(runner: QueryRunner, expression: string): Promise<number | null> {
  const rows: { readonly answer: number | string | null }[] = await runner.query(
    `SELECT ${expression} AS answer`,
  );
  const answer = rows[0]?.answer ?? null;
  return answer === null ? null : Number(answer);
}

async function migrateWithRetries(dataSource: DataSource, runner: QueryRunner): Promise<void> {
  const executor = new MigrationExecutor(dataSource, runner);
  executor.transaction = 'each';
  let failures = 0;
  for (let pending = Infinity; ;) {
    try {
      await executor.executePendingMigrations();
      return;
    } catch (error) {
      if (!(await holdsLock(runner).catch(() => false))) throw new Error(LOST, { cause: error });
      if (isTableInUse(error)) {
        Logger.warn(waitsForTable(error), 'Database');
        await pause(TABLE_PAUSE_MS);
        continue;
      }
      const left = (await executor.getPendingMigrations()).length;
      failures = left < pending ? 1 : failures + 1;
      pending = left;
      if (failures === ATTEMPTS) throw error;
      await pause(PAUSE_MS);
    }
  }
}

async function isNew(runner: QueryRunner): Promise<boolean> {
  const rows: unknown[] = await runner.query(IS_NEW);
  return rows.length > 0;
}

/** Stores the first rows of a database whose tables this start, or one that was killed, has created. */
async function endCreation(runner: QueryRunner, created?: FirstRows): Promise<void> {
  if (!(await isNew(runner))) return;
  let report: (() => void) | undefined;
  await runner.startTransaction();
  try {
    const { affected } = await runner.query(END_CREATION, [], true);
    if (affected === 1) report = await created?.(runner);
    await runner.commitTransaction();
  } catch (error) {
    await runner.rollbackTransaction();
    // On Galera, another instance may do the same at this moment.
    if (await isNew(runner)) throw error;
    return;
  }
  report?.();
}

const isTableInUse = (error: unknown): error is QueryFailedError =>
  error instanceof QueryFailedError && 'code' in error && error.code === 'ER_LOCK_WAIT_TIMEOUT';

/** @param error its statement, up to the first bracket, names the operation and the table */
const waitsForTable = ({ query }: QueryFailedError): string =>
  `"${(query.split('(', 1)[0] ?? '').trim()}" waits: another connection has the table in an open transaction, ` +
  'for example a dump (SHOW FULL PROCESSLIST lists it). Other instances go on; ' +
  `the next attempt is in ${TABLE_PAUSE_MS / 1000} seconds.`;

/** The commit of version 1.0. Its server brings the database of an earlier commit to its own state. */
export const VERSION_1_0 = 'e521aabc7de1e0fe1bf20d429655a4d897d1d9c4';

const numberOf = (name: string): number => Number(/\d{13}$/.exec(name)?.[0] ?? Infinity);
const BASELINE = Baseline1764300002000.name;

const NEWER = 'The database was changed by a newer version of ServiceFido: it is not touched.';
const BEFORE_1_0 =
  `The database is of a version before 1.0: start the server of commit ${VERSION_1_0} ` +
  'with it once, then this one. It is not touched.';

/**
 * Reads the names of the database's migrations, and changes nothing. Those of commits before version 1.0 stay, so
 * that these commits refuse the database.
 *
 * @param known names of this version's migrations
 * @throws Error if a newer version has changed the schema, or it is older than version 1.0
 */
async function readHistory(
  runner: QueryRunner,
  known: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows: { readonly name: string }[] = (await runner.hasTable('migrations'))
    ? await runner.query('SELECT name FROM migrations')
    : [];
  const names = new Set(rows.map(({ name }) => name));
  const since = [...names].filter((name) => numberOf(name) >= numberOf(BASELINE));
  if (since.some((name) => !known.includes(name))) throw new Error(NEWER);
  if (names.size > 0 && !names.has(BASELINE)) throw new Error(BEFORE_1_0);
  return names;
}
