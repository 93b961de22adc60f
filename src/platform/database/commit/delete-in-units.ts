import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../database.js';
import type { Unit } from './unit.js';

/** Called before each part of a long job; `false` stops the job. */
export type ShouldContinue = () => boolean | Promise<boolean>;

/** The pause after each unit. */
export const PAUSE_MS = 10;

interface RowDeletion {
  /** Finds the next rows; none if all are deleted. */
  find(): Promise<readonly { readonly id: Buffer }[]>;
  remove(ids: readonly Buffer[]): Unit;
  readonly mayGoOn?: ShouldContinue | undefined;
}

/**
 * Deletes rows unit by unit, so as not to delay sign-ins that share the connection. It can stop after each unit.
 *
 * @throws the driver's error; rows deleted until then stay deleted
 */
export async function deleteInUnits(
  database: Database,
  { find, remove, mayGoOn = () => true }: RowDeletion,
): Promise<void> {
  for (;;) {
    const found = await find();
    if (found.length === 0 || !(await mayGoOn())) return;
    const ids = found.map(({ id }) => id);
    await database.store(remove(ids), { background: true });
    await pause(PAUSE_MS);
  }
}
