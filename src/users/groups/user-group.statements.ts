import { tableOf } from '../../platform/database/entities/table.js';
import type { Scope } from '../../platform/database/scope.js';
import { select, sql, type RowOf } from '../../platform/database/statement.js';
import { User } from '../user.entity.js';
import { RegroupedUser } from './regrouped-user.entity.js';
import { UserGroup } from './user-group.entity.js';

const users = tableOf(User);
const groups = tableOf(UserGroup);
const group = tableOf(UserGroup, 'g');
const regroupedUsers = tableOf(RegroupedUser);

type SomeUsers = Scope & { readonly userIds: readonly Buffer[] };

export const GROUPS_OF_USERS = select(groups.pick('userId', 'name')).from<SomeUsers>(`
  ${groups.from} WHERE ${groups.scopeWithoutIndex} AND ${groups.userId} IN (:...userIds)`);

type GroupRow = RowOf<typeof GROUPS_OF_USERS>;

/** Locks the rows of users who have this number of groups, without changing them. */
export const LOCK_USERS_OF_GROUPS = sql<SomeUsers & { count: number; isOfDirectory: boolean }>(
  `UPDATE ${users.from} SET ${users.createdAt} = ${users.createdAt}
  WHERE ${users.scopeWithoutIndex} AND ${users.id} IN (:...userIds)
    AND CASE WHEN ${users.directoryJson} IS NULL THEN 0 ELSE 1 END = :isOfDirectory
    AND (SELECT COUNT(*) FROM ${group.from} WHERE ${group.userId} = ${users.from}.${users.id}) = :count`,
);

/** Locks memberships, without changing them. */
export const LOCK_GROUPS = sql<SomeUsers & { names: readonly Buffer[] }>(
  `UPDATE ${groups.from} SET ${groups.tenantId} = :tenantId WHERE ${groups.scopeWithoutIndex}
    AND ${groups.userId} IN (:...userIds) AND ${groups.name} IN (:...names)`,
);

/** Takes groups that each of the users has. */
export const DROP_GROUPS = sql<SomeUsers & { names: readonly Buffer[] }>(
  `DELETE FROM ${groups.from} WHERE ${groups.scopeWithoutIndex}
    AND ${groups.userId} IN (:...userIds) AND ${groups.name} IN (:...names)`,
);

export const ADD_GROUPS = sql<Scope & { rows: readonly GroupRow[] }>(
  `INSERT INTO ${groups.rows('relyingPartyId', 'tenantId', 'name', 'userId')}`,
);

type RegroupedRow = Pick<RegroupedUser, 'id' | 'userId'>;

export const ADD_REGROUPED_USERS = sql<Scope & { rows: readonly RegroupedRow[] }>(
  `INSERT INTO ${regroupedUsers.rows('id', 'tenantId', 'relyingPartyId', 'userId')}`,
);

/** The first noted users of all relying parties. */
export const FIRST_REGROUPED_USERS = select(regroupedUsers.pick('id', 'userId', 'relyingPartyId'))
  .from<{ limit: number }>(`
    ${regroupedUsers.from}
  ORDER BY ${regroupedUsers.id} LIMIT :limit`);

export const DROP_REGROUPED_USERS = sql<{ ids: readonly Buffer[] }>(
  `DELETE FROM ${regroupedUsers.from} WHERE ${regroupedUsers.id} IN (:...ids)`,
);
