import { DataSource } from 'typeorm';
import type { DataSourceOptions, Driver } from 'typeorm';
import { adaptMetadata } from './adapt-metadata.js';
import type { Dialect } from './adapt-metadata.js';
import { MysqlDriver } from '../mysql/mysql-driver.js';
import { SqliteDriver } from '../sqlite/sqlite-driver.js';

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
