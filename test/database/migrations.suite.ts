import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import {
  TableIndex,
  type DataSourceOptions,
  type MigrationInterface,
  type QueryRunner,
} from 'typeorm';
import { dataSourceOptions } from '../../src/platform/database/data-source.js';
import { EntitySource } from '../../src/platform/database/entities/entity-source.js';
import { migrate, type FirstRows } from '../../src/platform/database/migrate.js';
import { MIGRATIONS } from '../../src/platform/database/migrations/index.js';
import { index } from '../../src/platform/database/migrations/table-parts.js';
import { EVERY_DATABASE, createDatabase } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { readRows } from '../support/read-rows.js';
import { catalogueOf } from '../support/schema/catalogue.js';
import { RECORD, StatementWatch } from '../support/schema/statement-watch.js';
import { TestServer } from '../support/test-server.js';

/** Makes its tables one by one. All others have one statement: see `index.ts` of the migrations. */
const BASELINE = 'Baseline1764300002000';

/** How many the baseline makes, at least. */
const TABLES = 50;
const CREATING_INDEX = `SELECT 1 FROM information_schema.processlist
  WHERE db = DATABASE() AND info LIKE 'CREATE UNIQUE INDEX%'`;
const MIGRATIONS_TABLE = /^CREATE TABLE (?:IF NOT EXISTS )?(?:`\w+`\.)?["`]migrations["`]/;

type MigrationList = NonNullable<DataSourceOptions['migrations']>;

const FIRST_ROW = 'first-row';
/** Fails the second time. */
const created: FirstRows = async (runner) => {
  await runner.query(`INSERT INTO secrets (name, value) VALUES ('${FIRST_ROW}', '')`);
  return undefined;
};

describe.each(EVERY_DATABASE)('migrations on %s', (on) => {
  const ddlCommits = on === 'MariaDB';

  it('each migration has one statement, except the baseline', async () => {
    const statements = await statementsOf();
    expect([...statements.keys()]).toEqual(MIGRATIONS.map(({ name }) => name));
    expect(severalIn(statements)).toEqual([BASELINE]);
  });

  it('refuses a migration with two statements', async () => {
    const statements = await statementsOf([...MIGRATIONS, CreateTwoTables9999999999999]);
    expect(severalIn(statements)).toEqual([BASELINE, 'CreateTwoTables9999999999999']);
  });

  it('the migrations change tables only in ways that instances of the previous version tolerate', async () => {
    const later = [...(await statementsOf())].filter(([name]) => name !== BASELINE);
    expect(later.flatMap(([, all]) => unbearableIn(all))).toEqual([]);
  });

  it.each([
    'ALTER TABLE `credentials` DROP COLUMN `device_name`',
    'ALTER TABLE `credentials` CHANGE `device_name` `name` varchar(64)',
    'ALTER TABLE `credentials` MODIFY `device_name` varchar(16)',
    'ALTER TABLE `credentials` ADD `colour` varchar(16) NOT NULL',
    'CREATE UNIQUE INDEX `ux_device` ON `credentials` (`device_name`)',
    'DROP TABLE `credentials`',
    'RENAME TABLE `credentials` TO `passkeys`',
    'UPDATE `credentials` SET `device_name` = NULL',
  ])('refuses a migration beside running instances: %s', (sql) => {
    expect(unbearableIn([sql])).toEqual([sql]);
  });

  it.each([
    'CREATE TABLE `colours` (`id` int NOT NULL)',
    'CREATE INDEX `ix_device` ON `credentials` (`device_name`)',
    'ALTER TABLE `credentials` ADD `colour` varchar(16) NULL',
    "ALTER TABLE `credentials` ADD `colour` varchar(16) NOT NULL DEFAULT 'red'",
  ])('accepts a migration beside running instances: %s', (sql) => {
    expect(unbearableIn([sql])).toEqual([]);
  });

  it('the migrations make the same schema and first rows when the process is killed after each statement', async () => {
    const killed = await createDatabase(on);
    const whole = await createDatabase(on);
    const log = jest.spyOn(Logger, 'log').mockImplementation(() => undefined);
    try {
      let kills = 0;
      for (let most = 1, isDone = false; !isDone; kills += 1) {
        const watch = new StatementWatch({ most, ddlCommits });
        await runMigrations(killed.url, watch, { created });
        isDone = !watch.isDead;
        most = watch.hasStored ? 1 : most + 1;
        // A statement that is done again in each run would never let its migration be recorded.
        expect(kills).toBeLessThan(1000);
      }
      expect(kills).toBeGreaterThan(TABLES);
      for (let starts = 1; starts <= 2; starts += 1) {
        const watch = new StatementWatch({ most: Infinity, ddlCommits });
        await runMigrations(whole.url, watch, { created });
      }
      expect(await schemaOf(killed.url)).toEqual(await schemaOf(whole.url));
      const secrets = 'SELECT name FROM secrets';
      expect(await readRows(whole.url, secrets)).toEqual([{ name: FIRST_ROW }]);
      expect(await readRows(killed.url, secrets)).toEqual([{ name: FIRST_ROW }]);
    } finally {
      log.mockRestore();
      await killed.remove();
      await whole.remove();
    }
  });

  if (on === 'MariaDB') {
    it('a migration waits for a table that a dump reads, while users sign in', async () => {
      const server = await TestServer.start({ on });
      const warn = jest.spyOn(Logger, 'warn').mockImplementation(() => undefined);
      const waits = () =>
        warn.mock.calls.filter(
          ([text, context]) =>
            /^"CREATE INDEX .*`credentials`" waits: another connection has/.test(String(text)) &&
            context === 'Database',
        );
      const dump = await createConnection(server.database.url);
      const source = await new EntitySource({
        ...dataSourceOptions(server.database.url),
        migrations: [...MIGRATIONS, IndexCredentials9999999999999],
      }).initialize();
      try {
        const client = new FidoClient(server.url);
        await client.register('anna');
        await dump.query('START TRANSACTION');
        await dump.query('SELECT id FROM credentials LIMIT 1');
        const migrated = migrate(source);
        for (let attempts = 1; attempts <= 2; attempts += 1) {
          expect((await client.signIn('anna')).status).toBe(200);
          // The server's jobs warn too, and there may be a further attempt before this process looks.
          await eventually(() => expect(waits().length).toBeGreaterThanOrEqual(attempts));
        }
        expect((await client.signIn('anna')).status).toBe(200);
        await dump.query('COMMIT');
        await migrated;
        const indexes = await source.query<{ Key_name: string }[]>('SHOW INDEX FROM credentials');
        expect(indexes.map(({ Key_name }) => Key_name)).toContain('ix_credentials_later');
      } finally {
        warn.mockRestore();
        await source.destroy();
        await dump.end();
        await server.stop();
      }
    });

    it('a migration gives up while a reader who waits for its table has rows that refer to it', async () => {
      const server = await TestServer.start({ on });
      const warn = jest.spyOn(Logger, 'warn').mockImplementation(() => undefined);
      const reader = await createConnection(server.database.url);
      const look = await createConnection(server.database.url);
      const source = await new EntitySource({
        ...dataSourceOptions(server.database.url),
        migrations: [...MIGRATIONS, IndexUsers9999999999999],
      }).initialize();
      try {
        await new FidoClient(server.url).register('anna');
        // Less than the 50 seconds for which MariaDB waits for rows by default.
        await reader.query('SET SESSION lock_wait_timeout = 30');
        await reader.query('START TRANSACTION');
        await reader.query('UPDATE credentials SET enabled = 0');
        const migrated = migrate(source);
        await eventually(async () => {
          const [rows] = await look.query<RowDataPacket[]>(CREATING_INDEX);
          expect(rows).toHaveLength(1);
        });
        const [users] = await reader.query<RowDataPacket[]>('SELECT id FROM users');
        expect(users).toHaveLength(1);
        await reader.query('COMMIT');
        await migrated;
      } finally {
        warn.mockRestore();
        await source.destroy();
        await reader.end();
        await look.end();
        await server.stop();
      }
    });
  }

  /** Runs migrations over the database until the watch kills them. */
  async function runMigrations(
    url: string,
    watch: StatementWatch,
    {
      migrations = MIGRATIONS,
      created,
    }: { readonly migrations?: MigrationList; readonly created?: FirstRows } = {},
  ): Promise<void> {
    const source = new EntitySource({ ...dataSourceOptions(url), migrations, logger: watch });
    await source.initialize();
    try {
      await migrate(source, { created });
    } catch (error) {
      if (!watch.isDead) throw error;
    } finally {
      await source.destroy();
    }
  }

  /** What each migration executes on an empty database, by its name. */
  async function statementsOf(migrations: MigrationList = MIGRATIONS) {
    const database = await createDatabase(on);
    const watch = new StatementWatch({ most: Infinity, ddlCommits });
    try {
      await runMigrations(database.url, watch, { migrations });
    } finally {
      await database.remove();
    }
    const statements = new Map<string, string[]>();
    let current: string[] = [];
    for (const { sql, parameters } of watch.changes) {
      if (RECORD.test(sql)) {
        statements.set(String(parameters.find((value) => typeof value === 'string')), current);
        current = [];
      } else if (!MIGRATIONS_TABLE.test(sql)) current.push(sql);
    }
    return statements;
  }

  function severalIn(statements: ReadonlyMap<string, readonly string[]>) {
    return [...statements]
      .filter(([, all]) => withoutOwnIndexes(all).length > 1)
      .map(([name]) => name);
  }
});

/**
 * Instances of the earlier version continue to write during a migration: they do not fill new columns, and do not know
 * new rules. docs/operations.md lists what a migration may change.
 */
const BEARABLE =
  /^CREATE (?:TABLE|INDEX) |^ALTER TABLE \S+ ADD (?!CONSTRAINT|UNIQUE|FOREIGN|PRIMARY)(?!.*NOT NULL(?!.*DEFAULT))/;

/** Columns that became longer. */
const WIDENED = /^ALTER TABLE `(?:credentials|deleted_keys)` MODIFY `transports` varchar\(527\) /;

/** Unique indexes of columns that the previous version does not know, and leaves empty. */
const ON_NEW_COLUMN = /^CREATE UNIQUE INDEX .uq_(?:console_accounts_identity|users_external_id). /;

const unbearableIn = (statements: readonly string[]): readonly string[] =>
  withoutOwnIndexes(statements).filter(
    (sql) => ![BEARABLE, WIDENED, ON_NEW_COLUMN].some((form) => form.test(sql)),
  );

/** A migration that breaks the rules. */
class CreateTwoTables9999999999999 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('CREATE TABLE one (id INTEGER)');
    await queryRunner.query('CREATE TABLE two (id INTEGER)');
  }

  async down(): Promise<void> {}
}

/** A migration of a later version. */
class IndexCredentials9999999999999 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.createIndex(
      'credentials',
      new TableIndex(index('ix_credentials_later', 'relying_party_id', 'registered_at')),
    );
  }

  async down(): Promise<void> {}
}

class IndexUsers9999999999999 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const unique = { ...index('uq_users_later', 'relying_party_id', 'username'), isUnique: true };
    await queryRunner.createIndex('users', new TableIndex(unique));
  }

  async down(): Promise<void> {}
}

/**
 * SQLite has no indexes in CREATE TABLE: those of a table that the same migration creates belong to it. They
 * are empty, and SQLite commits them together.
 */
function withoutOwnIndexes(statements: readonly string[]): readonly string[] {
  const [, created] = /^CREATE TABLE "(\w+)"/.exec(statements[0] ?? '') ?? [];
  const own = `ON "${created}" (`;
  return statements.filter(
    (sql) => created === undefined || !/^CREATE (?:UNIQUE )?INDEX/.test(sql) || !sql.includes(own),
  );
}

async function schemaOf(url: string) {
  const source = await new EntitySource(dataSourceOptions(url)).initialize();
  const names = await source.query<{ name: string }[]>('SELECT name FROM migrations ORDER BY id');
  const catalogue = await catalogueOf(source);
  await source.destroy();
  return { names, catalogue };
}
