import { setImmediate as nextTurn } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { Database } from '../../src/platform/database/database.js';
import { eventually } from './eventually.js';
import type { TestServer } from './test-server.js';

/**
 * Makes a server on MariaDB commit several calls in one transaction, in their order: they queue behind a unit that
 * waits for a lock until all of them have arrived.
 *
 * @param whenQueued called once, before the transaction begins
 */
export async function inOneCommit<T>(
  server: TestServer,
  calls: readonly (() => Promise<T>)[],
  whenQueued: () => void,
): Promise<T[]> {
  const database = server.get(Database);
  const connection = await createConnection(server.database.url);
  // Locks have no schema of their own, and several suites run on one server.
  const lock = new URL(server.database.url).pathname;
  await connection.query('SELECT GET_LOCK(?, 10)', [lock]);
  const held = database.commit([
    { sql: 'DO GET_LOCK(?, 2) + RELEASE_LOCK(?)', params: [lock, lock] },
  ]);
  await eventually(async () => {
    const [rows] = await connection.query(WAITING);
    expect(rows).toEqual([{ n: 1 }]);
  });
  // Jobs of the server queue units too.
  const others = database.use.queued;
  const answers: Promise<T>[] = [];
  for (const call of calls) {
    answers.push(call());
    // The unit that is held gives up after two seconds, so nothing is waited for longer than needed.
    while (database.use.queued < others + answers.length) await nextTurn();
  }
  whenQueued();
  await connection.query('DO RELEASE_LOCK(?)', [lock]);
  await connection.end();
  await held;
  return Promise.all(answers);
}

/** How many connections of this database wait for a lock of `GET_LOCK`. */
const WAITING = `SELECT COUNT(*) AS n FROM information_schema.processlist
  WHERE db = DATABASE() AND state = 'User lock'`;
