import type { TableColumn } from 'typeorm';
import { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { BYTE_TYPES } from '../entities/adapt-metadata.js';

/** TypeORM's driver for SQLite, for entities in the words of MySQL. */
export class SqliteDriver extends BetterSqlite3Driver {
  override normalizeType(column: Parameters<BetterSqlite3Driver['normalizeType']>[0]): string {
    return BYTE_TYPES.includes(column.type) ? 'blob' : super.normalizeType(column);
  }

  /** SQLite holds texts of any length in any column: one that grew elsewhere stayed as it was here. */
  override findChangedColumns(found: TableColumn[], wanted: ColumnMetadata[]): ColumnMetadata[] {
    const lengths = new Map(wanted.map(({ databaseName, length }) => [databaseName, length]));
    const alike = found.map((column) =>
      Object.assign(column.clone(), { length: lengths.get(column.name) ?? column.length }),
    );
    return super.findChangedColumns(alike, wanted);
  }
}
