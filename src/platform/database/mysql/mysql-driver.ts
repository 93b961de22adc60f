import type { TableColumn } from 'typeorm';
import { MysqlDriver as TypeormDriver } from 'typeorm/driver/mysql/MysqlDriver.js';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';

/** TypeORM's driver for MySQL, which reads the catalogue of MariaDB too. */
export class MysqlDriver extends TypeormDriver {
  /** MariaDB's catalogue reports the default 'NULL' for a nullable column without a default. */
  override findChangedColumns(found: TableColumn[], wanted: ColumnMetadata[]): ColumnMetadata[] {
    const alike = found.map((column) => {
      const copy = column.clone();
      if (copy.isNullable && copy.default === "'NULL'") copy.default = undefined;
      return copy;
    });
    return super.findChangedColumns(alike, wanted);
  }
}
