import type { Database } from '../database.js';
import { OutcomeUnknown } from './outcome-unknown.js';
import { isUniqueViolation } from './unique-violation.js';
import type { Unit } from './unit.js';

/**
 * Commits a unit that can recognise itself: where a connection is lost while committing, the unit is
 * played once more, and when it then meets its own first result, that counts as success.
 *
 * @param unit guarded or unique in such a way that it cannot be stored twice
 * @param isStored whether what the database holds is this very unit's doing
 * @returns `false` when a guard or a unique key refused it
 * @throws OutcomeUnknown when the server hangs, or the connection was lost again
 */
export async function commitIdempotently(
  database: Database,
  unit: Unit,
  isStored: () => Promise<boolean>,
): Promise<boolean> {
  try {
    return await applied(database, unit);
  } catch (error) {
    if (!(error instanceof OutcomeUnknown) || error.hangs) throw error;
  }
  return (await applied(database, unit)) || (await isStored());
}

/** A unique key that is taken refuses a unit just as its guards do. */
async function applied(database: Database, unit: Unit): Promise<boolean> {
  try {
    return await database.commit(unit);
  } catch (error) {
    if (isUniqueViolation(error)) return false;
    throw error;
  }
}
