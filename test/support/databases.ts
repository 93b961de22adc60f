import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';

export type DatabaseName = 'SQLite' | 'MariaDB';

const mysqlUrl = addressIn('TEST_MYSQL_URL');
const redisUrl = addressIn('TEST_REDIS_URL');

/** SQLite, and MariaDB or MySQL where `npm test` found or started one: for suites about databases and faults. */
export const EVERY_DATABASE: readonly DatabaseName[] =
  mysqlUrl === '' ? ['SQLite'] : ['SQLite', 'MariaDB'];

/**
 * The databases that a suite of a feature runs on. Twice the tests take twice the time, so an ordinary run has
 * SQLite alone; `.ci/run` sets the variable.
 */
export const DATABASES: readonly DatabaseName[] =
  process.env['TEST_EVERY_DATABASE'] === 'yes' ? EVERY_DATABASE : ['SQLite'];

/** URL of the Redis that suites may use; `undefined` where there is none. */
export const REDIS_URL: string | undefined = redisUrl === '' ? undefined : redisUrl;

export interface TestDatabase {
  /** For the option --db. */
  readonly url: string;
  remove(): Promise<void>;
}

/** The address that the start of the run found; empty where there is none. */
function addressIn(name: string): string {
  const address = process.env[name];
  if (address === undefined) throw new Error('*.spec.ts has no databases: use *.e2e-spec.ts.');
  return address;
}

let counter = 0;

/** A new, empty database that nobody else uses. */
export async function createDatabase(name: DatabaseName): Promise<TestDatabase> {
  if (name === 'SQLite') {
    const directory = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
    return {
      url: `sqlite:${join(directory, 'test.sqlite')}`,
      remove: async () => rmSync(directory, { recursive: true, force: true }),
    };
  }
  return createDatabaseAt(mysqlUrl);
}

/** The same on a given server of MariaDB or MySQL. */
export async function createDatabaseAt(serverUrl: string): Promise<TestDatabase> {
  counter += 1;
  const schema = `servicefido_test_${process.pid}_${counter}_${Date.now().toString(36)}`;
  await runSql(serverUrl, `CREATE DATABASE ${schema}`);
  return {
    url: `${serverUrl.replace(/\/$/, '')}/${schema}`,
    remove: () => runSql(serverUrl, `DROP DATABASE ${schema}`),
  };
}

/** Runs one statement as the server's administrator. */
export async function runSql(serverUrl: string, sql: string): Promise<void> {
  const connection = await createConnection(serverUrl);
  try {
    await connection.query(sql);
  } finally {
    await connection.end();
  }
}
