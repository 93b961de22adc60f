import { readFileSync } from 'node:fs';
import type { DataSource, DataSourceOptions } from 'typeorm';
import { projectPath } from '../../src/platform/project.js';
import { dataSourceOptions } from '../../src/platform/database/data-source.js';
import { EntitySource } from '../../src/platform/database/entities/entity-source.js';
import { migrate, requireMigrated } from '../../src/platform/database/migrate.js';
import { LAST_BEFORE_BASELINE } from '../../src/platform/database/migrations/history.js';
import { MIGRATIONS } from '../../src/platform/database/migrations/index.js';
import { DATABASES, createDatabase } from '../support/databases.js';
import type { TestDatabase } from '../support/databases.js';
import { schemaFacts } from '../support/schema/facts.js';
import { StatementWatch } from '../support/schema/statement-watch.js';

/** Recorded with the last version before the baseline. */
const recorded = (name: string) =>
  readFileSync(projectPath(`test/database/schema/${name}.txt`), 'utf8');

const HISTORY = recorded('migrations').trim().split('\n');
const BASELINE = 'Baseline1764300000000';
const FUTURE = 'FromTheFuture9999999999999';

describe.each(DATABASES)('the baseline on %s', (on) => {
  let database: TestDatabase;
  let source: DataSource;
  const open = (more: Partial<DataSourceOptions> = {}) => {
    const options = { ...dataSourceOptions(database.url), migrations: MIGRATIONS.slice(0, 1) };
    return new EntitySource({ ...options, ...more } as DataSourceOptions).initialize();
  };
  beforeAll(async () => {
    database = await createDatabase(on);
    source = await open();
    await migrate(source);
  });
  afterAll(async () => {
    await source.destroy();
    await database.remove();
  });

  const names = async () =>
    (await source.query<{ name: string }[]>('SELECT name FROM migrations ORDER BY id')).map(
      ({ name }) => name,
    );

  /** Puts the database into the state that certain migrations left. */
  async function record(...executed: string[]): Promise<void> {
    await source.query('DELETE FROM migrations');
    const rows = executed.map((name) => `(${/\d+$/.exec(name)?.[0]}, '${name}')`);
    await source.query(`INSERT INTO migrations (timestamp, name) VALUES ${rows.join(', ')}`);
  }

  it('makes the schema and the rows that the migrations before it made', async () => {
    expect(await schemaFacts(source)).toBe(recorded(on.toLowerCase()));
  });

  it('takes over a database of the last version before it and changes no table', async () => {
    await record(...HISTORY);
    await expect(requireMigrated(source)).rejects.toThrow(/^The database is of an older version/);
    await migrate(source);
    await requireMigrated(source);
    // The version before knows the other names and refuses this one; without them it would start anew.
    expect(await names()).toEqual([...HISTORY, BASELINE]);
    expect(await schemaFacts(source)).toBe(recorded(on.toLowerCase()));
    await migrate(source);
    expect(await names()).toEqual([...HISTORY, BASELINE]);
  });

  it('takes over a database when the process was killed at the record', async () => {
    await record(...HISTORY);
    const watch = new StatementWatch({ most: 0, ddlCommits: on === 'MariaDB' });
    const killed = await open({ logger: watch });
    await expect(migrate(killed)).rejects.toThrow();
    await killed.destroy();
    expect(watch.isDead).toBe(true);
    expect(await names()).toEqual(HISTORY);
    await migrate(source);
    expect(await names()).toEqual([...HISTORY, BASELINE]);
  });

  it('is recorded once when two instances take a database over', async () => {
    await record(...HISTORY);
    const other = await open();
    await Promise.all([migrate(source), migrate(other)]);
    await other.destroy();
    expect(await names()).toEqual([...HISTORY, BASELINE]);
  });

  const gaps = HISTORY.map((gone) => HISTORY.filter((name) => name !== gone));
  const prefixes = HISTORY.map((_, count) => HISTORY.slice(0, count)).slice(1);

  it('names the commit to pass through to each older database, and changes nothing', async () => {
    for (const state of [...gaps, ...prefixes, [...HISTORY.slice(1), BASELINE]]) {
      await record(...state);
      for (const refuse of [migrate, requireMigrated]) {
        await expect(refuse(source)).rejects.toThrow(
          `before commit ${LAST_BEFORE_BASELINE}: start the server of that commit`,
        );
      }
      expect(await names()).toEqual(state);
    }
  }, 60_000);

  it('refuses a database of a newer version before any statement changes it', async () => {
    for (const state of [[FUTURE], [...HISTORY, FUTURE], [BASELINE, FUTURE]]) {
      await record(...state);
      for (const refuse of [migrate, requireMigrated]) {
        await expect(refuse(source)).rejects.toThrow(
          /^The database was changed by a newer version/,
        );
      }
      expect(await names()).toEqual(state);
    }
  });
});
