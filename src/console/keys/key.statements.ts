import { tableOf } from '../../database/entities/table.js';
import { ConsoleAccount } from '../accounts/console-account.entity.js';
import { ConsoleChallenge } from './console-challenge.entity.js';
import { ConsoleKey } from './console-key.entity.js';

const k = tableOf(ConsoleKey);
const of = tableOf(ConsoleKey, 'k');
const a = tableOf(ConsoleAccount);
const c = tableOf(ConsoleChallenge);

/** Whether an account has what a rule asks for. */
const canSignIn = (rule: string, but = '') => `(${rule} = 'password' OR EXISTS (
    SELECT 1 FROM ${of.from} WHERE ${of.accountId} = ${a.from}.${a.id} ${but}
      AND (${rule} = 'password+key' OR ${of.verifiesUser} = 1)))`;

/** sign count, now, id, sign count, sign count: a counter rises, or there is none (L3 §7.2 step 22). */
export const USE_CONSOLE_KEY = `UPDATE ${k.from} SET ${k.signCount} = ?, ${k.usedAt} = ?
  WHERE ${k.id} = ? AND (${k.signCount} < ? OR (${k.signCount} = 0 AND ? = 0))`;

/** now. */
export const DELETE_OLD_CHALLENGES = `DELETE FROM ${c.from} WHERE ${c.endsAt} <= ?`;

/** id of the account. */
export const DELETE_KEYS_OF_ACCOUNT = `DELETE FROM ${k.from} WHERE ${k.accountId} = ?`;

/** rule, id, rule, rule: of an account that can sign in by it. */
export const SET_RULE = `UPDATE ${a.from} SET ${a.signIn} = ?
  WHERE ${a.id} = ? AND ${canSignIn('?')}`;

/** id, id of a key: touches the account if it can sign in without that key, and changes nothing. */
export const SIGNS_IN_WITHOUT = `UPDATE ${a.from} SET ${a.signIn} = ${a.signIn}
  WHERE ${a.id} = ? AND ${canSignIn(`${a.from}.${a.signIn}`, `AND ${of.id} <> ?`)}`;
