import type { QueryRunner, TableColumn } from 'typeorm';
import { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { BYTE_TYPES } from '../entities/adapt-metadata.js';
import { SqliteQueryRunner } from './sqlite-query-runner.js';

/** TypeORM's driver for SQLite, for entities with MySQL's column types. */
export class SqliteDriver extends BetterSqlite3Driver {
  override createQueryRunner(): QueryRunner {
    this.queryRunner ??= new SqliteQueryRunner(this);
    return this.queryRunner;
  }

  override normalizeType(column: Parameters<BetterSqlite3Driver['normalizeType']>[0]): string {
    return BYTE_TYPES.includes(column.type) ? 'blob' : super.normalizeType(column);
  }

  /**
   * Ignores lengths: SQLite holds texts of any length in any column, so migrations that widen one skip
   * SQLite.
   */
  override findChangedColumns(found: TableColumn[], wanted: ColumnMetadata[]): ColumnMetadata[] {
    const lengths = new Map(wanted.map(({ databaseName, length }) => [databaseName, length]));
    const alike = found.map((column) =>
      Object.assign(column.clone(), { length: lengths.get(column.name) ?? column.length }),
    );
    return super.findChangedColumns(alike, wanted);
  }
}
