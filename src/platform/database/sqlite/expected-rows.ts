import type { DataSource } from 'typeorm';
import { sql } from '../statement.js';

interface Expectation {
  readonly tbl: string;
  readonly idx: string;
  /** Rows of the table, then rows for a value of the first column, of the first two, and so on. */
  readonly stat: string;
}

/**
 * Row counts for SQLite's planner, for the indexes that begin with the relying party and for those that it should
 * prefer, sorted by name. Without them it searches for a user's keys among all keys of the relying party: 390 µs with
 * 3,300 keys, instead of 10. ANALYZE would store today's counts; these keep the plan of each statement the same.
 */
const EXPECTED: readonly Expectation[] = [
  { tbl: 'credentials', idx: 'ix_credentials_enabled', stat: '1000000 100000 100' },
  { tbl: 'credentials', idx: 'ix_credentials_of_model', stat: '1000000 100000 1000 1' },
  { tbl: 'credentials', idx: 'ix_credentials_user', stat: '1000000 2' },
  { tbl: 'events', idx: 'ix_events_relying_party', stat: '10000000 1000000 1' },
  { tbl: 'events', idx: 'ix_events_user', stat: '10000000 1000000 20 1' },
  { tbl: 'further_handles', idx: 'ix_further_handles_user', stat: '100000 1' },
  { tbl: 'further_handles', idx: 'sqlite_autoindex_further_handles_1', stat: '100000 10000 1' },
  { tbl: 'search_words', idx: 'ix_search_words_user', stat: '3000000 6' },
  { tbl: 'search_words', idx: 'search_words', stat: '3000000 300000 10 1' },
  { tbl: 'users', idx: 'sqlite_autoindex_users_2', stat: '500000 50000 1' },
  { tbl: 'users', idx: 'uq_users_handle', stat: '500000 50000 1' },
  { tbl: 'users', idx: 'uq_users_subject', stat: '500000 50000 1' },
];

const LOAD = 'ANALYZE sqlite_schema';

const INSERT = sql<{ rows: readonly Expectation[] }>(
  'INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES :...rows[:tbl, :idx, :stat]',
);

/** Stores the counts where the planner reads them (https://sqlite.org/fileformat2.html#the_sqlite_stat1_table). */
export async function expectRows(source: DataSource): Promise<void> {
  // Creates the table sqlite_stat1 if it is missing.
  await source.query(LOAD);
  const stored = 'SELECT tbl, idx, stat FROM sqlite_stat1 ORDER BY tbl, idx';
  if (JSON.stringify(await source.query(stored)) === JSON.stringify(EXPECTED)) return;
  await source.query('DELETE FROM sqlite_stat1');
  const insert = INSERT.bind({ rows: EXPECTED });
  await source.query(insert.sql, [...insert.params]);
  await source.query(LOAD);
}
