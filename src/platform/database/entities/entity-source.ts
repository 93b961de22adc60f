import {
  DataSource,
  type EntityMetadata,
  type DataSourceOptions,
  type Driver,
  type ObjectLiteral,
  type TableColumn,
  Table,
  type QueryRunner,
} from 'typeorm';
import { Query } from 'typeorm/driver/Query.js';
import { MysqlDriver as TypeormDriver } from 'typeorm/driver/mysql/MysqlDriver.js';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import { BetterSqlite3QueryRunner } from 'typeorm/driver/better-sqlite3/BetterSqlite3QueryRunner.js';
import { BYTE_TYPES } from './column-types.js';

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
      const change = `ALTER TABLE ${this.escapePath(table)}`;
      // So that TypeORM can also list the statements without executing them.
      await this.executeQueries(
        new Query(`${change} ADD COLUMN ${definition}`),
        new Query(`${change} DROP COLUMN "${column.name}"`),
      );
      changed.addColumn(column);
    }
    this.replaceCachedTable(table, changed);
  }
}

/** A number that TypeORM binds like other values. */
class BoundNumber {
  constructor(readonly value: number) {}
}

/** TypeORM's driver for SQLite, for entities with MySQL's column types. */
class SqliteDriver extends BetterSqlite3Driver {
  /** Binds numbers: TypeORM would write them into the text, and `SqliteDatabase` prepares and keeps each text. */
  override escapeQueryWithParameters(sql: string, parameters: ObjectLiteral): [string, unknown[]] {
    const entries = Object.entries(parameters).map(
      ([name, value]: [string, unknown]) =>
        [name, typeof value === 'number' ? new BoundNumber(value) : value] as const,
    );
    const [text, values] = super.escapeQueryWithParameters(sql, Object.fromEntries(entries));
    const bound = values.map((value: unknown) =>
      value instanceof BoundNumber ? value.value : value,
    );
    return [text, bound];
  }

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
