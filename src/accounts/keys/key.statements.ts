import { select, sql } from '../../platform/database/statement.js';
import { tableOf } from '../../platform/database/entities/table.js';
import { ConsoleAccount } from '../console-account.entity.js';
import { ConsoleChallenge, ConsoleKey } from './console-key.entity.js';

const keys = tableOf(ConsoleKey);
const key = tableOf(ConsoleKey, 'k');
const accounts = tableOf(ConsoleAccount);
const challenges = tableOf(ConsoleChallenge);

/** For keys of earlier versions, the flag of their registration decides whether their user verification counts. */
const UV_INITIALIZED = `COALESCE(${key.uvInitialized}, ${key.verifiesUser})`;

/** Condition: the account meets the rule, without the keys that `but` excludes. */
const canSignIn = (rule: string, but = '') => `(${rule} = 'password' OR EXISTS (
    SELECT 1 FROM ${key.from} WHERE ${key.accountId} = ${accounts.from}.${accounts.id} ${but}
      AND (${rule} = 'password+key' OR ${UV_INITIALIZED} = 1)))`;

interface KeyUse {
  readonly id: Buffer;
  readonly signCount: number;
  /** 1 if its user verification counts from now on; otherwise `null`. */
  readonly uvInitialized: number | null;
  readonly usedAt: number;
}

/** The counter must increase, or the key has none (W3C WebAuthn L3 §7.2 step 22). */
export const USE_CONSOLE_KEY = sql<KeyUse>(`UPDATE ${keys.from} SET ${keys.signCount} = :signCount,
    ${keys.uvInitialized} = COALESCE(:uvInitialized, ${keys.uvInitialized}), ${keys.usedAt} = :usedAt
  WHERE ${keys.id} = :id
    AND (${keys.signCount} < :signCount OR (${keys.signCount} = 0 AND :signCount = 0))`);

/** Makes the user verification of the key count. */
export const INITIALIZE_UV = sql<{ id: Buffer }>(
  `UPDATE ${keys.from} SET ${keys.uvInitialized} = 1 WHERE ${keys.id} = :id`,
);

/** Updates a key without a change, if it was not removed. */
export const KEY_IS_KNOWN = sql<{ id: Buffer }>(
  `UPDATE ${keys.from} SET ${keys.usedAt} = ${keys.usedAt} WHERE ${keys.id} = :id`,
);

export const DELETE_OLD_CHALLENGES = sql<{ now: number }>(
  `DELETE FROM ${challenges.from} WHERE ${challenges.endsAt} <= :now`,
);

export const DELETE_KEYS_OF_ACCOUNT = sql<{ accountId: Buffer }>(
  `DELETE FROM ${keys.from} WHERE ${keys.accountId} = :accountId`,
);

/**
 * The effective rule: an account that must have a second factor does not sign in by its password alone. One of the
 * OpenID provider signs in without a key unless it needs one; the provider replaces the password.
 */
const RULE = `CASE WHEN ${accounts.from}.${accounts.needsKey} = 1 AND ${accounts.from}.${accounts.signIn} = 'password'
    THEN 'password+key' WHEN ${accounts.from}.${accounts.needsKey} = 0 AND ${accounts.from}.${accounts.identity} IS NOT NULL
    THEN 'password' ELSE ${accounts.from}.${accounts.signIn} END`;

/** Changes nothing if the account could not sign in by the rule, or the rule has changed. */
export const SET_RULE = sql<{ id: Buffer; before: string; rule: string }>(`UPDATE ${accounts.from}
  SET ${accounts.signIn} = :rule
  WHERE ${accounts.id} = :id AND ${RULE} = :before AND ${canSignIn(':rule')}`);

/** Updates the account without a change, if it can sign in without the key. */
export const SIGNS_IN_WITHOUT = sql<{ id: Buffer; keyId: Buffer }>(`UPDATE ${accounts.from}
  SET ${accounts.signIn} = ${accounts.signIn}
  WHERE ${accounts.id} = :id AND ${canSignIn(RULE, `AND ${key.id} <> :keyId`)}`);

/** Updates the account without a change, if it may have another key. */
export const TAKES_A_KEY = sql<{ id: Buffer; most: number }>(`UPDATE ${accounts.from}
  SET ${accounts.signIn} = ${accounts.signIn}
  WHERE ${accounts.id} = :id
    AND (SELECT COUNT(*) FROM ${key.from} WHERE ${key.accountId} = ${accounts.from}.${accounts.id}) < :most`);

/** The accounts that sign in by a key alone, and have no key whose user verification counts. */
export const LOCKED_OUT = select(accounts.pick('name', 'role')).from(`${accounts.from}
  WHERE ${accounts.signIn} = 'key' AND NOT ${canSignIn("'key'")}`);
