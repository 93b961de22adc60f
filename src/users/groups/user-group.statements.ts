import { tableOf, type RowOf } from '../../platform/database/entities/table.js';
import type { Scope } from '../../platform/database/scope.js';
import { sql } from '../../platform/database/statement.js';
import { User } from '../user.entity.js';
import { UserGroup } from './user-group.entity.js';

const users = tableOf(User);
const groups = tableOf(UserGroup);
const group = tableOf(UserGroup, 'g');

type OneUser = Scope & { readonly userId: Buffer };
export type GroupRow = RowOf<UserGroup, 'userId', 'name'>;

export const GROUPS_OF_USERS = sql<Scope & { userIds: readonly Buffer[] }, GroupRow>(
  `SELECT ${groups.select('userId', 'name')} FROM ${groups.from}
  WHERE ${groups.scopeWithoutIndex} AND ${groups.userId} IN (:...userIds)`,
);

/**
 * Locks the row of a user, without changing it; finds none if the user has another number of groups, or a directory made
 * the user.
 */
export const LOCK_USER_OF_OWN_GROUPS = sql<OneUser & { count: number }>(`UPDATE ${users.from}
  SET ${users.createdAt} = ${users.createdAt}
  WHERE ${users.scope} AND ${users.id} = :userId AND COALESCE(${users.isOfDirectory}, 0) = 0
    AND (SELECT COUNT(*) FROM ${group.from} WHERE ${group.userId} = :userId) = :count`);

export const DROP_GROUPS = sql<OneUser & { names: readonly Buffer[] }>(
  `DELETE FROM ${groups.from} WHERE ${groups.scopeWithoutIndex} AND ${groups.userId} = :userId
    AND ${groups.name} IN (:...names)`,
);

export const ADD_GROUPS = sql<Scope & { rows: readonly GroupRow[] }>(
  `INSERT INTO ${groups.rows('relyingPartyId', 'tenantId', 'name', 'userId')}`,
);
