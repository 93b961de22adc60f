import type { Database } from '../../platform/database/database.js';
import { mapKey } from '../../platform/database/row-ids.js';
import { scope, type ScopeOwner } from '../../platform/database/scope.js';
import { GROUPS_OF_USERS } from './user-group.statements.js';

/** The sorted groups of users by the users' IDs (`mapKey`); absent for users without groups. */
export async function groupsOfUsers(
  database: Database,
  rp: ScopeOwner,
  userIds: readonly Buffer[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (userIds.length === 0) return new Map();
  const rows = await database.query(GROUPS_OF_USERS, { ...scope(rp), userIds });
  const byUser = Map.groupBy(rows, ({ userId }) => mapKey(userId));
  return new Map(
    [...byUser].map(([id, ofUser]) => [id, sortGroups(ofUser.map(({ name }) => name.toString()))]),
  );
}

/** The sorted groups of one user. */
export async function groupsOfUser(
  database: Database,
  rp: ScopeOwner,
  userId: Buffer,
): Promise<readonly string[]> {
  return (await groupsOfUsers(database, rp, [userId])).get(mapKey(userId)) ?? [];
}

/** Names of groups byte by byte, as UTF-8. */
export const sortGroups = (names: readonly string[]): string[] =>
  names.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
