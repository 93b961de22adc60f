import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type BetterSqlite3 from 'better-sqlite3';
import type { DataSourceOptions, Logger, QueryRunner } from 'typeorm';
import type { PoolConnection, Pool, PoolOptions, ResultSetHeader, SslOptions } from 'mysql2';
import { databaseCa } from '../config/option-types.js';
import { codedError } from '../errors/driver-errors.js';
import { type DatabaseKind, SnakeColumns } from './entities/table.js';
import { MIGRATIONS } from './migrations/index.js';
import { TRANSACTIONS_ONLY, type ConnectionPools } from './mysql/mysql-database.js';
import { mysql2 } from './optional-packages.js';
import { DATABASE_PATIENCE_MS } from './statement.js';

/** The protocol's SERVER_STATUS_NO_BACKSLASH_ESCAPES. */
const NO_BACKSLASH_ESCAPES = 0x200;

/**
 * The session variables on which statements rely, whatever the server's own values are, with their values in SQL.
 * MySQL and MariaDB both have them.
 */
export const SESSION_VARIABLES = {
  /**
   * mysql2 writes values into the statement's text and escapes quotes with a backslash: with NO_BACKSLASH_ESCAPES a
   * display name would end its own quotes.
   */
  sql_mode:
    "'STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'",
  /** A statement outside a transaction is stored when it is answered. */
  autocommit: '1',
  /** A commit begins no new transaction. */
  completion_type: '0',
  foreign_key_checks: '1',
  unique_checks: '1',
  /** `id IS NULL` finds no row that was inserted last. */
  sql_auto_is_null: '0',
  /** A change or read may concern many rows. */
  sql_safe_updates: '0',
  sql_big_selects: '1',
  sql_select_limit: '18446744073709551615',
} as const;

/** In a character set such as GBK a backslash may be half a character. */
const setting = (variables: Readonly<Record<string, string>>): string =>
  `SET NAMES utf8mb4 COLLATE utf8mb4_general_ci, ${Object.entries(variables)
    .map(([name, value]) => `SESSION ${name} = ${value}`)
    .join(', ')}`;

/** Guards of units rely on the locks that InnoDB takes at this level, its default. */
const TRANSACTIONS = 'SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ WRITE';

/**
 * A pool of mysql2 that lends a connection only after its session is set up, even a new connection, and the server's
 * answer shows that a backslash escapes.
 *
 * @param variables further session variables, or other values
 */
function createSafePool(options: PoolOptions, variables?: Readonly<Record<string, string>>): Pool {
  const pool = mysql2().createPool(options);
  const sql = setting({ ...SESSION_VARIABLES, ...variables });
  const ready = new WeakSet<PoolConnection>();
  const acquire = pool.getConnection.bind(pool);
  // mysql2's own `query` and `execute` use this method too.
  pool.getConnection = (callback) =>
    acquire((error, connection) => {
      if (error || ready.has(connection)) return callback(error, connection);
      setUp(connection, sql, (failure) => {
        if (failure) connection.destroy();
        else ready.add(connection);
        callback(failure, connection);
      });
    });
  return pool;
}

function setUp(
  connection: PoolConnection,
  sql: string,
  done: (failure: NodeJS.ErrnoException | null) => void,
): void {
  connection.query<ResultSetHeader>({ sql, timeout: DATABASE_PATIENCE_MS }, (error, result) => {
    if (error) return done(error);
    if ((result.serverStatus & NO_BACKSLASH_ESCAPES) !== 0) {
      const sentence = 'The database keeps sql_mode NO_BACKSLASH_ESCAPES: it is not used.';
      return done(codedError('UNSAFE_SESSION', sentence));
    }
    connection.query({ sql: TRANSACTIONS, timeout: DATABASE_PATIENCE_MS }, (failure) =>
      done(failure),
    );
  });
}

/**
 * TypeORM returns a connection to its pool even if a statement on it timed out. mysql2 does not cancel the
 * statement, so the next one would wait for it. TypeORM reports the failure to this "logger": it logs nothing
 * and destroys the connection.
 */
class DropSilentConnections implements Logger {
  logQueryError(error: string | Error, _sql: string, _params?: unknown[], runner?: QueryRunner) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'PROTOCOL_SEQUENCE_TIMEOUT') return;
    void runner?.connect().then((connection: PoolConnection) => connection.destroy());
  }

  logQuery(): void {}
  logQuerySlow(): void {}
  logSchemaBuild(): void {}
  logMigration(): void {}
  log(): void {}
}

