import { createHash } from 'node:crypto';
import type { QueryRunner } from 'typeorm';
import { Baseline1764300000000 } from './1764300000000-baseline.js';

/** The last commit before the baseline: it brings older databases to the state that is taken over. */
export const LAST_BEFORE_BASELINE = '293431f3862217387ad2756a95532c4393f1ca9e';

/** SHA-256 of the names of that commit's migrations, sorted and joined by line feeds. */
const HISTORY = 'da79a58cdca72a8f7f3c30861a2f4643ebdaba770a62cf9e489e64b6992de273';

const BASELINE = Baseline1764300000000.name;
const numberOf = (name: string): number => Number(/\d{13}$/.exec(name)?.[0] ?? Infinity);

const NEWER = 'The database was changed by a newer version of ServiceFido: it is not touched.';
const BEFORE_BASELINE =
  `The database is of a version before commit ${LAST_BEFORE_BASELINE}: ` +
  'start the server of that commit with it once, then this one. It is not touched.';

/** What the table of migrations says, before any migration runs. */
export interface RecordedHistory {
  readonly names: ReadonlySet<string>;
  /** Whether the schema is that of the baseline, but the baseline is not recorded. */
  readonly isBeforeTakeOver: boolean;
}

/**
 * Reads which migrations the database had, and changes nothing.
 *
 * @param known names of this version's migrations
 * @throws Error when a newer version has changed the schema, or it is older than the baseline's
 */
export async function readHistory(
  runner: QueryRunner,
  known: readonly string[],
): Promise<RecordedHistory> {
  const rows: { readonly name: string }[] = (await runner.hasTable('migrations'))
    ? await runner.query('SELECT name FROM migrations')
    : [];
  const names = new Set(rows.map(({ name }) => name));
  const before = [...names].filter((name) => numberOf(name) < numberOf(BASELINE));
  const since = [...names].filter((name) => !before.includes(name));
  if (since.some((name) => !known.includes(name))) throw new Error(NEWER);
  if (before.length > 0 && digestOf(before) !== HISTORY) throw new Error(BEFORE_BASELINE);
  return { names, isBeforeTakeOver: before.length > 0 && !names.has(BASELINE) };
}

/**
 * Records the baseline in a database that got its tables from the migrations before. Their names stay, so that
 * the version before refuses the database as a newer one, where it would otherwise run them again.
 */
export async function takeOver(runner: QueryRunner): Promise<void> {
  await runner.query(
    `INSERT INTO migrations (timestamp, name)
       SELECT ${numberOf(BASELINE)}, '${BASELINE}' FROM (SELECT 1) AS one
       WHERE NOT EXISTS (SELECT * FROM migrations WHERE name = '${BASELINE}')`,
  );
}

const digestOf = (names: readonly string[]): string =>
  createHash('sha256')
    .update([...names].sort().join('\n'))
    .digest('hex');
