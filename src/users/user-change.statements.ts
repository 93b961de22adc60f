import type { Scope } from '../platform/database/scope.js';
import { sql } from '../platform/database/statement.js';
import { tableOf } from '../platform/database/entities/table.js';
import { RelyingPartyEntity } from '../tenancy/relying-party.entity.js';
import { Credential } from './credentials/credential.entity.js';
import { User } from './user.entity.js';

const user = tableOf(User);
const r = tableOf(RelyingPartyEntity, 'r');
const credential = tableOf(Credential);

/** The folded name counts if the relying party's row says so at this moment. */
const FOLDED_NAME = `CASE WHEN (SELECT ${r.foldsNames} FROM ${r.from}
    WHERE ${r.id} = ${user.from}.${user.relyingPartyId}) = 1 THEN :foldedName END`;

/** Locks the row of a user who has this name, without changing it. */
export const LOCK_USER_OF_NAME = sql<Scope & { id: Buffer; username: Buffer }>(`UPDATE ${user.from}
  SET ${user.username} = ${user.username}
  WHERE ${user.scope} AND ${user.id} = :id AND ${user.username} = :username`);

/**
 * Deletes no row if the user has another name, or a credential, which would be deleted with its user unnoticed.
 */
export const DELETE_USER = sql<Scope & { id: Buffer; username: Buffer }>(`DELETE FROM ${user.from}
  WHERE ${user.scope} AND ${user.id} = :id AND ${user.username} = :username
    AND NOT EXISTS (SELECT 1 FROM ${credential.from} WHERE ${credential.userId} = :id)`);

/** Counts a lock-out: registrations that began before it create no key. */
export const LOCK_USER_OUT = sql<Scope & { id: Buffer }>(`UPDATE ${user.from}
  SET ${user.lockouts} = COALESCE(${user.lockouts}, 0) + 1 WHERE ${user.scope} AND ${user.id} = :id`);

/** Locks the row of a user who has not been locked out since, without changing it. */
export const LOCK_USER_OF_LOCKOUTS = sql<Scope & { id: Buffer; lockouts: number }>(
  `UPDATE ${user.from} SET ${user.username} = ${user.username}
  WHERE ${user.scope} AND ${user.id} = :id AND COALESCE(${user.lockouts}, 0) = :lockouts`,
);

/** Locks the row of a user who has no credentials but these, without changing it. */
export const LOCK_USER_WITHOUT_OTHER_KEYS = sql<Scope & { userId: Buffer; ids: readonly Buffer[] }>(
  `UPDATE ${user.from} SET ${user.createdAt} = ${user.createdAt}
  WHERE ${user.scope} AND ${user.id} = :userId
    AND NOT EXISTS (SELECT 1 FROM ${credential.from}
      WHERE ${credential.userId} = :userId AND ${credential.id} NOT IN (:...ids))`,
);

/** Locks the row of a user who has no other key of this name, without changing it. */
export const LOCK_USER_WITH_FREE_KEY_NAME = sql<
  Scope & { id: Buffer; userId: Buffer; deviceName: string }
>(`UPDATE ${user.from} SET ${user.createdAt} = ${user.createdAt}
  WHERE ${user.scope} AND ${user.id} = :userId
    AND NOT EXISTS (SELECT 1 FROM ${credential.from} WHERE ${credential.userId} = :userId
      AND ${credential.id} <> :id AND ${credential.deviceName} = :deviceName)`);

/** Follows `LOCK_USER_WITH_FREE_KEY_NAME` in a unit. */
export const NAME_CREDENTIAL = sql<Scope & { id: Buffer; userId: Buffer; deviceName: string }>(
  `UPDATE ${credential.from} SET ${credential.deviceName} = :deviceName
  WHERE ${credential.scope} AND ${credential.id} = :id AND ${credential.userId} = :userId`,
);

/** Finds no row if one of the names has changed since they were read: a renaming stores both. */
export const CHANGE_NAMES = sql<
  Scope & {
    id: Buffer;
    username: Buffer;
    displayName: string;
    foldedName: Buffer;
    formerUsername: Buffer;
    formerDisplayName: string;
  }
>(`UPDATE ${user.from}
  SET ${user.username} = :username, ${user.displayName} = :displayName,
    ${user.foldedName} = ${FOLDED_NAME}
  WHERE ${user.scope} AND ${user.id} = :id AND ${user.username} = :formerUsername
    AND ${user.displayName} = :formerDisplayName`);