export const kindOf = (url: string): DatabaseKind =>
  url.startsWith('sqlite:') ? 'sqlite' : 'mysql';

/** How mysql2 connects, for TypeORM's pool and for ours. */
const MYSQL = {
  charset: 'utf8mb4',
  timezone: 'Z',
  // The first calls of a burst open many at once, which takes a busy machine long.
  connectTimeout: DATABASE_PATIENCE_MS,
  // Whole numbers below 2^53 are numbers. A sum is a decimal, which is a text: statements cast it.
  supportBigNumbers: true,
  bigNumberStrings: false,
} as const;
const POOL = { enableKeepAlive: true, queueLimit: 20_000 } as const;

/** The address without its query, which TypeORM ignores and mysql2 reads in its own way; `ssl` is for both. */
function addressOf(url: string): { readonly uri: string; readonly ssl?: SslOptions } {
  const uri = url.replace(/^mariadb:/, 'mysql:').replace(/\?.*/, '');
  const ca = databaseCa(url);
  if (ca === undefined) return { uri };
  // mysql2 checks the name in the certificate only if it is asked to.
  const trusted = ca === 'on' ? {} : { ca: readFileSync(ca) };
  return { uri, ssl: { ...trusted, verifyIdentity: true } };
}

/** Opens our own pools beside TypeORM's; they connect when they are first used. */
export function openPools(url: string): ConnectionPools {
  const common = { ...MYSQL, ...POOL, ...addressOf(url) };
  // There is one transaction at a time: it needs one connection, and the next one another. Units with
  // `ownTransaction` share a second one, which needs a third.
  const committing = createSafePool(
    { ...common, multipleStatements: true, connectionLimit: 3 },
    // A locked row must not stop all commits for the default 50 seconds.
    { ...TRANSACTIONS_ONLY, innodb_lock_wait_timeout: '1' },
  );
  const reading = createSafePool({ ...common, connectionLimit: 16 });
  const joined = createSafePool({ ...common, multipleStatements: true, connectionLimit: 4 });
  return { reading, joined, committing };
}

/** TypeORM's options for `sqlite:PATH` or `mysql://user:password@host:port/name`, with `?ssl=on` or `?ssl=FILE`. */
export function dataSourceOptions(url: string): DataSourceOptions {
  const common = {
    migrations: MIGRATIONS,
    migrationsTransactionMode: 'each',
    logging: false,
    namingStrategy: new SnakeColumns(),
    // TypeORM would omit a condition without a value, and the rows of all tenants would match.
    invalidWhereValuesBehavior: { undefined: 'throw', null: 'throw' },
  } as const;
  if (kindOf(url) === 'mysql') {
    const { uri, ssl } = addressOf(url);
    return {
      ...common,
      type: 'mysql',
      driver: { createPool: createSafePool },
      ...MYSQL,
      url: uri,
      ...(ssl && { ssl }),
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
    // better-sqlite3 blocks while it waits for a lock of another program, so it may not wait for long.
    timeout: 900,
    // TypeORM's enableWAL lowers this to NORMAL, which may lose acknowledged commits in a power failure.
    prepareDatabase: (db: BetterSqlite3.Database) => {
      db.pragma('synchronous = FULL');
      // Pages that many commits change are copied into the database once per 16 MB of log, instead of 4.
      db.pragma('wal_autocheckpoint = 4000');
    },
  };
}

/** Limits the time of TypeORM's statements while the service runs; migrations run without a limit. */
export const IMPATIENCE = {
  enableQueryTimeout: true,
  maxQueryExecutionTime: DATABASE_PATIENCE_MS,
} as const;

/** The path of a SQLite database that processes can share; `undefined` for others. */
export function sqliteFileOf(url: string): string | undefined {
  const file = url.slice('sqlite:'.length);
  return kindOf(url) === 'sqlite' && file !== ':memory:' ? file : undefined;
}

/** @throws Error if there is no SQLite database, for processes that do not create it */
export function requireFile(url: string): void {
  const file = sqliteFileOf(url);
  if (file === undefined || existsSync(file)) return;
  throw new Error(`There is no database at ${file}: start the server first, which creates it.`);
}

/**
 * Creates the file readable by its owner only, since it contains the keys of tokens and cookies. SQLite gives
 * the files beside it the same mode.
 */
export function createPrivately(file: string): void {
  mkdirSync(dirname(file), { recursive: true });
  closeSync(openSync(file, 'a', 0o600));
}
