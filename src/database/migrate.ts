import { Logger } from '@nestjs/common';
import { MigrationExecutor } from 'typeorm';
import type { DataSource, QueryRunner } from 'typeorm';

const ATTEMPTS = 10;
const PAUSE_MS = 500;
/** MySQL's errors where a migration's table, column or index exists already. */
const MADE_ALREADY: unknown[] = ['ER_TABLE_EXISTS_ERROR', 'ER_DUP_FIELDNAME', 'ER_DUP_KEYNAME'];

/**
 * Name of the lock, an SQL expression with the database's name, so that other databases on the same server
 * need not wait.
 */
export const MIGRATIONS_LOCK = "CONCAT('servicefido_migrations_', LEFT(MD5(DATABASE()), 16))";
/** How long one request for the lock waits; each failed request is logged. */
const WAIT_SECONDS = 10;
const WAITING = 'Another instance changes the tables: this one starts when that has ended.';
const LOST =
  'The connection with which the tables were changed was lost, and with it the lock that keeps other instances ' +
  'from changing them at the same time. Start again: what is done stays done.';

/**
 * Brings the schema up to date. Instances that start together race for it: on one MySQL server a named lock
 * lets them pass one by one; on Galera, where such locks do not hold, the loser fails on what the winner has
 * made, waits, and tries again with what is left to do.
 *
 * @throws Error when a newer version has changed the schema already
 */
export async function migrate(dataSource: DataSource): Promise<void> {
  if (dataSource.options.type === 'mysql') await migrateTogether(dataSource);
  else await dataSource.runMigrations();
  await refuseNewer(dataSource);
}

/** Runs the migrations on the connection that holds the lock, so that they end when the lock is lost. */
async function migrateTogether(dataSource: DataSource): Promise<void> {
  const runner = dataSource.createQueryRunner();
  try {
    await takeLock(runner);
    await migrateWithRetries(dataSource, runner);
  } finally {
    await runner.query(`SELECT RELEASE_LOCK(${MIGRATIONS_LOCK})`).catch(() => undefined);
    await runner.release();
  }
}

async function takeLock(runner: QueryRunner): Promise<void> {
  for (let seconds = 0; ; seconds = WAIT_SECONDS) {
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
  for (let failures = 0; ;) {
    try {
      await executor.executePendingMigrations();
      return;
    } catch (error) {
      if (!(await holdsLock(runner).catch(() => false))) throw new Error(LOST, { cause: error });
      if (isMadeAlready(error) && (await takeForDone(executor))) continue;
      failures += 1;
      if (failures === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

const isMadeAlready = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && MADE_ALREADY.includes(error.code);

/**
 * Records the next migration as done. A process that was killed after its DDL statement, which MySQL commits
 * at once, did not record it. Each migration is one statement, so only the record is missing.
 */
async function takeForDone(executor: MigrationExecutor): Promise<boolean> {
  const [next] = await executor.getPendingMigrations();
  if (next === undefined) return false;
  await executor.insertMigration(next);
  return true;
}

/** Refuses a schema of a newer version: what this version writes might lose data there. */
async function refuseNewer(dataSource: DataSource): Promise<void> {
  const known = new Set(
    dataSource.migrations.map(({ name, constructor }) => name ?? constructor.name),
  );
  const rows = await dataSource.query<{ name: string }[]>('SELECT name FROM migrations');
  const unknown = rows.filter(({ name }) => !known.has(name));
  if (unknown.length > 0) {
    throw new Error(
      'The database was changed by a newer version of ServiceFido: it is not touched.',
    );
  }
}
