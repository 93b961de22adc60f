import {
  TableColumn,
  type QueryRunner,
  type TableColumnOptions,
  type TableIndexOptions,
} from 'typeorm';
import { BYTE_TYPES } from '../entities/column-types.js';

/** One of `entities/column-types`. */
interface ColumnType {
  readonly type: string;
  readonly length?: number;
  readonly charset?: string;
  readonly collation?: string;
}

/** A column of a migration, under its MySQL and MariaDB type. */
export const column = (
  name: string,
  { length, ...type }: ColumnType,
  more?: Partial<TableColumnOptions>,
): TableColumnOptions => ({
  name,
  ...type,
  ...(length !== undefined && { length: String(length) }),
  ...more,
});

export const isMysql = ({ connection }: QueryRunner): boolean =>
  connection.options.type === 'mysql';

/** The column on the current database: SQLite's blobs have no length, and its texts compare byte for byte. */
export function columnFor(runner: QueryRunner, given: TableColumnOptions): TableColumnOptions {
  if (isMysql(runner)) return given;
  const adapted = { ...given };
  delete adapted.charset;
  delete adapted.collation;
  if (BYTE_TYPES.includes(given.type)) {
    adapted.type = 'blob';
    delete adapted.length;
  }
  return adapted;
}

/** Changes the length of a text. SQLite's columns hold texts of any length. */
export async function changeText(
  runner: QueryRunner,
  table: string,
  text: TableColumnOptions,
): Promise<void> {
  if (isMysql(runner)) await runner.changeColumn(table, text.name, new TableColumn(text));
}

export const index = (name: string, ...columnNames: string[]): TableIndexOptions => ({
  name,
  columnNames,
});
