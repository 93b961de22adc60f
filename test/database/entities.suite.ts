import {
  DataSource,
  TableColumn,
  TableForeignKey,
  TableIndex,
  type DataSourceOptions,
  type QueryRunner,
} from 'typeorm';
// Loaded by the server only if an option switches it on.
import '../../src/oidc/oidc.module.js';
import { dataSourceOptions } from '../../src/platform/database/data-source.js';
import { EntitySource } from '../../src/platform/database/entities/entity-source.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { EVERY_DATABASE, createDatabase } from '../support/databases.js';
import { catalogueOf } from '../support/schema/catalogue.js';
import { TestServer } from '../support/test-server.js';

describe.each(EVERY_DATABASE)('entities on %s', (on) => {
  let server: TestServer;
  /** As the server has it: with every entity, over what the migrations made. */
  let migrated: DataSource;
  let made: string[];
  beforeAll(async () => {
    server = await TestServer.start({ on });
    migrated = server.get(DataSource);
    made = await withSource(async (source) => {
      await source.synchronize();
      return catalogueOf(source);
    });
  });
  afterAll(() => server.stop());

  it('entities define the same columns, keys, indexes and foreign keys as the migrations', async () => {
    expect(made).toEqual(await catalogueOf(migrated));
  });

  it('entities leave the schema builder nothing to change', async () => {
    expect(await statementsFor(migrated)).toEqual([]);
  });

  it('the comparison finds a table with another column', () =>
    withSource(async (source) => {
      await migrate(source);
      const changes =
        on === 'MariaDB' ? { ...forgottenChanges(), ...forgottenByMysql() } : forgottenChanges();
      const runner = source.createQueryRunner();
      for (const apply of Object.values(changes)) await apply(runner);
      await runner.release();
      const tables = Object.keys(changes).sort();
      expect(tablesOf(differences(made, await catalogueOf(source)))).toEqual(tables);
      const statements = await statementsFor(source);
      for (const table of tables) expect(statements.join('\n')).toContain(table);
    }));

  it('the comparison finds an index with another order of columns', () =>
    withSource(async (source) => {
      await migrate(source);
      const runner = source.createQueryRunner();
      await runner.dropIndex('events', 'ix_events_user');
      const columnNames = ['username', 'relying_party_id', 'at'];
      const index = new TableIndex({ name: 'ix_events_user', columnNames });
      await runner.createIndex('events', index);
      await runner.release();
      expect(tablesOf(differences(made, await catalogueOf(source)))).toEqual(['events']);
    }));

  /** Passes a data source of all entities to `use`, over a new database without migrations. */
  async function withSource<T>(use: (source: DataSource) => Promise<T>): Promise<T> {
    const database = await createDatabase(on);
    const { entities = [] } = migrated.options;
    const options: DataSourceOptions = { ...dataSourceOptions(database.url), entities };
    const source = new EntitySource(options);
    try {
      return await use(await source.initialize());
    } finally {
      await source.destroy();
      await database.remove();
    }
  }
});

/** The changes that TypeORM would make so that the tables match the entities. */
async function statementsFor(source: DataSource): Promise<string[]> {
  const { upQueries } = await source.driver.createSchemaBuilder().log();
  return upQueries.map(({ query }) => query);
}

const differences = (one: readonly string[], other: readonly string[]): string[] => [
  ...one.filter((line) => !other.includes(line)),
  ...other.filter((line) => !one.includes(line)),
];

const tablesOf = (lines: readonly string[]): string[] =>
  [...new Set(lines.map((line) => line.split(' ', 1)[0] ?? ''))].sort();

async function change(
  runner: QueryRunner,
  name: string,
  change: Partial<TableColumn>,
): Promise<void> {
  const [table = '', column = ''] = name.split('.');
  const found = (await runner.getTable(table))?.findColumnByName(column);
  if (!found) throw new Error(`There is no column ${name}.`);
  await runner.changeColumn(table, found, Object.assign(found.clone(), change));
}

function isMysql({ connection }: QueryRunner) {
  return connection.options.type === 'mysql';
}

/** Changes that a migration might make and an entity forget: one for each table. */
function forgottenChanges(): Readonly<Record<string, (runner: QueryRunner) => Promise<unknown>>> {
  return {
    secrets: (runner) => change(runner, 'secrets.value', { type: 'varchar', length: '64' }),
    tickets: (runner) => change(runner, 'tickets.username', { isNullable: true }),
    upload_lines: (runner) => change(runner, 'upload_lines.credentials', { default: 1 }),
    uploads: (runner) =>
      runner.addColumn(
        'uploads',
        new TableColumn({ name: 'more', type: 'integer', isNullable: true }),
      ),
    signing_keys: (runner) => runner.dropColumn('signing_keys', 'created_at'),
    usage_days: (runner) => runner.dropIndex('usage_days', 'ix_usage_days_day'),
    invoices: (runner) =>
      isMysql(runner)
        ? runner.dropIndex('invoices', 'uq_invoices_figures')
        : runner.dropUniqueConstraint('invoices', 'uq_invoices_figures'),
    users: async (runner) => {
      await runner.dropForeignKey('users', 'fk_users_relying_party');
      const key = new TableForeignKey({
        name: 'fk_users_relying_party',
        columnNames: ['relying_party_id'],
        referencedTableName: 'relying_parties',
        referencedColumnNames: ['id'],
        onDelete: 'RESTRICT',
      });
      await runner.createForeignKey('users', key);
    },
  };
}

/** What only MySQL and MariaDB know: SQLite's texts have no limit. */
function forgottenByMysql(): Readonly<Record<string, (runner: QueryRunner) => Promise<unknown>>> {
  return {
    aaguids: (runner) =>
      runner.query("ALTER TABLE aaguids MODIFY name VARCHAR(200) COLLATE 'utf8mb4_bin' NOT NULL"),
  };
}
