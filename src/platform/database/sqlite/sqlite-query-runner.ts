import { Table } from 'typeorm';
import type { TableColumn } from 'typeorm';
import { BetterSqlite3QueryRunner } from 'typeorm/driver/better-sqlite3/BetterSqlite3QueryRunner.js';

/**
 * Whether SQLite can add a column to a table that has rows
 * (https://sqlite.org/lang_altertable.html#altertabaddcol).
 */
const canBeAdded = ({ isPrimary, isUnique, isNullable, default: value }: TableColumn): boolean =>
  !isPrimary && !isUnique && (isNullable || value !== undefined);

/**
 * Adds columns in place: TypeORM would copy the whole table for each, while SQLite adds most of them at once,
 * however many rows there are.
 */
export class SqliteQueryRunner extends BetterSqlite3QueryRunner {
  override async addColumns(tableOrName: Table | string, columns: TableColumn[]): Promise<void> {
    if (!columns.every(canBeAdded)) return super.addColumns(tableOrName, columns);
    const table =
      tableOrName instanceof Table ? tableOrName : await this.getCachedTable(tableOrName);
    const changed = table.clone();
    for (const column of columns) {
      const definition = this.buildCreateColumnSql(column);
      await this.query(`ALTER TABLE ${this.escapePath(table)} ADD COLUMN ${definition}`);
      changed.addColumn(column);
    }
    this.replaceCachedTable(table, changed);
  }
}
