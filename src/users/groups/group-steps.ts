import { inFewSizes } from '../../platform/common/split-into-parts.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { newId } from '../../platform/database/row-ids.js';
import { scope, type ScopeOwner } from '../../platform/database/scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import {
  ADD_GROUPS,
  ADD_REGROUPED_USERS,
  DROP_GROUPS,
  LOCK_GROUPS,
  LOCK_USERS_OF_GROUPS,
} from './user-group.statements.js';

interface UserWithGroups {
  readonly id: Buffer;
  readonly groups: readonly string[];
}

interface ChangedGroups {
  readonly id: Buffer;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** The names that the other list does not contain. */
export const namesNotIn = (names: readonly string[], others: readonly string[]): string[] =>
  names.filter((name) => !others.includes(name));

/** The steps that store the groups, in NFC, of users who do not have them. */
export const addingGroups = (rp: ScopeOwner, users: readonly UserWithGroups[]): Step[] => {
  const rows = users.flatMap(({ id: userId, groups }) =>
    groups.map((name) => ({ userId, name: Buffer.from(name) })),
  );
  return inFewSizes(rows).map((part) => ADD_GROUPS.step({ ...scope(rp), rows: part }));
};

/** Conditions that lock the users' rows: each has as many groups as before the change. */
export const lockingUsers = (
  rp: ScopeOwner,
  users: readonly ChangedGroups[],
  isOfDirectory: boolean,
): Step[] =>
  [...Map.groupBy(users, ({ before }) => before.length)].flatMap(([count, some]) =>
    inFewSizes(some.map(({ id }) => id)).map((userIds) => {
      const params = { ...scope(rp), userIds, count, isOfDirectory };
      return LOCK_USERS_OF_GROUPS.mustChange(params, userIds.length);
    }),
  );

/** Conditions that each user still has the groups that the change leaves. */
export const keepingGroups = (rp: ScopeOwner, users: readonly ChangedGroups[]): Step[] =>
  users.flatMap(({ id, before, after }) => {
    const names = after.filter((name) => before.includes(name)).map((name) => Buffer.from(name));
    const params = { ...scope(rp), userIds: [id], names };
    return names.length > 0 ? [LOCK_GROUPS.mustChange(params, names.length)] : [];
  });

/** A statement for users who lose the same groups: of many users, all lose one. */
export const droppingGroups = (rp: ScopeOwner, users: readonly ChangedGroups[]): Step[] =>
  [...Map.groupBy(users, ({ before, after }) => JSON.stringify(namesNotIn(before, after)))].flatMap(
    ([list, some]) => {
      const names = (JSON.parse(list) as string[]).map((name) => Buffer.from(name));
      if (names.length === 0) return [];
      return inFewSizes(some.map(({ id }) => id)).map((userIds) =>
        DROP_GROUPS.mustChange({ ...scope(rp), userIds, names }, userIds.length * names.length),
      );
    },
  );

/** The step that has the keys of an existing user evaluated again. */
export const noteForEvaluation = (rp: ScopeOwner, userId: Buffer): Step =>
  ADD_REGROUPED_USERS.step({ ...scope(rp), rows: [{ id: newId(), userId }] });

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
