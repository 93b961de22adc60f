import { tableOf } from '../../platform/database/entities/table.js';
import type { Scope } from '../../platform/database/scope.js';
import { select, sql, type RowOf } from '../../platform/database/statement.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import { DirectoryGroup } from '../../users/groups/directory-group.entity.js';
import { UserGroup } from '../../users/groups/user-group.entity.js';
import { User } from '../../users/user.entity.js';

const groups = tableOf(DirectoryGroup);
const group = tableOf(DirectoryGroup, 'g');
const other = tableOf(DirectoryGroup, 'o');
const member = tableOf(UserGroup, 'm');
const user = tableOf(User, 'u');
const relyingParty = tableOf(RelyingPartyEntity, 'r');

type OneGroup = Scope & { readonly id: Buffer };
type OneVersion = OneGroup & { readonly version: number };

/** Users who are not of the directory may have a group of the same name. */
const MEMBERS = `${member.from} JOIN ${user.from} ON ${user.id} = ${member.userId}
    AND ${user.directoryJson} IS NOT NULL
  WHERE ${member.scope} AND ${member.name}`;

export const MEMBERS_AFTER = select(member.pick('userId')).from<
  Scope & { name: Buffer; after: Buffer; limit: number }
>(`
  ${MEMBERS} = :name AND ${member.userId} > :after
  ORDER BY ${member.userId} LIMIT :limit`);

/** The groups of users, as the directory made them. */
const GROUPS = select({ ...member.pick('userId'), ...group.pick('id', 'name') });

const GROUPS_OF = `${member.from} JOIN ${group.from} ON ${group.relyingPartyId} = :relyingPartyId
    AND ${group.name} = ${member.name}
  WHERE ${member.scopeWithoutIndex} AND ${member.userId}`;

export const DIRECTORY_GROUPS_OF_USER = GROUPS.from<Scope & { id: Buffer }>(`${GROUPS_OF} = :id`, {
  small: true,
});
export type GroupOfUserRow = RowOf<typeof DIRECTORY_GROUPS_OF_USER>;

export const DIRECTORY_GROUPS_OF_USERS = GROUPS.from<Scope & { ids: readonly Buffer[] }>(
  `${GROUPS_OF} IN (:...ids)`,
);

/** A name that members of another group still have, since its change of names is under way. The table is read twice. */
const IS_FREE = `NOT EXISTS (SELECT 1 FROM (SELECT ${other.id} AS id FROM ${other.from}
    WHERE ${other.scope} AND ${other.formerName} = :name LIMIT 1) p WHERE p.id <> :id)`;

/** Stores no group if the relying party is closed. */
export const INSERT_GROUP = sql<
  OneVersion & { name: Buffer; externalId: Buffer | null; createdAt: number }
>(`INSERT INTO ${groups.from}
    (${groups.list('id', 'tenantId', 'relyingPartyId', 'name', 'externalId', 'createdAt', 'version')})
  SELECT :id, :tenantId, :relyingPartyId, :name, :externalId, :createdAt, :version
  FROM ${relyingParty.from} WHERE ${relyingParty.id} = :relyingPartyId
    AND ${relyingParty.closedAt} = 0 AND ${IS_FREE}`);

/** Changes no group that has another version, or whose change of names is under way. */
export const CHANGE_GROUP = sql<
  OneVersion & { name: Buffer; formerName: Buffer | null; externalId: Buffer | null }
>(`UPDATE ${groups.from} SET ${groups.version} = ${groups.version} + 1,
    ${groups.name} = :name, ${groups.formerName} = :formerName, ${groups.externalId} = :externalId
  WHERE ${groups.scopeWithoutIndex} AND ${groups.id} = :id AND ${groups.version} = :version
    AND ${groups.formerName} IS NULL AND ${IS_FREE}`);

/** Locks the row of a group that has this name. */
export const COUNT_CHANGE_OF_MEMBERS = sql<OneGroup & { name: Buffer }>(
  `UPDATE ${groups.from} SET ${groups.version} = ${groups.version} + 1
  WHERE ${groups.scopeWithoutIndex} AND ${groups.id} = :id AND ${groups.name} = :name`,
);

/** Changes of names that are under way, at all relying parties. */
export const UNFINISHED_RENAMES = select(groups.pick('id', 'relyingPartyId')).from(`${groups.from}
  WHERE ${groups.formerName} IS NOT NULL ORDER BY ${groups.id}`);

export const LOCK_RENAME = sql<OneGroup & { formerName: Buffer }>(
  `UPDATE ${groups.from} SET ${groups.formerName} = :formerName
  WHERE ${groups.scopeWithoutIndex} AND ${groups.id} = :id AND ${groups.formerName} = :formerName`,
);

/** Ends a change of names that no member waits for. */
export const END_RENAME = sql<OneGroup & { formerName: Buffer }>(
  `UPDATE ${groups.from} SET ${groups.formerName} = NULL, ${groups.version} = ${groups.version} + 1
  WHERE ${groups.scopeWithoutIndex} AND ${groups.id} = :id AND ${groups.formerName} = :formerName
    AND NOT EXISTS (SELECT 1 FROM ${MEMBERS} = :formerName)`,
);

/** Locks a group if no user has its former name; one may have got it back when a deletion was undone. */
export const LOCK_GROUP_LEFT_BY_ALL = sql<OneGroup & { formerName: Buffer }>(
  `UPDATE ${groups.from} SET ${groups.tenantId} = :tenantId
  WHERE ${groups.scopeWithoutIndex} AND ${groups.id} = :id
    AND NOT EXISTS (SELECT 1 FROM ${MEMBERS} = :formerName)`,
);

/** Deletes no group that has another version, or members. */
export const DELETE_GROUP = sql<OneVersion & { name: Buffer }>(
  `DELETE FROM ${groups.from} WHERE ${groups.scopeWithoutIndex} AND ${groups.id} = :id
    AND ${groups.version} = :version AND ${groups.formerName} IS NULL
    AND NOT EXISTS (SELECT 1 FROM ${MEMBERS} = :name)`,
);
