import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SharingUnit, Step } from '../../src/platform/database/commit/unit.js';
import { Database } from '../../src/platform/database/database.js';
import { MysqlDatabase } from '../../src/platform/database/mysql/mysql-database.js';
import type { TestServer } from './test-server.js';

/**
 * Makes a server on MariaDB commit several sign-ins in one transaction, in their order: they queue behind a transaction
 * that is held until all of them have arrived, however long that takes.
 *
 * @param whenQueued called once, before the transaction begins
 */
export async function inOneCommit<T>(
  server: TestServer,
  calls: readonly (() => Promise<T>)[],
  whenQueued: () => void,
): Promise<T[]> {
  const database = server.get(Database);
  if (!(database instanceof MysqlDatabase)) throw new Error('The server is not on MariaDB.');
  const persist = database['persist'].bind(database);
  const first: Step = { sql: 'DO 0', params: [] };
  let letGo = () => {};
  const end = new Promise<void>((resolve) => (letGo = resolve));
  let isHeld = false;
  const holding = async (units: readonly SharingUnit[]) => {
    isHeld ||= units.some(({ unit }) => unit.includes(first));
    if (isHeld) await end;
    return persist(units);
  };
  Object.assign(database, { persist: holding });
  const held = database.commit([first]);
  while (!isHeld) await nextTurn();
  // Jobs of the server queue units too, which do not interleave.
  const queued = () => database['queue']['waiting'].filter(({ interleaves }) => interleaves).length;
  const answers: Promise<T>[] = [];
  for (const call of calls) {
    answers.push(call());
    while (queued() < answers.length) await nextTurn();
  }
  whenQueued();
  Object.assign(database, { persist });
  letGo();
  await held;
  return Promise.all(answers);
}
