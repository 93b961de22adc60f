import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type BetterSqlite3 from 'better-sqlite3';
import type { DataSourceOptions } from 'typeorm';
import type { DatabaseKind } from './columns.js';
import { MIGRATIONS } from './migrations/index.js';

export const kindOf = (url: string): DatabaseKind =>
  url.startsWith('sqlite:') ? 'sqlite' : 'mysql';

/** The database's URL without its password, for logs and pages. */
export function publicUrl(url: string): string {
  return url.replace(/(?<=:\/\/[^:@/]*:)[^@/]*(?=@)/, '***');
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
      url: url.replace(/^mariadb:/, 'mysql:'),
      charset: 'utf8mb4',
      timezone: 'Z',
      supportBigNumbers: true,
      bigNumberStrings: false,
      connectTimeout: 2000,
      poolSize: 20,
      extra: { enableKeepAlive: true, queueLimit: 1000 },
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
