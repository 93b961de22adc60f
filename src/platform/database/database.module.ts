import { Global, Logger, Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type BetterSqlite3 from 'better-sqlite3';
import { DataSource } from 'typeorm';
import { isOpenToOthers } from '../config/files/audit-key-file.js';
import { OptionMistakes } from '../config/load-options.js';
import { readSecretKeys } from '../config/files/secret-key-file.js';
import { serverOptions } from '../config/server-config.js';
import type { ServerOptions } from '../config/server-options.js';
import { AgreedSetting } from './agreed-settings/agreed-setting.entity.js';
import { AgreedSettings } from './agreed-settings/agreed-settings.js';
import { Database } from './database.js';
import { IMPATIENCE, dataSourceOptions, kindOf, openPools, requireFile } from './data-source.js';
import { DirectoryVersionEntity } from './directory-version/directory-version.entity.js';
import { DirectoryVersion } from './directory-version/directory-version.js';
import { Epochs } from './epochs.js';
import { EntitySource } from './entities/entity-source.js';
import { LeaseEntity } from './leases/lease.entity.js';
import { Leases } from './leases/leases.js';
import { migrate, requireMigrated } from './migrate.js';
import { openWithin } from './open-within.js';
import { MysqlDatabase } from './mysql/mysql-database.js';
import { RedisLink } from './redis-link.js';
import { Sealing } from './secrets/sealing.js';
import { Secret } from './secrets/secret.entity.js';
import { SecretStore } from './secrets/secret-store.js';
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

/** Injects whether this process brings the tables up to date; otherwise it requires that another one did. */
const MIGRATES = Symbol('MIGRATES');

@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [serverOptions.KEY, MIGRATES],
      useFactory: ({ db, dbWait }: ServerOptions, migrates: boolean) => {
        if (!migrates) requireFile(db);
        return {
          ...dataSourceOptions(db),
          autoLoadEntities: true,
          toRetry: () => false, // the factory below waits, and only where that can help
          waitSeconds: dbWait,
          migrates,
        };
      },
      dataSourceFactory: async (options) => {
        if (!options) throw new Error('The data source has no options.');
        const { waitSeconds, migrates } = options as { waitSeconds?: number; migrates?: boolean };
        const dataSource = await openWithin(waitSeconds ?? 0, new EntitySource(options));
        try {
          await (migrates ? migrate(dataSource) : requireMigrated(dataSource));
        } catch (error) {
          await dataSource.destroy();
          throw error;
        }
        if (options.type !== 'mysql') {
          if (migrates) await expectRows(dataSource);
          return dataSource;
        }
        // Reopens it with a time limit: TypeORM has one setting for migrations, which may take long, and
        // requests.
        await dataSource.destroy();
        return new EntitySource({ ...options, ...IMPATIENCE }).initialize();
      },
    }),
    TypeOrmModule.forFeature([AgreedSetting, DirectoryVersionEntity, LeaseEntity, Secret]),
  ],
  providers: [
    { provide: Database, inject: [DataSource, serverOptions.KEY], useFactory: openDatabase },
    { provide: RedisLink, inject: [serverOptions.KEY], useFactory: openRedis },
    AgreedSettings,
    DirectoryVersion,
    Epochs,
    Leases,
    { provide: Sealing, inject: [serverOptions.KEY], useFactory: openSealing },
    SharedRecords,
    SecretStore,
  ],
  exports: [
    AgreedSettings,
    Database,
    DirectoryVersion,
    Epochs,
    Leases,
    MIGRATES,
    RedisLink,
    Sealing,
    SecretStore,
    SharedRecords,
  ],
})
export class DatabaseModule {
  /** @param migrates whether it brings the tables up to date; otherwise it refuses older ones */
  static with(migrates: boolean): DynamicModule {
    return { module: DatabaseModule, providers: [{ provide: MIGRATES, useValue: migrates }] };
  }
}
