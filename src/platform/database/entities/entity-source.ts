import {
  DataSource,
  type EntityMetadata,
  type DataSourceOptions,
  type Driver,
  type TableColumn,
} from 'typeorm';
import { MysqlDriver as TypeormDriver } from 'typeorm/driver/mysql/MysqlDriver.js';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { SqliteDriver } from '../sqlite/sqlite-driver.js';
import { BYTE_TYPES } from './column-types.js';

/** Dialect of the database's catalogue: MariaDB's and MySQL's report defaults differently. */
type Dialect = 'sqlite' | 'mysql' | 'mariadb';

/**
 * Entities use MySQL's column types. This adapts TypeORM's metadata to what the migrations create on the current
 * database, so that comparing the two finds no difference.
 */
function adaptMetadata(entities: readonly EntityMetadata[], dialect: Dialect): void {
  for (const entity of entities) {
    if (dialect === 'sqlite') adaptColumns(entity);
    if (dialect === 'mariadb') adaptForeignKeys(entity);
  }
}

/** SQLite's blobs have no length, and its texts compare byte for byte by default. */
function adaptColumns({ columns }: EntityMetadata): void {
  for (const column of columns) {
    delete column.charset;
    delete column.collation;
    if (!BYTE_TYPES.includes(column.type)) continue;
    column.type = 'blob';
    column.length = '';
  }
}

/** MariaDB's catalogue reports RESTRICT for a key without ON UPDATE, which means the same as NO ACTION. */
function adaptForeignKeys({ foreignKeys }: EntityMetadata): void {
  for (const key of foreignKeys) {
    if (key.onUpdate === 'NO ACTION') key.onUpdate = 'RESTRICT';
  }
}

class MysqlDriver extends TypeormDriver {
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

/** MySQL's versions begin with 5, 8 or 9, MariaDB's with 10 and more. */
const FIRST_MARIADB = 10;

/** TypeORM's data source, with the same entities on SQLite, MySQL and MariaDB. */
export class EntitySource extends DataSource {
  declare readonly driver: Driver;

  constructor(options: DataSourceOptions) {
    super(options);
    this.driver = options.type === 'mysql' ? new MysqlDriver(this) : new SqliteDriver(this);
  }

  protected override async buildMetadatas(): Promise<void> {
    await super.buildMetadatas();
    adaptMetadata(this.entityMetadatas, this.dialect);
  }

  private get dialect(): Dialect {
    if (this.options.type !== 'mysql') return 'sqlite';
    return Number.parseInt(this.driver.version ?? '') >= FIRST_MARIADB ? 'mariadb' : 'mysql';
  }
}
