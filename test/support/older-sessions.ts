import { Database } from '../../src/platform/database/database.js';
import type { TestServer } from './test-server.js';

/** Makes all browser sessions older: their times come from the database, whose clock no test can move. */
export async function ageSessions(server: TestServer, ms: number): Promise<void> {
  const times = ['began_at', 'used_at', 'rotated_at', 'ends_at'];
  const set = times.map((column) => `${column} = ${column} - ?`).join(', ');
  const sql = `UPDATE console_sessions SET ${set}`;
  await server.get(Database).commit([{ sql, params: times.map(() => ms) }]);
}
