import { DataSource } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import type { SqlValue } from '../../../src/platform/database/commit/unit.js';
import { splitIntoParts } from '../../../src/platform/common/split-into-parts.js';
import { Database } from '../../../src/platform/database/database.js';
import { BYTE_TYPES } from '../../../src/platform/database/entities/column-types.js';
import type { TestServer } from '../test-server.js';

const STEPS_PER_UNIT = 500;
/** On SQLite, columns of bytes are blobs. */
const BYTES = [...BYTE_TYPES, 'blob'];

/** Values by column name; the others are made up, or `null` where that is allowed. */
type GivenRow = Readonly<Record<string, SqlValue>>;

/** Fills a table with rows, one for each of the given ones. */
export async function fillTable(
  server: TestServer,
  table: string,
  rows: readonly GivenRow[],
): Promise<void> {
  const { columns } = server.get(DataSource).getMetadata(table);
  const names = columns.map(({ databaseName }) => databaseName);
  const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
  const steps = rows.map((given, n) => ({
    sql,
    params: columns.map((column) => given[column.databaseName] ?? madeUp(column, n)),
  }));
  for (const part of splitIntoParts(steps, STEPS_PER_UNIT)) await server.get(Database).commit(part);
}

function madeUp({ type, length, isNullable }: ColumnMetadata, n: number): SqlValue {
  if (isNullable) return null;
  if (BYTES.includes(type)) {
    const bytes = Buffer.alloc(type === 'binary' ? Number(length) : 8);
    bytes.writeUInt32BE(n + 1, bytes.length - 4);
    return bytes;
  }
  return type === 'varchar' || type === 'text' ? 'x' : n + 1;
}
