import { falseIfTaken } from '../../platform/database/commit/unique-violation.js';
import type { Step, Unit } from '../../platform/database/commit/unit.js';
import type { CommitOptions, Database } from '../../platform/database/database.js';
import { scope } from '../../platform/database/scope.js';
import type { KeyDomain } from '../../tenancy/relying-party.js';
import { answeredKeys, eventOfCeremony, type AnsweredKey } from './credential-reader.js';
import { ALL_KEYS_OF_USER } from './credential.statements.js';

/** A ceremony that a unit completes. */
interface Completion {
  readonly rp: KeyDomain;
  readonly userId: Buffer;
  readonly ceremony: Buffer;
  /** IDs of the events that the unit appends, one of which names the ceremony. */
  readonly eventIds: readonly Buffer[];
  /** See `CommitOptions`. */
  readonly onConnectionLost?: (() => void) | undefined;
  /** Stores the unit, `false` if it was refused: for a unit that is stored with an audit row. */
  readonly commit?: ((unit: Unit, options: CommitOptions) => Promise<boolean>) | undefined;
}

/**
 * Stores a unit that completes a ceremony. The event of the ceremony has its ID as a unique key: a unit whose answer
 * was lost finds its own event, and a ceremony that is taken twice is refused.
 *
 * @returns all of the user's credentials after the unit, including disabled ones, since answers list them; `undefined`
 *   if a condition or a unique key refused the unit
 */
export async function commitCeremony(
  database: Database,
  unit: readonly Step[],
  completion: Completion,
): Promise<readonly AnsweredKey[] | undefined> {
  const { rp, userId, ceremony, eventIds, onConnectionLost } = completion;
  const { commit = (all, how) => falseIfTaken(database.commit(all, how)) } = completion;
  const user = { ...scope(rp), userId };
  const reading = ALL_KEYS_OF_USER.reading(user);
  const isStored = async () => {
    const event = await eventOfCeremony(database, rp, ceremony);
    return event !== undefined && eventIds.some((id) => id.equals(event));
  };
  if (!(await commit([...unit, reading], { isStored, onConnectionLost }))) return undefined;
  // If the connection broke before the answer arrived, the unit is stored but nothing was read.
  return answeredKeys(reading.rows ?? (await database.query(ALL_KEYS_OF_USER, user)));
}
