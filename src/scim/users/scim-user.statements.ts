import type { Scope } from '../../platform/database/scope.js';
import { select, sql, type RowOf } from '../../platform/database/statement.js';
import {
  COUNT,
  forEachKind,
  NULL_SAFE_EQUALS,
  tableOf,
} from '../../platform/database/entities/table.js';
import { User } from '../../users/user.entity.js';

const users = tableOf(User);

/** The columns of which SCIM shows something. */
const SHOWN = select(
  users.pick(
    'id',
    'displayName',
    'createdAt',
    'suspendedBy',
    'externalId',
    'directoryJson',
    'username',
  ),
);

export const DIRECTORY_USER = SHOWN.from<Scope & { id: Buffer }>(
  `${users.from} WHERE ${users.scopeWithoutIndex} AND ${users.id} = :id`,
  { small: true },
);
export type DirectoryUserRow = RowOf<typeof DIRECTORY_USER>;

export const DIRECTORY_USERS = SHOWN.from<Scope & { ids: readonly Buffer[] }>(
  `${users.from} WHERE ${users.scopeWithoutIndex} AND ${users.id} IN (:...ids)`,
);

export const ID_OF_EXTERNAL_ID = select(users.pick('id')).from<Scope & { externalId: Buffer }>(
  `${users.from} WHERE ${users.scope} AND ${users.externalId} = :externalId`,
  { small: true },
);

/** Throws if another user has the ID. */
export const STORE_DIRECTORY_FACTS = sql<
  Scope & Pick<DirectoryUserRow, 'id' | 'externalId' | 'directoryJson'>
>(`UPDATE ${users.from}
  SET ${users.externalId} = :externalId, ${users.directoryJson} = :directoryJson
  WHERE ${users.scopeWithoutIndex} AND ${users.id} = :id`);

/** Locks the row of a user, without changing it; finds none if what SCIM shows of the user has changed. */
export const LOCK_USER_AS_READ = forEachKind((kind) =>
  sql<Scope & Omit<DirectoryUserRow, 'createdAt'>>(`UPDATE ${users.from}
  SET ${users.createdAt} = ${users.createdAt}
  WHERE ${users.scope} AND ${users.id} = :id
    AND ${users.username} = :username AND ${users.displayName} = :displayName
    AND ${users.suspendedBy} ${NULL_SAFE_EQUALS[kind]} :suspendedBy
    AND ${users.externalId} ${NULL_SAFE_EQUALS[kind]} :externalId
    AND ${users.directoryJson} ${NULL_SAFE_EQUALS[kind]} :directoryJson`),
);

/*
 * These name only the relying party: then the index of creation times contains everything, and no row is read.
 */

/** Ten million users take some seconds. */
const PATIENT = { patienceMs: 30_000 };

export const COUNT_USERS_OF = select(COUNT).from<{ relyingPartyId: Buffer }>(
  `${users.from} WHERE ${users.relyingPartyId} = :relyingPartyId`,
  PATIENT,
);

export const USER_IDS_FROM = select(users.pick('id')).from<{
  relyingPartyId: Buffer;
  limit: number;
  skip: number;
}>(
  `${users.from} WHERE ${users.relyingPartyId} = :relyingPartyId
  ORDER BY ${users.createdAt}, ${users.id} LIMIT :limit OFFSET :skip`,
  PATIENT,
);
