import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type BetterSqlite3 from 'better-sqlite3';
import type { Pool } from 'mysql2';
import { DataSource } from 'typeorm';
import { SERVER_OPTIONS } from '../config/server-options.js';
import type { ServerOptions } from '../config/server-options.js';
import { Database } from './database.js';
import { commitPool, dataSourceOptions, kindOf } from './data-source.js';
import { migrate } from './migrate.js';
import { openWithin } from './open-within.js';
import { MysqlDatabase } from './mysql-database.js';
import { SecretStore } from './secret-store.js';
import { SqliteDatabase } from './sqlite-database.js';

/** The drivers as TypeORM holds them once the data source is open. */
interface OpenDrivers {
  databaseConnection?: BetterSqlite3.Database;
  pool?: Pool;
}

function openDatabase(dataSource: DataSource, options: ServerOptions): Database {
  const { databaseConnection, pool } = dataSource.driver as OpenDrivers;
  if (kindOf(options.db) === 'sqlite' && databaseConnection) {
    return new SqliteDatabase(databaseConnection);
  }
  if (pool) return new MysqlDatabase(pool, commitPool(options.db));
  throw new Error('The database driver is not open.');
}

@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [SERVER_OPTIONS],
      useFactory: ({ db, dbWait }: ServerOptions) => ({
        ...dataSourceOptions(db),
        autoLoadEntities: true,
        toRetry: () => false, // the factory below waits by itself, and only where that can help
        waitSeconds: dbWait,
      }),
      dataSourceFactory: async (options) => {
        if (!options) throw new Error('The data source has no options.');
        const { waitSeconds } = options as { waitSeconds?: number };
        const dataSource = await openWithin(waitSeconds ?? 0, new DataSource(options));
        await migrate(dataSource);
        return dataSource;
      },
    }),
  ],
  providers: [
    { provide: Database, inject: [DataSource, SERVER_OPTIONS], useFactory: openDatabase },
    SecretStore,
  ],
  exports: [Database, SecretStore],
})
export class DatabaseModule {}
