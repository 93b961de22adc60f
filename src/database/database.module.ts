import { Global, Logger, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type BetterSqlite3 from 'better-sqlite3';
import { DataSource } from 'typeorm';
import { isOpenToOthers } from '../config/audit-key-file.js';
import { OptionMistakes } from '../config/load-options.js';
import { readSecretKeys } from '../config/secret-key-file.js';
import { serverOptions } from '../config/server-config.js';
import type { ServerOptions } from '../config/server-options.js';
import { Database } from './database.js';
import { IMPATIENCE, dataSourceOptions, kindOf, openPools } from './data-source.js';
import { EntitySource } from './entities/entity-source.js';
import { LeaseEntity } from './leases/lease.entity.js';
import { Leases } from './leases/leases.js';
import { migrate } from './migrate.js';
import { openWithin } from './open-within.js';
import { MysqlDatabase } from './mysql/mysql-database.js';
import { RedisLink } from './redis-link.js';
import { Sealing } from './sealing.js';
import { Secret } from './secret.entity.js';
import { SecretStore } from './secret-store.js';
import { SharedRecords } from './shared-records.js';
import { expectRows } from './sqlite/expected-rows.js';
import { SqliteDatabase } from './sqlite/sqlite-database.js';

/** The driver as TypeORM holds it once the data source is open. */
type OpenSqlite = DataSource['driver'] & { readonly databaseConnection: BetterSqlite3.Database };

function openDatabase(dataSource: DataSource, options: ServerOptions): Database {
  if (kindOf(options.db) === 'mysql') return new MysqlDatabase(openPools(options.db));
  const { databaseConnection } = dataSource.driver as OpenSqlite;
  return new SqliteDatabase(databaseConnection);
}

/** `null` where sessions are kept in memory. */
const openRedis = ({ sessions }: ServerOptions): RedisLink | null =>
  sessions.startsWith('memory:') ? null : new RedisLink(sessions);

/** Reads the file of keys; without one, nothing is sealed. */
function openSealing(options: ServerOptions): Sealing {
  const { secretKeyFile } = options;
  const mistakes: string[] = [];
  const keys = readSecretKeys(options, mistakes);
  if (mistakes.length > 0) throw new OptionMistakes(mistakes);
  if (secretKeyFile !== undefined && isOpenToOthers(secretKeyFile)) {
    const advice = 'it should be its owner’s alone (chmod 600)';
    Logger.warn(`--secret-key-file: others may read ${secretKeyFile}; ${advice}.`, 'Security');
  }
  return new Sealing(keys);
}

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
        if (options.type !== 'mysql') {
          await expectRows(dataSource);
          return dataSource;
        }
        // Reopens it with a time limit: TypeORM has one setting for migrations, which may take long, and
        // requests.
        await dataSource.destroy();
        return new EntitySource({ ...options, ...IMPATIENCE }).initialize();
      },
    }),
    TypeOrmModule.forFeature([LeaseEntity, Secret]),
  ],
  providers: [
    { provide: Database, inject: [DataSource, serverOptions.KEY], useFactory: openDatabase },
    { provide: RedisLink, inject: [serverOptions.KEY], useFactory: openRedis },
    Leases,
    { provide: Sealing, inject: [serverOptions.KEY], useFactory: openSealing },
    SharedRecords,
    SecretStore,
  ],
  exports: [Database, Leases, RedisLink, Sealing, SecretStore, SharedRecords],
})
export class DatabaseModule {}
