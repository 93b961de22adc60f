import { tableOf } from '../../platform/database/entities/table.js';
import { ConsoleAccount } from '../accounts/console-account.entity.js';
import { ConsoleChallenge } from './console-challenge.entity.js';
import { ConsoleKey } from './console-key.entity.js';

const k = tableOf(ConsoleKey);
const of = tableOf(ConsoleKey, 'k');
const a = tableOf(ConsoleAccount);
const c = tableOf(ConsoleChallenge);

/** Keys of earlier versions say by the flag of their registration whether their user verification counts. */
const UV_INITIALIZED = `COALESCE(${of.uvInitialized}, ${of.verifiesUser})`;

/** Condition: the account has what the rule asks for, without the keys that `but` leaves out. */
const canSignIn = (rule: string, but = '') => `(${rule} = 'password' OR EXISTS (
    SELECT 1 FROM ${of.from} WHERE ${of.accountId} = ${a.from}.${a.id} ${but}
      AND (${rule} = 'password+key' OR ${UV_INITIALIZED} = 1)))`;

/**
 * Parameters: sign count, 1 where its user verification counts from now on (else null), now, id, sign count,
 * sign count. The counter must rise, or the key has none (W3C
 * WebAuthn L3 §7.2 step 22).
 */
export const USE_CONSOLE_KEY = `UPDATE ${k.from} SET ${k.signCount} = ?,
    ${k.uvInitialized} = COALESCE(?, ${k.uvInitialized}), ${k.usedAt} = ?
  WHERE ${k.id} = ? AND (${k.signCount} < ? OR (${k.signCount} = 0 AND ? = 0))`;

/** Parameters: id. From now on the user verification of the key counts. */
export const INITIALIZE_UV = `UPDATE ${k.from} SET ${k.uvInitialized} = 1 WHERE ${k.id} = ?`;

/** Parameters: now. */
export const DELETE_OLD_CHALLENGES = `DELETE FROM ${c.from} WHERE ${c.endsAt} <= ?`;

/** Parameters: id of the account. */
export const DELETE_KEYS_OF_ACCOUNT = `DELETE FROM ${k.from} WHERE ${k.accountId} = ?`;

/** Parameters: rule, id, rule, rule. Changes nothing where the account could not sign in by the rule. */
export const SET_RULE = `UPDATE ${a.from} SET ${a.signIn} = ?
  WHERE ${a.id} = ? AND ${canSignIn('?')}`;

/** Parameters: id, id of a key. Touches the account, unchanged, if it can sign in without that key. */
export const SIGNS_IN_WITHOUT = `UPDATE ${a.from} SET ${a.signIn} = ${a.signIn}
  WHERE ${a.id} = ? AND ${canSignIn(`${a.from}.${a.signIn}`, `AND ${of.id} <> ?`)}`;

/** Rows of the accounts that sign in by a key alone, and have no key whose user verification counts. */
export const LOCKED_OUT = `SELECT ${a.select('name', 'role')} FROM ${a.from}
  WHERE ${a.signIn} = 'key' AND NOT ${canSignIn("'key'")}`;
