import { Table, type QueryRunner, type TableColumn } from 'typeorm';
import { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { BetterSqlite3QueryRunner } from 'typeorm/driver/better-sqlite3/BetterSqlite3QueryRunner.js';
import { BYTE_TYPES } from '../entities/column-types.js';

/**
 * Whether SQLite can add a column to a table that has rows
 * (https://sqlite.org/lang_altertable.html#altertabaddcol).
 */
const canBeAdded = ({ isPrimary, isUnique, isNullable, default: value }: TableColumn): boolean =>
  !isPrimary && !isUnique && (isNullable || value !== undefined);

/**
 * Adds columns in place: TypeORM would copy the whole table for each, while SQLite adds most of them instantly,
 * however many rows there are.
 */
class SqliteQueryRunner extends BetterSqlite3QueryRunner {
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

/** TypeORM's driver for SQLite, for entities with MySQL's column types. */
export class SqliteDriver extends BetterSqlite3Driver {
  override createQueryRunner(): QueryRunner {
    this.queryRunner ??= new SqliteQueryRunner(this);
    return this.queryRunner;
  }

  override normalizeType(column: Parameters<BetterSqlite3Driver['normalizeType']>[0]): string {
    return BYTE_TYPES.includes(column.type) ? 'blob' : super.normalizeType(column);
  }

  /** Ignores lengths: SQLite accepts texts of any length in any column, so migrations that widen one skip SQLite. */
  override findChangedColumns(found: TableColumn[], wanted: ColumnMetadata[]): ColumnMetadata[] {
    const lengths = new Map(wanted.map(({ databaseName, length }) => [databaseName, length]));
    const alike = found.map((column) =>
      Object.assign(column.clone(), { length: lengths.get(column.name) ?? column.length }),
    );
    return super.findChangedColumns(alike, wanted);
  }
}
