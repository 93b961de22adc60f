import { Database } from '../../src/platform/database/database.js';
import type { Step, SqlValue } from '../../src/platform/database/commit/unit.js';
import { rowsOf } from './rows.js';
import type { TestServer } from './test-server.js';

/**
 * Reads the rows of these tables, parents before children. The result puts them back, for tests that change what all
 * tests of a suite share.
 */
export async function keepRows(
  server: TestServer,
  tables: readonly string[],
): Promise<() => Promise<unknown>> {
  const deletions: Step[] = [];
  const insertions: Step[] = [];
  for (const table of tables) {
    deletions.unshift({ sql: `DELETE FROM ${table}`, params: [] });
    for (const row of await rowsOf<Record<string, SqlValue>>(server, `SELECT * FROM ${table}`)) {
      const columns = Object.keys(row);
      const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
      insertions.push({ sql, params: Object.values(row) });
    }
  }
  return () => server.get(Database).commit([...deletions, ...insertions]);
}
