import { inFewSizes } from '../../platform/common/split-into-parts.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { newId } from '../../platform/database/row-ids.js';
import { scope } from '../../platform/database/scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { namesNotIn, type ChangedGroups } from './group-steps.js';
import { ADD_REGROUPED_USERS } from './user-group.statements.js';

/**
 * The steps that store which users need a new evaluation of their keys, for the unit that changes their groups: those who
 * get or lose a group that a profile names, here or at the predecessor, where the groups at the successor count. An
 * instance that does not know a new profile yet may leave some out, since a new profile has all keys evaluated.
 */
export function regroupedUsersSteps(
  rp: RelyingParty,
  predecessor: RelyingParty | undefined,
  changes: readonly ChangedGroups[],
): Step[] {
  const profiles = [...rp.policy.profiles, ...(predecessor?.policy.profiles ?? [])];
  const named = profiles.map(({ group }) => group);
  const rows = changes
    .filter(({ before, after }) =>
      [...namesNotIn(before, after), ...namesNotIn(after, before)].some((name) =>
        named.includes(name),
      ),
    )
    .map(({ id: userId }) => ({ id: newId(), userId }));
  return inFewSizes(rows).map((part) => ADD_REGROUPED_USERS.step({ ...scope(rp), rows: part }));
}
