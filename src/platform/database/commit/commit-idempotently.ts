import type { CommitOptions, Database } from '../database.js';
import { unlessTaken } from './unique-violation.js';
import type { Unit } from './unit.js';

/**
 * The connection broke, or the server fell silent, after the commit was sent, so the unit may be stored or
 * not (when a node dies, one statement in five was). If it were simply executed again, its own first success
 * would look like the change of another; see `commitIdempotently`.
 */
export class OutcomeUnknown extends Error {
  readonly code = 'OUTCOME_UNKNOWN';

  /** @param hangs the server does not answer at all, so that asking it again is useless */
  constructor(
    cause: unknown,
    readonly hangs: boolean,
  ) {
    super('The connection to the database broke while committing.', { cause });
  }
}

/**
 * Commits a unit that can be executed twice: if the connection is lost while committing, it is executed once
 * more. If it then finds the result of its first try, that counts as success.
 *
 * @param unit makes no difference the second time, or has guards or unique keys that refuse it then
 * @param isStored whether this very unit made what the database holds; not needed where a second try is not
 *   refused because of the first
 * @param again the unit of the second try, where it is another one
 * @returns `false` when a guard or a unique key refused it
 * @throws OutcomeUnknown when the server hangs, or the connection was lost again
 */
export async function commitIdempotently(
  database: Database,
  unit: Unit,
  isStored: () => Promise<boolean> = () => Promise.resolve(false),
  { again = () => unit, ...options }: CommitOptions & { readonly again?: () => Unit } = {},
): Promise<boolean> {
  try {
    return await unlessTaken(database.commit(unit, options));
  } catch (error) {
    if (!(error instanceof OutcomeUnknown) || error.hangs) throw error;
  }
  return (await unlessTaken(database.commit(again(), options))) || (await isStored());
}
