import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type BetterSqlite3 from 'better-sqlite3';
import type { DataSourceOptions } from 'typeorm';
import type { DatabaseKind } from './columns.js';
import { SnakeColumns } from './entities/snake-columns.js';
import { DropSilentConnections } from './mysql/drop-silent-connections.js';
import { createSafePool } from './mysql/safe-pool.js';
import { MIGRATIONS } from './migrations/index.js';
import type { Pools } from './mysql/mysql-database.js';

export const kindOf = (url: string): DatabaseKind =>
  url.startsWith('sqlite:') ? 'sqlite' : 'mysql';

/** How mysql2 connects, for TypeORM's pool and for ours. */
const MYSQL = {
  charset: 'utf8mb4',
  timezone: 'Z',
  connectTimeout: 1000,
  supportBigNumbers: true,
  bigNumberStrings: false,
} as const;
const POOL = { enableKeepAlive: true, queueLimit: 20_000 } as const;

const mysqlUrl = (url: string) => url.replace(/^mariadb:/, 'mysql:');

/** Opens our own pools beside TypeORM's; they connect when they are first used. */
export function openPools(url: string): Pools {
  const common = { ...MYSQL, ...POOL, uri: mysqlUrl(url) };
  // There is one transaction at a time: it needs one connection, and the next one another. A change that is
  // stored apart needs a third.
  const committing = createSafePool({
    ...common,
    multipleStatements: true,
    connectionLimit: 3,
    // A row that somebody has locked must not stop all commits for the default 50 seconds.
    alsoSet: 'SESSION innodb_lock_wait_timeout = 1',
  });
  const reading = createSafePool({ ...common, connectionLimit: 16 });
  const joined = createSafePool({ ...common, multipleStatements: true, connectionLimit: 4 });
  return { reading, joined, committing };
}

/** TypeORM's options for `sqlite:PATH` or `mysql://user:password@host:port/name`. */
export function dataSourceOptions(url: string): DataSourceOptions {
  const common = {
    migrations: MIGRATIONS,
    migrationsTransactionMode: 'each',
    logging: false,
    namingStrategy: new SnakeColumns(),
    // TypeORM would leave out a condition without a value, and the rows of all tenants would match.
    invalidWhereValuesBehavior: { undefined: 'throw', null: 'throw' },
  } as const;
  if (kindOf(url) === 'mysql') {
    return {
      ...common,
      type: 'mysql',
      driver: { createPool: createSafePool },
      ...MYSQL,
      url: mysqlUrl(url),
      poolSize: 5,
      extra: { ...POOL, queueLimit: 100 },
      logger: new DropSilentConnections(),
    };
  }
  const database = url.slice('sqlite:'.length);
  if (database !== ':memory:') createPrivately(database);
  return {
    ...common,
    type: 'better-sqlite3',
    database,
    enableWAL: true,
    // better-sqlite3 waits for a lock of another program by blocking; so it may not wait for long.
    timeout: 900,
    // TypeORM's enableWAL lowers this to NORMAL, which may lose acknowledged commits in a power failure.
    prepareDatabase: (db: BetterSqlite3.Database) => {
      db.pragma('synchronous = FULL');
      // Pages that many commits change are copied into the database once for 16 MB of log, not for 4.
      db.pragma('wal_autocheckpoint = 4000');
    },
  };
}

/** Limits the time of TypeORM's statements while the service runs; migrations run without a limit. */
export const IMPATIENCE = { enableQueryTimeout: true, maxQueryExecutionTime: 2500 } as const;

/**
 * Refuses a SQLite database that does not exist, for processes that do not create it.
 *
 * @throws Error
 */
export function requireFile(url: string): void {
  const file = url.slice('sqlite:'.length);
  if (kindOf(url) !== 'sqlite' || file === ':memory:' || existsSync(file)) return;
  throw new Error(`There is no database at ${file}: start the server first, which creates it.`);
}

/**
 * Creates the file readable by its owner only, since it holds the keys of tokens and cookies. SQLite gives
 * the files beside it the same mode.
 */
function createPrivately(file: string): void {
  mkdirSync(dirname(file), { recursive: true });
  closeSync(openSync(file, 'a', 0o600));
}
