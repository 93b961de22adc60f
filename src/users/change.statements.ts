import type { Scope } from '../platform/database/scope.js';
import { sql } from '../platform/database/statement.js';
import { type DatabaseKind, forEachKind, tableOf } from '../platform/database/entities/table.js';
import { appendEventFrom } from '../events/event.statements.js';
import { RelyingPartyEntity } from '../tenancy/relying-party.entity.js';
import { Credential, type KEY_STATE } from './credentials/credential.entity.js';
import { DeletedKey } from './deletions/deletion.entity.js';
import { User } from './user.entity.js';

const user = tableOf(User);
const r = tableOf(RelyingPartyEntity, 'r');
const credential = tableOf(Credential);

/** The folded name counts if the relying party's row says so at this moment. */
const FOLDED_NAME = `CASE WHEN (SELECT ${r.foldsNames} FROM ${r.from}
    WHERE ${r.id} = ${user.from}.${user.relyingPartyId}) = 1 THEN :foldedName END`;

const deletedKey = tableOf(DeletedKey);

interface Credentials {
  readonly ids: readonly Buffer[];
  readonly enabled: boolean;
}
const these = (table: typeof credential | typeof deletedKey) =>
  `${table.scopeWithoutIndex} AND ${table.id} IN (:...ids) AND ${table.enabled} = :enabled`;

type State = Pick<Credential, 'enabled' | (typeof KEY_STATE)[number]>;
type StateChange = Credentials &
  State & { readonly [Name in keyof State as `new${Capitalize<Name>}`]: State[Name] };

/** Equality for which NULL equals NULL. */
export const NULL_SAFE_EQUALS = { sqlite: 'IS', mysql: '<=>' } as const satisfies Record<
  DatabaseKind,
  string
>;

const setKeyState = (table: typeof credential | typeof deletedKey) =>
  forEachKind((kind) =>
    sql<Scope & StateChange>(
      `UPDATE ${table.from} SET ${table.enabled} = :newEnabled,
        ${table.disablingJson} = :newDisablingJson, ${table.disabledByRule} = :newDisabledByRule,
        ${table.acceptedBy} = :newAcceptedBy, ${table.refusedWith} = :newRefusedWith,
        ${table.disablings} = COALESCE(${table.disablings}, 0)
          + CASE WHEN :newEnabled = 1 AND :newRefusedWith IS NULL THEN 0 ELSE 1 END
      WHERE ${these(table)} AND ${table.disablingJson} ${NULL_SAFE_EQUALS[kind]} :disablingJson
        AND ${table.disabledByRule} ${NULL_SAFE_EQUALS[kind]} :disabledByRule
        AND ${table.acceptedBy} ${NULL_SAFE_EQUALS[kind]} :acceptedBy
        AND ${table.refusedWith} ${NULL_SAFE_EQUALS[kind]} :refusedWith`,
    ),
  );

export const SET_KEY_STATE = setKeyState(credential);
export const SET_DELETED_KEY_STATE = setKeyState(deletedKey);

/** Appends an event, possibly of another relying party, if the credential is enabled. */
export const EVENT_OF_ENABLED_CREDENTIAL = appendEventFrom<{ keyOwnerId: Buffer; keyId: Buffer }>(
  `${credential.from} WHERE ${credential.relyingPartyId} = :keyOwnerId
    AND ${credential.id} = :keyId AND ${credential.enabled} = 1`,
);

/** Keeps the reason of an earlier disabling, unless it was a job, whose undo would enable the key. */
export const DISABLE_CREDENTIAL = sql<Scope & { id: Buffer; disablingJson: string }>(`UPDATE
    ${credential.from}
  SET ${credential.enabled} = 0, ${credential.disablings} = COALESCE(${credential.disablings}, 0) + 1,
    ${credential.disablingJson} = CASE
      WHEN ${credential.disablingJson} IS NULL OR ${credential.disablingJson} LIKE '%"job":%'
      THEN :disablingJson ELSE ${credential.disablingJson} END
  WHERE ${credential.scope} AND ${credential.id} = :id`);

export const DELETE_CREDENTIALS = sql<Scope & Credentials>(
  `DELETE FROM ${credential.from} WHERE ${these(credential)}`,
);

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

/** Locks the keys of a user that can sign in, without changing them; finds no row if there are none. */
export const LOCK_USABLE_KEYS = sql<Scope & { userId: Buffer }>(
  `UPDATE ${credential.from} SET ${credential.enabled} = 1
  WHERE ${credential.scope} AND ${credential.userId} = :userId AND ${credential.enabled} = 1
    AND ${credential.refusedWith} IS NULL`,
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
