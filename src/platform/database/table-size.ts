import type { DatabaseKind } from './columns.js';
import type { Database } from './database.js';
import { sql } from './statement.js';
import type { NoParams } from './statement.js';

const sizeOf = (kind: DatabaseKind, table: string) =>
  sql<NoParams, { n: number | null }>(
    kind === 'sqlite'
      ? `SELECT (SELECT MAX(rowid) FROM ${table}) - (SELECT MIN(rowid) FROM ${table}) + 1 AS n`
      : `SELECT table_rows AS n FROM information_schema.tables
         WHERE table_schema = DATABASE() AND table_name = '${table}'`,
  );

/**
 * About how many rows a table has, from figures that the database has without counting.
 *
 * @param table name of the table; it goes into the SQL, so it must never come from a request
 */
export async function tableSize(database: Database, table: string): Promise<number> {
  const [row] = await database.query(sizeOf(database.kind, table));
  return row?.n ?? 0;
}
