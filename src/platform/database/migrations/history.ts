import { createHash } from 'node:crypto';
import type { QueryRunner } from 'typeorm';
import { Baseline1764300002000 } from './1764300002000-baseline.js';

/** The last commit before the baseline: it brings older databases to the state from which they are taken over. */
export const LAST_BEFORE_BASELINE = 'dc07fd6e5862723cac8d40be8b716bfc0ab5412b';

/** SHA-256 of the names of that commit's migrations, sorted and joined by line feeds. */
const HISTORY = 'c4419ab1b68d735ae947a24a9ea5b9220e9ea762158b5c5200ce382db4511e6f';

/**
 * The number of the first baseline. Commits since then had migrations between these numbers, which only added what
 * the baseline adds if it is missing.
 */
const FIRST_BASELINE = 1764300000000;
const numberOf = (name: string): number => Number(/\d{13}$/.exec(name)?.[0] ?? Infinity);
const BASELINE = numberOf(Baseline1764300002000.name);

const NEWER = 'The database was changed by a newer version of ServiceFido: it is not touched.';
const BEFORE_BASELINE =
  `The database is of a version before commit ${LAST_BEFORE_BASELINE}: ` +
  'start the server of that commit with it once, then this one. It is not touched.';

/**
 * Reads the names of the database's migrations, and changes nothing. The baseline completes databases since the
 * last version before it; the names of their migrations stay, so that those versions refuse the database.
 *
 * @param known names of this version's migrations
 * @throws Error if a newer version has changed the schema, or it is older than the baseline's
 */
export async function readHistory(
  runner: QueryRunner,
  known: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows: { readonly name: string }[] = (await runner.hasTable('migrations'))
    ? await runner.query('SELECT name FROM migrations')
    : [];
  const names = new Set(rows.map(({ name }) => name));
  const before = [...names].filter((name) => numberOf(name) < FIRST_BASELINE);
  const since = [...names].filter((name) => numberOf(name) >= BASELINE);
  if (since.some((name) => !known.includes(name))) throw new Error(NEWER);
  if (before.length > 0 && digestOf(before) !== HISTORY) throw new Error(BEFORE_BASELINE);
  return names;
}

const digestOf = (names: readonly string[]): string =>
  createHash('sha256')
    .update([...names].sort().join('\n'))
    .digest('hex');
