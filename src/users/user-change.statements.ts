import type { Scope } from '../platform/database/scope.js';
import { sql } from '../platform/database/statement.js';
import { tableOf } from '../platform/database/entities/table.js';
import { RelyingPartyEntity } from '../tenancy/relying-party.entity.js';
import { Credential } from './credentials/credential.entity.js';
import { User } from './user.entity.js';

const users = tableOf(User);
const relyingParty = tableOf(RelyingPartyEntity, 'r');
const credentials = tableOf(Credential);

/** The folded name counts if the relying party's row says so at this moment. */
const FOLDED_NAME = `CASE WHEN (SELECT ${relyingParty.foldsNames} FROM ${relyingParty.from}
    WHERE ${relyingParty.id} = ${users.from}.${users.relyingPartyId}) = 1 THEN :foldedName END`;

/** Locks the row of a user who has this name, without changing it. */
export const LOCK_USER_OF_NAME = sql<Scope & { id: Buffer; username: Buffer }>(`UPDATE ${users.from}
  SET ${users.username} = ${users.username}
  WHERE ${users.scope} AND ${users.id} = :id AND ${users.username} = :username`);

/**
 * Deletes no row if the user has another name, or a credential, which would be deleted with its user unnoticed.
 */
export const DELETE_USER = sql<Scope & { id: Buffer; username: Buffer }>(`DELETE FROM ${users.from}
  WHERE ${users.scope} AND ${users.id} = :id AND ${users.username} = :username
    AND NOT EXISTS (SELECT 1 FROM ${credentials.from} WHERE ${credentials.userId} = :id)`);

/** Counts a lock-out: registrations that began before it create no key. */
export const LOCK_USER_OUT = sql<Scope & { id: Buffer }>(`UPDATE ${users.from}
  SET ${users.lockouts} = COALESCE(${users.lockouts}, 0) + 1 WHERE ${users.scope} AND ${users.id} = :id`);

/** Locks the row of a user who has not been locked out since, without changing it. */
export const LOCK_USER_OF_LOCKOUTS = sql<Scope & { id: Buffer; lockouts: number }>(
  `UPDATE ${users.from} SET ${users.username} = ${users.username}
  WHERE ${users.scope} AND ${users.id} = :id AND COALESCE(${users.lockouts}, 0) = :lockouts`,
);

/** Locks the row of a user who has no credentials but these, without changing it. */
export const LOCK_USER_WITHOUT_OTHER_KEYS = sql<Scope & { userId: Buffer; ids: readonly Buffer[] }>(
  `UPDATE ${users.from} SET ${users.createdAt} = ${users.createdAt}
  WHERE ${users.scope} AND ${users.id} = :userId
    AND NOT EXISTS (SELECT 1 FROM ${credentials.from}
      WHERE ${credentials.userId} = :userId AND ${credentials.id} NOT IN (:...ids))`,
);

/** Locks the row of a user who has no other key of this name, without changing it. */
export const LOCK_USER_WITH_FREE_KEY_NAME = sql<
  Scope & { id: Buffer; userId: Buffer; deviceName: string }
>(`UPDATE ${users.from} SET ${users.createdAt} = ${users.createdAt}
  WHERE ${users.scope} AND ${users.id} = :userId
    AND NOT EXISTS (SELECT 1 FROM ${credentials.from} WHERE ${credentials.userId} = :userId
      AND ${credentials.id} <> :id AND ${credentials.deviceName} = :deviceName)`);

/** Follows `LOCK_USER_WITH_FREE_KEY_NAME` in a unit. */
export const NAME_CREDENTIAL = sql<Scope & { id: Buffer; userId: Buffer; deviceName: string }>(
  `UPDATE ${credentials.from} SET ${credentials.deviceName} = :deviceName
  WHERE ${credentials.scope} AND ${credentials.id} = :id AND ${credentials.userId} = :userId`,
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
>(`UPDATE ${users.from}
  SET ${users.username} = :username, ${users.displayName} = :displayName,
    ${users.foldedName} = ${FOLDED_NAME}
  WHERE ${users.scope} AND ${users.id} = :id AND ${users.username} = :formerUsername
    AND ${users.displayName} = :formerDisplayName`);
