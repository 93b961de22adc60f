import type { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../src/platform/database/data-source.js';
import { EntitySource } from '../../src/platform/database/entities/entity-source.js';
import { migrate, requireMigrated, VERSION_1_0 } from '../../src/platform/database/migrate.js';
import { CREATION_RECORD } from '../../src/platform/database/migrations/1764300002000-baseline.js';
import { MIGRATIONS } from '../../src/platform/database/migrations/index.js';
import { EVERY_DATABASE, createDatabase, type TestDatabase } from '../support/databases.js';
import { schemaFacts } from '../support/schema/facts.js';

const BASELINE = 'Baseline1764300002000';
/** Migrations of commits before version 1.0. */
const BEFORE = ['CreateTables1750000000000', 'Baseline1764300000000'];
const FUTURE = 'FromTheFuture9999999999999';

describe.each(EVERY_DATABASE)('the baseline on %s', (on) => {
  let database: TestDatabase;
  let source: DataSource;

  /** A database of version 1.0. */
  beforeEach(async () => {
    database = await createDatabase(on);
    const options = { ...dataSourceOptions(database.url), migrations: MIGRATIONS.slice(0, 1) };
    source = await new EntitySource(options).initialize();
    await migrate(source);
  });
  afterEach(async () => {
    await source.destroy();
    await database.remove();
  });

  it('drops all its tables when it is undone', async () => {
    await source.undoLastMigration();
    expect(await schemaFacts(source)).toBe('');
  });

  it('stays as it is on a database that was made before version 1.0 and upgraded to it', async () => {
    const before = await schemaFacts(source);
    await record(...BEFORE, BASELINE);
    await migrate(source);
    expect(await executed()).toEqual([...BEFORE, BASELINE]);
    expect(await schemaFacts(source)).toBe(before);
  });

  it('names the commit of version 1.0 for an older database, and changes nothing', () =>
    expectRefusal(
      [BEFORE, BEFORE.slice(0, 1), BEFORE.slice(1)],
      new RegExp(
        `^The database is of a version before 1.0: start the server of commit ${VERSION_1_0}`,
      ),
    ));

  it('refuses a database of a newer version before any change', () =>
    expectRefusal(
      [[FUTURE], [...BEFORE, FUTURE], [BASELINE, FUTURE]],
      /^The database was changed by a newer version/,
    ));

  it('is no database for commands before a start has completed on it', async () => {
    await source.query(`INSERT INTO secrets (name, value) VALUES ('${CREATION_RECORD}', '')`);
    await expect(requireMigrated(source)).rejects.toThrow(/^The database is empty: start the/);
    await migrate(source);
    await requireMigrated(source);
  });

  async function executed() {
    return (await source.query<{ name: string }[]>('SELECT name FROM migrations ORDER BY id')).map(
      ({ name }) => name,
    );
  }

  /** Puts the database into the state that certain migrations left. */
  async function record(...names: string[]): Promise<void> {
    await source.query('DELETE FROM migrations');
    const rows = names.map((name) => `(${/\d+$/.exec(name)?.[0]}, '${name}')`);
    await source.query(`INSERT INTO migrations (timestamp, name) VALUES ${rows.join(', ')}`);
  }

  async function expectRefusal(states: readonly string[][], sentence: RegExp): Promise<void> {
    const before = await schemaFacts(source);
    for (const state of states) {
      await record(...state);
      for (const refuse of [migrate, requireMigrated]) {
        await expect(refuse(source)).rejects.toThrow(sentence);
      }
      expect(await executed()).toEqual(state);
    }
    expect(await schemaFacts(source)).toBe(before);
  }
});
