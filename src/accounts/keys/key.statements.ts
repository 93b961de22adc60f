import { select, sql } from '../../platform/database/statement.js';
import { tableOf } from '../../platform/database/entities/table.js';
import { ConsoleAccount } from '../console-account.entity.js';
import { ConsoleChallenge, ConsoleKey } from './console-key.entity.js';

const k = tableOf(ConsoleKey);
const of = tableOf(ConsoleKey, 'k');
const a = tableOf(ConsoleAccount);
const c = tableOf(ConsoleChallenge);

/** For keys of earlier versions, the flag of their registration decides whether their user verification counts. */
const UV_INITIALIZED = `COALESCE(${of.uvInitialized}, ${of.verifiesUser})`;

/** Condition: the account meets the rule, without the keys that `but` excludes. */
const canSignIn = (rule: string, but = '') => `(${rule} = 'password' OR EXISTS (
    SELECT 1 FROM ${of.from} WHERE ${of.accountId} = ${a.from}.${a.id} ${but}
      AND (${rule} = 'password+key' OR ${UV_INITIALIZED} = 1)))`;

interface KeyUse {
  readonly id: Buffer;
  readonly signCount: number;
  /** 1 if its user verification counts from now on; otherwise `null`. */
  readonly uvInitialized: number | null;
  readonly usedAt: number;
}

/** The counter must increase, or the key has none (W3C WebAuthn L3 §7.2 step 22). */
export const USE_CONSOLE_KEY = sql<KeyUse>(`UPDATE ${k.from} SET ${k.signCount} = :signCount,
    ${k.uvInitialized} = COALESCE(:uvInitialized, ${k.uvInitialized}), ${k.usedAt} = :usedAt
  WHERE ${k.id} = :id
    AND (${k.signCount} < :signCount OR (${k.signCount} = 0 AND :signCount = 0))`);

/** Makes the user verification of the key count. */
export const INITIALIZE_UV = sql<{ id: Buffer }>(
  `UPDATE ${k.from} SET ${k.uvInitialized} = 1 WHERE ${k.id} = :id`,
);

/** Updates a key without a change, if it was not removed. */
export const KEY_IS_KNOWN = sql<{ id: Buffer }>(
  `UPDATE ${k.from} SET ${k.usedAt} = ${k.usedAt} WHERE ${k.id} = :id`,
);

export const DELETE_OLD_CHALLENGES = sql<{ now: number }>(
  `DELETE FROM ${c.from} WHERE ${c.endsAt} <= :now`,
);

export const DELETE_KEYS_OF_ACCOUNT = sql<{ accountId: Buffer }>(
  `DELETE FROM ${k.from} WHERE ${k.accountId} = :accountId`,
);

/**
 * The effective rule: an account that must have a second factor does not sign in by its password alone. One of the
 * OpenID provider signs in without a key unless it needs one; the provider replaces the password.
 */
const RULE = `CASE WHEN ${a.from}.${a.needsKey} = 1 AND ${a.from}.${a.signIn} = 'password'
    THEN 'password+key' WHEN ${a.from}.${a.needsKey} = 0 AND ${a.from}.${a.identity} IS NOT NULL
    THEN 'password' ELSE ${a.from}.${a.signIn} END`;

/** Changes nothing if the account could not sign in by the rule, or the rule has changed. */
export const SET_RULE = sql<{ id: Buffer; before: string; rule: string }>(`UPDATE ${a.from}
  SET ${a.signIn} = :rule
  WHERE ${a.id} = :id AND ${RULE} = :before AND ${canSignIn(':rule')}`);

/** Updates the account without a change, if it can sign in without the key. */
export const SIGNS_IN_WITHOUT = sql<{ id: Buffer; keyId: Buffer }>(`UPDATE ${a.from}
  SET ${a.signIn} = ${a.signIn}
  WHERE ${a.id} = :id AND ${canSignIn(RULE, `AND ${of.id} <> :keyId`)}`);

/** Updates the account without a change, if it may have another key. */
export const TAKES_A_KEY = sql<{ id: Buffer; most: number }>(`UPDATE ${a.from}
  SET ${a.signIn} = ${a.signIn}
  WHERE ${a.id} = :id
    AND (SELECT COUNT(*) FROM ${of.from} WHERE ${of.accountId} = ${a.from}.${a.id}) < :most`);

/** The accounts that sign in by a key alone, and have no key whose user verification counts. */
export const LOCKED_OUT = select(a.pick('name', 'role')).from(`${a.from}
  WHERE ${a.signIn} = 'key' AND NOT ${canSignIn("'key'")}`);
