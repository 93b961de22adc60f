import type { DatabaseKind } from '../../platform/database/columns.js';
import { tableOf } from '../../platform/database/entities/table.js';
import { marksOf } from '../../platform/database/padded.js';
import { User } from '../user.entity.js';
import { SearchProgress } from './search-progress.entity.js';
import { SearchWord } from './search-word.entity.js';

/*
 * Parameters stand in the order of their names in the comments; `rp` is `scopeParams`, `rp id` the
 * relying party's alone: what is asked of many words then stands in the index.
 */

const user = tableOf(User);
const word = tableOf(SearchWord);
const u = tableOf(User, 'u');
const w = tableOf(SearchWord, 'w');
const progress = tableOf(SearchProgress);

const NEW_WORDS = `INTO ${word.from} (${word.list('relyingPartyId', 'tenantId', 'userId', 'word')}) VALUES`;

/** Ignores words that are stored already. */
const INSERT_ONCE = {
  sqlite: `INSERT OR IGNORE ${NEW_WORDS}`,
  mysql: `INSERT IGNORE ${NEW_WORDS}`,
} as const;

/** For each word: rp, user id, word. */
export const insertWords = (kind: DatabaseKind, rows: readonly unknown[]) =>
  `${INSERT_ONCE[kind]} ${rows.map(() => '(?, ?, ?, ?)').join(', ')}`;

/** rp, user id. */
export const FORGET_WORDS = `DELETE FROM ${word.from} WHERE ${word.positionalScope} AND ${word.userId} = ?`;

/** rp id, from, to, limit: users with a word in this range, in the order of the words. */
export const USERS_OF_WORDS = `SELECT ${word.select('userId')} FROM ${word.from}
  WHERE ${word.relyingPartyId} = ? AND ${word.word} >= ? AND ${word.word} < ?
  ORDER BY ${word.word} LIMIT ?`;

/** rp, their ids. */
export const namesOfUsers = (ids: readonly unknown[]) =>
  `SELECT ${user.select('id', 'username', 'displayName')} FROM ${user.from}
    WHERE ${user.positionalScopeOfIds} AND ${user.id} IN (${marksOf(ids)})`;

/** rp id, entries: the users who have these entries. */
export const usernamesOfEntries = (entries: readonly unknown[]) =>
  `SELECT ${u.select('username')} FROM ${w.from} JOIN ${u.from} ON ${u.id} = ${w.userId}
    WHERE ${w.relyingPartyId} = ? AND ${w.word} IN (${marksOf(entries)}) LIMIT 5000`;

/** id, limit: users with greater IDs, of all relying parties. */
export const USERS_TO_READ = `SELECT ${user.select('id', 'tenantId', 'relyingPartyId')},
    ${user.select('username', 'displayName')}
  FROM ${user.from} WHERE ${user.id} > ? ORDER BY ${user.id} LIMIT ?`;

export const SEARCH_PROGRESS = `SELECT ${progress.select('folding', 'upto', 'done')}
  FROM ${progress.from} WHERE ${progress.id} = 1`;

/** folding, upto: throws if there is a row already. */
export const BEGIN_SEARCH = `INSERT INTO ${progress.from}
  (${progress.list('id', 'folding', 'upto', 'done')}) VALUES (1, ?, ?, 0)`;

/** new folding, new upto, done, folding, upto. */
export const MOVE_SEARCH = `UPDATE ${progress.from}
  SET ${progress.folding} = ?, ${progress.upto} = ?, ${progress.done} = ?
  WHERE ${progress.id} = 1 AND ${progress.folding} = ? AND ${progress.upto} = ?`;
