import { setTimeout as pause } from 'node:timers/promises';
import { Global, Logger, Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type BetterSqlite3 from 'better-sqlite3';
import { DataSource, type DataSourceOptions, type QueryRunner } from 'typeorm';
import { isOpenToOthers, readSecretKeys } from '../config/files/key-files.js';
import { OptionMistakes } from '../config/option-types.js';
import { serverOptions, type ServerOptions } from '../config/server-config.js';
import { codeOfDriverError, isError, messageOfError } from '../errors/driver-errors.js';
import { AgreedSettings } from './agreed-settings.js';
import {
  AgreedSetting,
  CacheVersionEntity,
  LeaseEntity,
  Secret,
  UnitOutcome,
} from './entities/server.entity.js';
import { OldOutcomes } from './commit/old-outcomes.js';
import { Database } from './database.js';
import { IMPATIENCE, dataSourceOptions, kindOf, openPools, requireFile } from './data-source.js';
import { CacheVersion } from './cache-version.js';
import { Epochs } from './epochs.js';
import { EntitySource } from './entities/entity-source.js';
import { migrate, requireMigrated, type FirstRows } from './migrate.js';
import { MysqlDatabase } from './mysql/mysql-database.js';
import { RedisLink, openRedis } from './redis-link.js';
import { Sealing } from './secrets/sealing.js';
import { SecretStore } from './secrets/secret-store.js';
import { SharedRecords } from './shared-records.js';
import { expectRows } from './sqlite/expected-rows.js';
import { SqliteDatabase } from './sqlite/sqlite-database.js';

const PAUSE_MS = 1000;
/**
 * Errors that waiting does not solve: a file that cannot be opened or is not a database, or a server's
 * setting. A locked file will be free again.
 */
const LASTING = /^(?:SQLITE_(?!BUSY|LOCKED)|UNSAFE_SESSION)/;

/** The server answers and says that the option is wrong: name, password, database, or what the user may do. */
const WRONG_OPTION = /^ER_(?:ACCESS_DENIED|DBACCESS_DENIED|TABLEACCESS_DENIED|BAD_DB)/;

/**
 * Opens the database, waiting up to `seconds` for one that does not answer yet. An error that waiting cannot
 * solve (a damaged file) is thrown at once.
 */
async function openWithin(seconds: number, dataSource: DataSource): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    try {
      await dataSource.initialize();
      return;
    } catch (error) {
      if (!mayPass(error) || Date.now() >= deadline) throw error;
      const left = Math.ceil((deadline - Date.now()) / 1000);
      Logger.warn(
        `The database does not answer yet (${messageOfError(error)}); waiting up to ${left} s more`,
        DatabaseModule.name,
      );
      await pause(PAUSE_MS);
    }
  }
}

const mayPass = (error: unknown): boolean =>
  codeOfDriverError(error) === 'E0052R' && !(isError(error) && LASTING.test(`${error.code}`));

/** The error with the name of the option, and of the file, which SQLite's message lacks. */
function withOption(error: unknown, { db }: ServerOptions): Error {
  if (error instanceof OptionMistakes) return error;
  const file = kindOf(db) === 'sqlite' ? `${db.slice('sqlite:'.length)}: ` : '';
  const isSilent = file === '' && mayPass(error);
  const sentence = `--db: ${file}${isSilent ? 'the database does not answer. ' : ''}${messageOfError(error)}`;
  const isWrong = isError(error) && WRONG_OPTION.test(`${error.code}`);
  return isWrong ? new OptionMistakes([sentence]) : new Error(sentence, { cause: error });
}

/** TypeORM's driver once the data source is open. */
type OpenSqlite = DataSource['driver'] & { readonly databaseConnection: BetterSqlite3.Database };

function openDatabase(dataSource: DataSource, options: ServerOptions): Database {
  if (kindOf(options.db) === 'mysql') return new MysqlDatabase(openPools(options.db));
  const { databaseConnection } = dataSource.driver as OpenSqlite;
  return new SqliteDatabase(databaseConnection);
}

