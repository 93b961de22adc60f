import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type BetterSqlite3 from 'better-sqlite3';
import { DataSource } from 'typeorm';
import { serverOptions } from '../config/server-config.js';
import type { ServerOptions } from '../config/server-options.js';
import { Database } from './database.js';
import { IMPATIENCE, dataSourceOptions, kindOf, openPools } from './data-source.js';
import { EntitySource } from './entities/entity-source.js';
import { migrate } from './migrate.js';
import { openWithin } from './open-within.js';
import { MysqlDatabase } from './mysql/mysql-database.js';
import { RedisLink } from './redis-link.js';
import { Secret } from './secret.entity.js';
import { SecretStore } from './secret-store.js';
import { SqliteDatabase } from './sqlite/sqlite-database.js';

/** The driver as TypeORM holds it once the data source is open. */
type OpenSqlite = DataSource['driver'] & { readonly databaseConnection: BetterSqlite3.Database };

function openDatabase(dataSource: DataSource, options: ServerOptions): Database {
  if (kindOf(options.db) === 'mysql') return new MysqlDatabase(openPools(options.db));
  const { databaseConnection } = dataSource.driver as OpenSqlite;
  return new SqliteDatabase(databaseConnection);
}

/** `null` where the sessions are in memory. */
const openRedis = ({ sessions }: ServerOptions): RedisLink | null =>
  sessions.startsWith('memory:') ? null : new RedisLink(sessions);

@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [serverOptions.KEY],
      useFactory: ({ db, dbWait }: ServerOptions) => ({
        ...dataSourceOptions(db),
        autoLoadEntities: true,
        toRetry: () => false, // the factory below waits by itself, and only where that can help
        waitSeconds: dbWait,
      }),
      dataSourceFactory: async (options) => {
        if (!options) throw new Error('The data source has no options.');
        const { waitSeconds } = options as { waitSeconds?: number };
        const dataSource = await openWithin(waitSeconds ?? 0, new EntitySource(options));
        await migrate(dataSource);
        if (options.type !== 'mysql') return dataSource;
        // Migrations take the time that they need, requests do not: TypeORM knows no difference.
        await dataSource.destroy();
        return new EntitySource({ ...options, ...IMPATIENCE }).initialize();
      },
    }),
    TypeOrmModule.forFeature([Secret]),
  ],
  providers: [
    { provide: Database, inject: [DataSource, serverOptions.KEY], useFactory: openDatabase },
    { provide: RedisLink, inject: [serverOptions.KEY], useFactory: openRedis },
    SecretStore,
  ],
  exports: [Database, RedisLink, SecretStore],
})
export class DatabaseModule {}
