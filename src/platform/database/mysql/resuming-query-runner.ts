import type { DataSource, EntityManager, Table, TableColumn, TableIndex } from 'typeorm';
import type { MysqlDriver } from 'typeorm/driver/mysql/MysqlDriver.js';
import { MysqlQueryRunner } from 'typeorm/driver/mysql/MysqlQueryRunner.js';
import { Query } from 'typeorm/driver/Query.js';

/**
 * Changes the schema only if the change is still missing. MySQL commits each DDL statement at once, so a killed process
 * leaves a statement whose migration is not recorded; the next run then finds its table, column or index. (SQLite
 * undoes the whole migration.)
 */
export class ResumingQueryRunner extends MysqlQueryRunner {
  override readonly manager: EntityManager;

  constructor(dataSource: DataSource, driver: MysqlDriver) {
    super(driver, 'master');
    this.manager = dataSource.createEntityManager(this);
  }

  override createTable(table: Table): Promise<void> {
    return super.createTable(table, true);
  }

  /** On Galera another instance may create the table after this one has looked for it. */
  protected override createTableSql(table: Table, createForeignKeys?: boolean): Query {
    const { query, parameters } = super.createTableSql(table, createForeignKeys);
    return new Query(query.replace(/^CREATE TABLE /, 'CREATE TABLE IF NOT EXISTS '), parameters);
  }

  override dropTable(tableOrName: Table | string): Promise<void> {
    return super.dropTable(tableOrName, true);
  }

  override async addColumn(tableOrName: Table | string, column: TableColumn): Promise<void> {
    const table = await this.readTable(tableOrName);
    if (!table.findColumnByName(column.name)) await super.addColumn(table, column);
  }

  /** Changes the length. TypeORM would drop the column, and add another. */
  override async changeColumn(
    tableOrName: Table | string,
    _: TableColumn | string,
    column: TableColumn,
  ): Promise<void> {
    const table = await this.readTable(tableOrName);
    if (table.findColumnByName(column.name)?.length === column.length) return;
    const definition = this.buildCreateColumnSql(column, true);
    await this.query(`ALTER TABLE ${this.escapePath(table)} MODIFY ${definition}`);
  }

  override async dropColumn(
    tableOrName: Table | string,
    column: TableColumn | string,
  ): Promise<void> {
    const table = await this.readTable(tableOrName);
    const name = typeof column === 'string' ? column : column.name;
    await super.dropColumn(table, name, true);
  }

  override async createIndex(tableOrName: Table | string, index: TableIndex): Promise<void> {
    const table = await this.readTable(tableOrName);
    if (!table.indices.some(({ name }) => name === index.name)) {
      await super.createIndex(table, index);
    }
  }

  override async dropIndex(tableOrName: Table | string, index: TableIndex | string): Promise<void> {
    const table = await this.readTable(tableOrName);
    const name = typeof index === 'string' ? index : (index.name ?? '');
    await super.dropIndex(table, name, true);
  }

  /** Reads the table from the database: TypeORM's cache may be older than the last attempt. */
  private async readTable(tableOrName: Table | string): Promise<Table> {
    const name = typeof tableOrName === 'string' ? tableOrName : tableOrName.name;
    const table = await this.getTable(name);
    if (!table) throw new Error(`There is no table ${name}.`);
    return table;
  }
}
