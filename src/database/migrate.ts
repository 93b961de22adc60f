import { MigrationExecutor } from 'typeorm';
import type { DataSource } from 'typeorm';

const ATTEMPTS = 10;
const PAUSE_MS = 500;
/** MySQL's errors where a migration's table, column or index exists already. */
const MADE_ALREADY: unknown[] = ['ER_TABLE_EXISTS_ERROR', 'ER_DUP_FIELDNAME', 'ER_DUP_KEYNAME'];

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

async function migrateTogether(dataSource: DataSource): Promise<void> {
  const lock = dataSource.createQueryRunner();
  try {
    await lock.query("SELECT GET_LOCK('servicefido_migrations', 30)");
    await migrateWithRetries(dataSource);
  } finally {
    await lock.query("SELECT RELEASE_LOCK('servicefido_migrations')").catch(() => undefined);
    await lock.release();
  }
}

async function migrateWithRetries(dataSource: DataSource): Promise<void> {
  for (let failures = 0; ;) {
    try {
      await dataSource.runMigrations();
      return;
    } catch (error) {
      if (isMadeAlready(error) && (await takeForDone(dataSource))) continue;
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
async function takeForDone(dataSource: DataSource): Promise<boolean> {
  const executor = new MigrationExecutor(dataSource);
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
