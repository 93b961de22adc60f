import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../database.js';
import type { Unit } from './unit.js';

/** Asked before each part of a long job. */
export type MayGoOn = () => boolean | Promise<boolean>;

const PAUSE_MS = 10;

interface Deletion {
  /** Finds the next rows; none where all are deleted. */
  find(): Promise<readonly { readonly id: Buffer }[]>;
  /** The unit that deletes these rows. */
  remove(ids: readonly Buffer[]): Unit;
  readonly mayGoOn?: MayGoOn | undefined;
}

/**
 * Deletes rows batch by batch, so that sign-ins which share the connection do not notice. It can stop after
 * each batch.
 *
 * @throws the driver's error; what was deleted until then stays deleted
 */
export async function deleteInBatches(
  database: Database,
  { find, remove, mayGoOn = () => true }: Deletion,
): Promise<void> {
  for (;;) {
    const found = await find();
    if (found.length === 0 || !(await mayGoOn())) return;
    const ids = found.map(({ id }) => id);
    await database.commit(remove(ids), { background: true });
    await pause(PAUSE_MS);
  }
}
