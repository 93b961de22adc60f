import { tableOf } from '../../database/entities/table.js';
import { ConsoleAccount } from '../accounts/console-account.entity.js';
import { ConsoleChallenge } from './console-challenge.entity.js';
import { ConsoleKey } from './console-key.entity.js';

const k = tableOf(ConsoleKey);
const of = tableOf(ConsoleKey, 'k');
const a = tableOf(ConsoleAccount);
const c = tableOf(ConsoleChallenge);

/** Condition: the account has what the rule asks for, without the keys that `but` leaves out. */
const canSignIn = (rule: string, but = '') => `(${rule} = 'password' OR EXISTS (
    SELECT 1 FROM ${of.from} WHERE ${of.accountId} = ${a.from}.${a.id} ${but}
      AND (${rule} = 'password+key' OR ${of.verifiesUser} = 1)))`;

/**
 * Parameters: sign count, now, id, sign count, sign count. The counter must rise, or the key has none (W3C
 * WebAuthn L3 §7.2 step 22).
 */
export const USE_CONSOLE_KEY = `UPDATE ${k.from} SET ${k.signCount} = ?, ${k.usedAt} = ?
  WHERE ${k.id} = ? AND (${k.signCount} < ? OR (${k.signCount} = 0 AND ? = 0))`;

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
