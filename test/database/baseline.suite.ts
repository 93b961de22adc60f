import { readFileSync } from 'node:fs';
import type { DataSource, DataSourceOptions } from 'typeorm';
import { projectPath } from '../../src/platform/project.js';
import { dataSourceOptions } from '../../src/platform/database/data-source.js';
import { EntitySource } from '../../src/platform/database/entities/entity-source.js';
import {
  migrate,
  requireMigrated,
  LAST_BEFORE_BASELINE,
} from '../../src/platform/database/migrate.js';
import { MIGRATIONS } from '../../src/platform/database/migrations/index.js';
import { EVERY_DATABASE, createDatabase, type TestDatabase } from '../support/databases.js';
import { schemaFacts } from '../support/schema/facts.js';
import { StatementWatch } from '../support/schema/statement-watch.js';

/** Recorded with the last version before the baseline. */
const recorded = (name: string) =>
  readFileSync(projectPath(`test/database/schema/${name}`), 'utf8');

const HISTORY = recorded('migrations.txt').trim().split('\n');
const FIRST_BASELINE = 'Baseline1764300000000';
const BASELINE = 'Baseline1764300002000';
const FUTURE = 'FromTheFuture9999999999999';

const optionsOf = ({ url }: TestDatabase, more: Partial<DataSourceOptions> = {}) =>
  ({ ...dataSourceOptions(url), migrations: MIGRATIONS.slice(0, 1), ...more }) as DataSourceOptions;

describe.each(EVERY_DATABASE)('the baseline on %s', (on) => {
  const databases: TestDatabase[] = [];
  const sources: DataSource[] = [];
  async function open(database: TestDatabase): Promise<DataSource> {
    const source = await new EntitySource(optionsOf(database)).initialize();
    sources.push(source);
    return source;
  }
  async function create(): Promise<TestDatabase> {
    const database = await createDatabase(on);
    databases.push(database);
    return database;
  }

  /** A database as the last version before the baseline left it. */
  async function createOld(): Promise<TestDatabase> {
    const database = await create();
    const source = await open(database);
    const statements = recorded(`before-${on.toLowerCase()}.sql`).trim().split(/;\n/);
    for (const statement of statements) await source.query(statement);
    await record(source, ...HISTORY);
    return database;
  }

  let fresh: DataSource;
  beforeAll(async () => {
    fresh = await open(await create());
    await migrate(fresh);
  });
  afterAll(async () => {
    for (const source of sources) await source.destroy();
    for (const database of databases) await database.remove();
  });

  const namesIn = async (source: DataSource) =>
    (await source.query<{ name: string }[]>('SELECT name FROM migrations ORDER BY id')).map(
      ({ name }) => name,
    );

  /** Puts the database into the state that certain migrations left. */
  async function record(source: DataSource, ...executed: string[]): Promise<void> {
    await source.query('DELETE FROM migrations');
    const rows = executed.map((name) => `(${/\d+$/.exec(name)?.[0]}, '${name}')`);
    await source.query(`INSERT INTO migrations (timestamp, name) VALUES ${rows.join(', ')}`);
  }

  it('completes a database of the previous version to the current schema', async () => {
    const source = await open(await createOld());
    expect(await schemaFacts(source)).not.toBe(await schemaFacts(fresh));
    await expect(requireMigrated(source)).rejects.toThrow(/^The database is of an older version/);
    await migrate(source);
    await requireMigrated(source);
    expect(await schemaFacts(source)).toBe(await schemaFacts(fresh));
    // The version before knows the other names and refuses this one; without them it would begin again.
    expect(await namesIn(source)).toEqual([...HISTORY, BASELINE]);
    await migrate(source);
    expect(await namesIn(source)).toEqual([...HISTORY, BASELINE]);
  });

  it('keeps the rows of a database of the previous version', async () => {
    const source = await open(await createOld());
    const secret = { name: 'form-token', value: 'x' };
    await source.query("INSERT INTO secrets (name, value) VALUES ('form-token', 'x')");
    await migrate(source);
    expect(await source.query('SELECT * FROM secrets')).toEqual([secret]);
  });

  it('completes a database of each commit since the first baseline', async () => {
    const source = await open(await create());
    await migrate(source);
    // What the last migrations of these commits added.
    for (const statement of [
      `DROP INDEX ix_invoices_kind${on === 'MariaDB' ? ' ON invoices' : ''}`,
      'DROP TABLE console_setups',
      'ALTER TABLE tickets DROP COLUMN user_id',
    ]) {
      await source.query(statement);
    }
    await record(source, FIRST_BASELINE);
    await expect(requireMigrated(source)).rejects.toThrow(/^The database is of an older version/);
    await migrate(source);
    expect(await schemaFacts(source)).toBe(await schemaFacts(fresh));
    expect(await namesIn(source)).toEqual([FIRST_BASELINE, BASELINE]);
  });

  it('continues after the process was killed at each statement', async () => {
    const database = await createOld();
    let kills = 0;
    for (let most = 0, isDone = false; !isDone; kills += 1) {
      const watch = new StatementWatch({ most, ddlCommits: on === 'MariaDB' });
      const killed = await new EntitySource(optionsOf(database, { logger: watch })).initialize();
      await migrate(killed)
        .catch((error: unknown) => {
          if (!watch.isDead) throw error;
        })
        .finally(() => killed.destroy());
      isDone = !watch.isDead;
      most = watch.hasStored ? 1 : most + 1;
      expect(kills).toBeLessThan(1000);
    }
    expect(kills).toBeGreaterThan(10);
    const source = await open(database);
    expect(await schemaFacts(source)).toBe(await schemaFacts(fresh));
    expect(await namesIn(source)).toEqual([...HISTORY, BASELINE]);
  }, 120_000);

  // One process alone has an SQLite file.
  if (on === 'MariaDB') {
    it('records the baseline once when two instances upgrade a database', async () => {
      const database = await createOld();
      const [one, other] = [await open(database), await open(database)];
      await Promise.all([migrate(one), migrate(other)]);
      expect(await namesIn(one)).toEqual([...HISTORY, BASELINE]);
      expect(await schemaFacts(one)).toBe(await schemaFacts(fresh));
    });
  }

  const gaps = HISTORY.map((gone) => HISTORY.filter((name) => name !== gone));
  const prefixes = HISTORY.map((_, count) => HISTORY.slice(0, count)).slice(1);

  it('names the commit to pass through for each older database, and changes nothing', async () => {
    const source = await open(await createOld());
    const before = await schemaFacts(source);
    for (const state of [...gaps, ...prefixes, [...HISTORY.slice(1), BASELINE]]) {
      await record(source, ...state);
      for (const refuse of [migrate, requireMigrated]) {
        await expect(refuse(source)).rejects.toThrow(
          `before commit ${LAST_BEFORE_BASELINE}: start the server of that commit`,
        );
      }
      expect(await namesIn(source)).toEqual(state);
    }
    expect(await schemaFacts(source)).toBe(before);
  }, 60_000);

  it('refuses a database of a newer version before any change', async () => {
    const source = await open(await createOld());
    const before = await schemaFacts(source);
    for (const state of [[FUTURE], [...HISTORY, FUTURE], [BASELINE, FUTURE]]) {
      await record(source, ...state);
      for (const refuse of [migrate, requireMigrated]) {
        await expect(refuse(source)).rejects.toThrow(
          /^The database was changed by a newer version/,
        );
      }
      expect(await namesIn(source)).toEqual(state);
    }
    expect(await schemaFacts(source)).toBe(before);
  });
});
