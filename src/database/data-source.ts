import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type BetterSqlite3 from 'better-sqlite3';
import { createPool } from 'mysql2';
import type { Pool } from 'mysql2';
import type { DataSourceOptions } from 'typeorm';
import type { DatabaseKind } from './columns.js';
import { MIGRATIONS } from './migrations/index.js';

export const kindOf = (url: string): DatabaseKind =>
  url.startsWith('sqlite:') ? 'sqlite' : 'mysql';

/** How mysql2 connects, for TypeORM's pool and for ours. */
const MYSQL = { charset: 'utf8mb4', timezone: 'Z', connectTimeout: 2000 } as const;
const POOL = { enableKeepAlive: true, queueLimit: 1000 } as const;

const mysqlUrl = (url: string) => url.replace(/^mariadb:/, 'mysql:');

/** The pool that commits: one transaction at a time needs one connection, and one to follow it. */
export function commitPool(url: string): Pool {
  return createPool({
    ...MYSQL,
    ...POOL,
    uri: mysqlUrl(url),
    multipleStatements: true,
    connectionLimit: 2,
  });
}

/** TypeORM's options for `sqlite:PATH` or `mysql://user:password@host:port/name`. */
export function dataSourceOptions(url: string): DataSourceOptions {
  const common = {
    migrations: MIGRATIONS,
    migrationsTransactionMode: 'each',
    logging: false,
  } as const;
  if (kindOf(url) === 'mysql') {
    return {
      ...common,
      type: 'mysql',
      ...MYSQL,
      url: mysqlUrl(url),
      supportBigNumbers: true,
      bigNumberStrings: false,
      poolSize: 20,
      extra: POOL,
    };
  }
  const database = url.slice('sqlite:'.length);
  if (database !== ':memory:') createPrivately(database);
  return {
    ...common,
    type: 'better-sqlite3',
    database,
    enableWAL: true,
    timeout: 3000,
    // TypeORM drops statements beyond this many, and on Node 24.19 and later better-sqlite3 12
    // aborts the process when the garbage collector frees one.
    statementCacheSize: 10_000,
    // TypeORM's enableWAL lowers this to NORMAL, which may lose acknowledged commits with the power.
    prepareDatabase: (db: BetterSqlite3.Database) => {
      db.pragma('synchronous = FULL');
    },
  };
}

/** It holds the keys of tokens and cookies. SQLite gives the files beside it the same mode. */
function createPrivately(file: string): void {
  mkdirSync(dirname(file), { recursive: true });
  closeSync(openSync(file, 'a', 0o600));
}
