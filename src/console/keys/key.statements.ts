import { tableOf } from '../../database/entities/table.js';
import { ConsoleChallenge } from './console-challenge.entity.js';
import { ConsoleKey } from './console-key.entity.js';

const k = tableOf(ConsoleKey);
const c = tableOf(ConsoleChallenge);

/** sign count, now, id, sign count, sign count: a counter rises, or there is none (L3 §7.2 step 22). */
export const USE_CONSOLE_KEY = `UPDATE ${k.from} SET ${k.signCount} = ?, ${k.usedAt} = ?
  WHERE ${k.id} = ? AND (${k.signCount} < ? OR (${k.signCount} = 0 AND ? = 0))`;

/** now. */
export const DELETE_OLD_CHALLENGES = `DELETE FROM ${c.from} WHERE ${c.endsAt} <= ?`;

/** id of the account. */
export const DELETE_KEYS_OF_ACCOUNT = `DELETE FROM ${k.from} WHERE ${k.accountId} = ?`;
