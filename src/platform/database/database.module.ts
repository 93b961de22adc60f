import { setTimeout as pause } from 'node:timers/promises';
import { Global, Logger, Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type BetterSqlite3 from 'better-sqlite3';
import { DataSource, type QueryRunner } from 'typeorm';
import { isOpenToOthers, readSecretKeys } from '../config/files/key-files.js';
import { OptionMistakes } from '../config/option-types.js';
import { serverOptions } from '../config/server-config.js';
import type { ServerOptions } from '../config/server-options.js';
import { AgreedSetting, AgreedSettings } from './agreed-settings.js';
import { OldOutcomes } from './commit/old-outcomes.js';
import { UnitOutcome } from './commit/unit-outcomes.js';
import { Database } from './database.js';
import { IMPATIENCE, dataSourceOptions, kindOf, openPools, requireFile } from './data-source.js';
import { DirectoryVersionEntity, DirectoryVersion } from './directory-version.js';
import { Epochs } from './epochs.js';
import { EntitySource } from './entities/entity-source.js';
import { LeaseEntity } from './leases/lease.js';
import { Leases } from './leases/leased-rounds.js';
import { migrate, requireMigrated } from './migrate.js';
import { MysqlDatabase } from './mysql/mysql-database.js';
import { RedisLink } from './redis-link.js';
import { Sealing } from './secrets/sealing.js';
import { Secret } from './secrets/secret.entity.js';
import { SecretStore } from './secrets/secret-store.js';
import { SharedRecords } from './shared-records.js';
import { expectRows } from './sqlite/expected-rows.js';
import { SqliteDatabase } from './sqlite/sqlite-database.js';
import { codeOfDriverError } from '../errors/driver-errors.js';
import { isError } from '../errors/is-error.js';

const PAUSE_MS = 1000;
/**
 * Errors that waiting does not solve: a file that cannot be opened or is not a database, or a server's
 * setting. A locked file will be free again.
 */
const LASTING = /^(?:SQLITE_(?!BUSY|LOCKED)|UNSAFE_SESSION)/;

/** The server answers and says that the option is wrong: name, password or database. */
const WRONG_OPTION = /^ER_(?:ACCESS_DENIED|DBACCESS_DENIED|BAD_DB)/;

/**
 * Opens the database, waiting up to `seconds` for one that does not answer yet. An error that waiting cannot
 * solve (a damaged file) is thrown at once.
 *
 * @throws OptionMistakes for a wrong password or an unknown database
 */
async function openWithin(seconds: number, dataSource: DataSource): Promise<DataSource> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    try {
      return await dataSource.initialize();
    } catch (error) {
      if (isError(error) && WRONG_OPTION.test(`${error.code}`)) {
        throw new OptionMistakes([`--db: ${error.message}`]);
      }
      if (!mayPass(error) || Date.now() >= deadline) throw error;
      const left = Math.ceil((deadline - Date.now()) / 1000);
      Logger.warn(`The database does not answer yet; waiting up to ${left} s more`, 'Database');
      await pause(PAUSE_MS);
    }
  }
}

const mayPass = (error: unknown): boolean =>
  codeOfDriverError(error) === 'E0052R' && !(isError(error) && LASTING.test(`${error.code}`));

/** TypeORM's driver once the data source is open. */
type OpenSqlite = DataSource['driver'] & { readonly databaseConnection: BetterSqlite3.Database };

function openDatabase(dataSource: DataSource, options: ServerOptions): Database {
  if (kindOf(options.db) === 'mysql') return new MysqlDatabase(openPools(options.db));
  const { databaseConnection } = dataSource.driver as OpenSqlite;
  return new SqliteDatabase(databaseConnection);
}

/** `null` if sessions are stored in memory. */
const openRedis = ({ sessions }: ServerOptions): RedisLink | null =>
  sessions.startsWith('memory:') ? null : new RedisLink(sessions);

/** Reads the file of keys; without one, nothing is sealed. */
function openSealing(options: ServerOptions): Sealing {
  const { secretKeyFile } = options;
  const keys = readSecretKeys(options);
  if (secretKeyFile !== undefined && isOpenToOthers(secretKeyFile)) {
    const advice = 'it should be its owner’s alone (chmod 600)';
    Logger.warn(`--secret-key-file: others may read ${secretKeyFile}; ${advice}.`, 'Security');
  }
  return new Sealing(keys);
}

/** Injects whether this process migrates the database; otherwise it requires that another one did. */
const MIGRATES = Symbol('MIGRATES');
/** Injects the check before migrations. */
const BEFORE_MIGRATIONS = Symbol('BEFORE_MIGRATIONS');

export type CheckOfOptions = (runner: QueryRunner, options: ServerOptions) => Promise<void>;

/** Our own members among TypeORM's options. */
interface StartOptions {
  readonly waitSeconds?: number;
  readonly migrates?: boolean;
  readonly check?: (runner: QueryRunner) => Promise<void>;
}

@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [serverOptions.KEY, MIGRATES, BEFORE_MIGRATIONS],
      useFactory: (server: ServerOptions, migrates: boolean, check: CheckOfOptions) => {
        const { db, dbWait } = server;
        if (!migrates) requireFile(db);
        return {
          ...dataSourceOptions(db),
          autoLoadEntities: true,
          toRetry: () => false, // the factory below waits, and only if that can help
          waitSeconds: dbWait,
          migrates,
          check: (runner: QueryRunner) => check(runner, server),
        };
      },
      dataSourceFactory: async (options) => {
        if (!options) throw new Error('The data source has no options.');
        const { waitSeconds, migrates, check } = options as StartOptions;
        const dataSource = await openWithin(waitSeconds ?? 0, new EntitySource(options));
        try {
          await (migrates ? migrate(dataSource, check) : requireMigrated(dataSource));
        } catch (error) {
          await dataSource.destroy();
          throw error;
        }
        if (options.type !== 'mysql') {
          if (migrates) await expectRows(dataSource);
          return dataSource;
        }
        // Reopens it with a time limit: TypeORM has a single setting for migrations, which may take long, and
        // requests.
        await dataSource.destroy();
        return new EntitySource({ ...options, ...IMPATIENCE }).initialize();
      },
    }),
    TypeOrmModule.forFeature([
      AgreedSetting,
      DirectoryVersionEntity,
      LeaseEntity,
      Secret,
      UnitOutcome,
    ]),
  ],
  providers: [
    { provide: Database, inject: [DataSource, serverOptions.KEY], useFactory: openDatabase },
    { provide: RedisLink, inject: [serverOptions.KEY], useFactory: openRedis },
    AgreedSettings,
    DirectoryVersion,
    Epochs,
    Leases,
    OldOutcomes,
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
    BEFORE_MIGRATIONS,
    RedisLink,
    Sealing,
    SecretStore,
    SharedRecords,
  ],
})
export class DatabaseModule {
  /**
   * @param migrates whether it migrates the database; otherwise it refuses an older one
   * @param check called before the migration
   */
  static with(migrates: boolean, check: CheckOfOptions = () => Promise.resolve()): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [
        { provide: MIGRATES, useValue: migrates },
        { provide: BEFORE_MIGRATIONS, useValue: check },
      ],
    };
  }
}