/** Reads the file of keys; without one, nothing is sealed. */
function openSealing(options: ServerOptions): Sealing {
  const { secretKeyFile } = options;
  const keys = readSecretKeys(options);
  if (secretKeyFile !== undefined && isOpenToOthers(secretKeyFile)) {
    const advice = 'it should be its owner’s alone (chmod 600)';
    Logger.warn(`--secret-key-file: others may read ${secretKeyFile}; ${advice}.`, Sealing.name);
  }
  return new Sealing(keys);
}

/** Injects how this process treats the tables. */
const TABLE_MIGRATION = Symbol('TABLE_MIGRATION');

export interface TableMigration {
  /** Whether this process migrates the database; otherwise it requires that another one did. */
  readonly migrates: boolean;
  /** The server's check before the tables change; a restore opens files regardless of their keys. */
  readonly check?: (runner: QueryRunner, options: ServerOptions) => Promise<void>;
  /** The server's first rows in a new database. */
  readonly created?: FirstRows;
}

/** TypeORM's options, with the function that opens them: the factory of the data source gets nothing else. */
type OpeningOptions = DataSourceOptions & {
  readonly open: (typeorm: DataSourceOptions) => Promise<DataSource>;
};

/** @throws OptionMistakes for a wrong password, an unknown database, or a user without the rights to the tables */
async function openSource(
  typeorm: DataSourceOptions,
  server: ServerOptions,
  { migrates, check, created }: TableMigration,
): Promise<DataSource> {
  const source = new EntitySource(typeorm);
  try {
    await openWithin(server.dbWait, source);
    if (migrates)
      await migrate(source, {
        check: (runner) => check?.(runner, server),
        created,
      });
    else await requireMigrated(source);
  } catch (error) {
    if (source.isInitialized) await source.destroy();
    throw withOption(error, server);
  }
  if (typeorm.type !== 'mysql') {
    if (migrates) await expectRows(source);
    return source;
  }
  // Reopens it with a time limit: TypeORM has a single setting for migrations, which may take long, and
  // requests.
  await source.destroy();
  const impatient = new EntitySource({ ...typeorm, ...IMPATIENCE });
  await openWithin(server.dbWait, impatient);
  return impatient;
}

const SHARED = [AgreedSettings, CacheVersion, Epochs, SecretStore, SharedRecords];

@Global()
@Module({
  imports: [
    // Not in `with`: Nest warns of each further registration in a process.
    TypeOrmModule.forRootAsync({
      inject: [serverOptions.KEY, TABLE_MIGRATION],
      useFactory: (server: ServerOptions, migration: TableMigration) => {
        if (!migration.migrates) requireFile(server.db);
        const open: OpeningOptions['open'] = (typeorm) => openSource(typeorm, server, migration);
        return {
          ...dataSourceOptions(server.db),
          autoLoadEntities: true,
          toRetry: () => false, // `openSource` waits, and only if that can help
          open,
        };
      },
      dataSourceFactory: async (options) => {
        if (!options) throw new Error('The data source has no options.');
        return (options as OpeningOptions).open(options);
      },
    }),
    TypeOrmModule.forFeature([AgreedSetting, CacheVersionEntity, LeaseEntity, Secret, UnitOutcome]),
  ],
  providers: [
    { provide: Database, inject: [DataSource, serverOptions.KEY], useFactory: openDatabase },
    { provide: RedisLink, inject: [serverOptions.KEY], useFactory: openRedis },
    { provide: Sealing, inject: [serverOptions.KEY], useFactory: openSealing },
    OldOutcomes,
    ...SHARED,
  ],
  exports: [Database, RedisLink, Sealing, TABLE_MIGRATION, ...SHARED],
})
export class DatabaseModule {
  static with(migration: TableMigration): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [{ provide: TABLE_MIGRATION, useValue: migration }],
    };
  }
}
