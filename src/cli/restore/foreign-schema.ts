import BetterSqlite3 from 'better-sqlite3';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../platform/database/data-source.js';
import { migrate } from '../../platform/database/migrate.js';
import { SQLITE_SCHEMA } from './restore.statements.js';

interface SchemaPart {
  readonly type: 'table' | 'index' | 'view' | 'trigger';
  readonly name: string;
  readonly sql: string | null;
}

const VIRTUAL = /^CREATE VIRTUAL/i;

/**
 * The parts of a SQLite file that no version of this program makes, such as `trigger users_copy`: a trigger or a view
 * would run in each server that uses a database restored from it. Migrations never remove a table.
 *
 * @throws the driver's error if the file is no database
 */
export async function foreignParts(file: string): Promise<string[]> {
  const database = new BetterSqlite3(file, { readonly: true, fileMustExist: true });
  try {
    const own = await ownTables();
    const parts = database.prepare<[], SchemaPart>(SQLITE_SCHEMA).all();
    return parts.filter((part) => isForeign(part, own)).map(({ type, name }) => `${type} ${name}`);
  } finally {
    database.close();
  }
}

function isForeign({ type, name, sql }: SchemaPart, own: ReadonlySet<string>): boolean {
  if (type === 'index') return false;
  return type !== 'table' || !own.has(name) || VIRTUAL.test(sql ?? '');
}

/** The names of the tables in a new database. */
async function ownTables(): Promise<ReadonlySet<string>> {
  const source = await new DataSource(dataSourceOptions('sqlite::memory:')).initialize();
  try {
    await migrate(source);
    const rows = await source.query<readonly SchemaPart[]>(SQLITE_SCHEMA);
    return new Set(rows.map(({ name }) => name));
  } finally {
    await source.destroy();
  }
}
