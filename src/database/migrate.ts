import type { DataSource } from 'typeorm';

const ATTEMPTS = 10;
const PAUSE_MS = 500;

/**
 * Brings the schema up to date. Instances that start together race for it: on one MySQL server a
 * named lock lets them pass one by one; on Galera, where such locks do not hold, the loser fails on
 * what the winner has made, waits and finds less left to do.
 */
export async function migrate(dataSource: DataSource): Promise<void> {
  if (dataSource.options.type !== 'mysql') {
    await dataSource.runMigrations();
    return;
  }
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
  for (let attempt = 1; ; attempt += 1) {
    try {
      await dataSource.runMigrations();
      return;
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
