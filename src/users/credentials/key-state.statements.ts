import { appendEventFrom } from '../../events/event.statements.js';
import { forEachKind, NULL_SAFE_EQUALS, tableOf } from '../../platform/database/entities/table.js';
import type { Scope } from '../../platform/database/scope.js';
import { sql } from '../../platform/database/statement.js';
import { DeletedKey } from '../deletions/deletion.entity.js';
import { usableKey } from '../sign-in-state.js';
import { Credential, type KEY_STATE } from './credential.entity.js';

const credentials = tableOf(Credential);
const deletedKeys = tableOf(DeletedKey);

interface Credentials {
  readonly ids: readonly Buffer[];
  readonly enabled: boolean;
}
const these = (table: typeof credentials | typeof deletedKeys) =>
  `${table.scopeWithoutIndex} AND ${table.id} IN (:...ids) AND ${table.enabled} = :enabled`;

type State = Pick<Credential, 'enabled' | (typeof KEY_STATE)[number]>;
type StateChange = Credentials &
  State & { readonly [Name in keyof State as `new${Capitalize<Name>}`]: State[Name] };

const setKeyState = (table: typeof credentials | typeof deletedKeys) =>
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

export const SET_KEY_STATE = setKeyState(credentials);
export const SET_DELETED_KEY_STATE = setKeyState(deletedKeys);

/** Appends an event, possibly of another relying party, if the credential is enabled. */
export const EVENT_OF_ENABLED_CREDENTIAL = appendEventFrom<{ keyOwnerId: Buffer; keyId: Buffer }>(
  `${credentials.from} WHERE ${credentials.relyingPartyId} = :keyOwnerId
    AND ${credentials.id} = :keyId AND ${credentials.enabled} = 1`,
);

/**
 * Keeps the reason of an earlier disabling, unless it was a job, whose undo would enable the key. `withDisabling` has the
 * same rule.
 */
export const DISABLE_CREDENTIAL = sql<Scope & { id: Buffer; disablingJson: string }>(`UPDATE
    ${credentials.from}
  SET ${credentials.enabled} = 0, ${credentials.disablings} = COALESCE(${credentials.disablings}, 0) + 1,
    ${credentials.disablingJson} = CASE
      WHEN ${credentials.disablingJson} IS NULL OR ${credentials.disablingJson} LIKE '%"job":%'
      THEN :disablingJson ELSE ${credentials.disablingJson} END
  WHERE ${credentials.scope} AND ${credentials.id} = :id`);

export const DELETE_CREDENTIALS = sql<Scope & Credentials>(
  `DELETE FROM ${credentials.from} WHERE ${these(credentials)}`,
);

/** Locks the keys of a user that can sign in, without changing them; finds no row if there are none. */
export const LOCK_USABLE_KEYS = sql<Scope & { userId: Buffer }>(
  `UPDATE ${credentials.from} SET ${credentials.enabled} = 1
  WHERE ${credentials.scope} AND ${credentials.userId} = :userId
    AND ${usableKey(credentials)}`,
);
