import type { Scope } from '../../platform/database/scope.js';
import { sql, type NoParams } from '../../platform/database/statement.js';
import { forEachKind, tableOf, type RowOf } from '../../platform/database/entities/table.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import { User, EarlierName } from '../user.entity.js';
import { SearchProgress, SearchWord } from './search.entity.js';

const user = tableOf(User);
const word = tableOf(SearchWord);
const u = tableOf(User, 'u');
const w = tableOf(SearchWord, 'w');
const e = tableOf(EarlierName, 'e');
const rp = tableOf(RelyingPartyEntity, 'rp');
const progress = tableOf(SearchProgress);

/** Ignores words that are stored already. */
export const INSERT_WORDS = forEachKind((kind) =>
  sql<{ rows: readonly Omit<SearchWord, 'user'>[] }>(
    `INSERT ${kind === 'sqlite' ? 'OR IGNORE' : 'IGNORE'} INTO
      ${word.rows('relyingPartyId', 'tenantId', 'userId', 'word')}`,
  ),
);

export const FORGET_WORDS = sql<Scope & { userId: Buffer }>(
  `DELETE FROM ${word.from} WHERE ${word.scope} AND ${word.userId} = :userId`,
);

/**
 * Users with a word in this range, in the order of the words. Like `USERNAMES_OF_ENTRIES`, it selects only by relying
 * party: the index alone contains the words.
 */
export const USERS_OF_WORDS = sql<
  { relyingPartyId: Buffer; from: Buffer; to: Buffer; limit: number },
  { userId: Buffer }
>(`SELECT ${word.select('userId')} FROM ${word.from}
  WHERE ${word.relyingPartyId} = :relyingPartyId AND ${word.word} >= :from AND ${word.word} < :to
  ORDER BY ${word.word} LIMIT :limit`);

export const NAMES_OF_USERS = sql<
  Scope & { ids: readonly Buffer[] },
  { id: Buffer; username: Buffer; displayName: string }
>(`SELECT ${user.select('id', 'username', 'displayName')} FROM ${user.from}
  WHERE ${user.scopeWithoutIndex} AND ${user.id} IN (:...ids)`);

export const USERNAMES_OF_ENTRIES = sql<
  { relyingPartyId: Buffer; entries: readonly Buffer[] },
  { username: Buffer }
>(`SELECT ${u.select('username')} FROM ${w.from} JOIN ${u.from} ON ${u.id} = ${w.userId}
  WHERE ${w.relyingPartyId} = :relyingPartyId AND ${w.word} IN (:...entries) LIMIT 5000`);

/** Users with greater IDs, of all relying parties. */
export const USERS_TO_READ = sql<
  { after: Buffer; limit: number },
  RowOf<User, 'id' | 'tenantId' | 'relyingPartyId' | 'displayName', 'username'>
>(
  `SELECT ${user.select('id', 'tenantId', 'relyingPartyId', 'username', 'displayName')}
  FROM ${user.from} WHERE ${user.id} > :after ORDER BY ${user.id} LIMIT :limit`,
  { patienceMs: 10_000 },
);

/** How far names have been indexed. */
export type SearchPosition = Pick<SearchProgress, 'folding' | 'upto'>;

export const SEARCH_PROGRESS = sql<NoParams, SearchPosition & { done: number }>(
  `SELECT ${progress.select('folding', 'upto', 'done')} FROM ${progress.from}
  WHERE ${progress.id} = 1`,
);

/** Throws if there is a row already. */
export const BEGIN_SEARCH = sql<SearchPosition>(`INSERT INTO ${progress.from}
  (${progress.list('id', 'folding', 'upto', 'done')}) VALUES (1, :folding, :upto, 0)`);

/** Changes nothing if another instance has advanced it. */
export const ADVANCE_SEARCH = sql<
  SearchPosition & { newFolding: number; newUpto: Buffer; done: boolean }
>(`UPDATE ${progress.from}
  SET ${progress.folding} = :newFolding, ${progress.upto} = :newUpto, ${progress.done} = :done
  WHERE ${progress.id} = 1 AND ${progress.folding} = :folding AND ${progress.upto} = :upto`);

/**
 * Which of these relying parties have a user whose name begins with a text, or who had this name before. A scalar
 * subquery looks into the index once for each; MariaDB would turn EXISTS into a join, which may read every match.
 */
export const RELYING_PARTIES_WITH_NAME = sql<
  {
    ids: readonly Buffer[];
    from: Buffer;
    to: Buffer;
    foldedFrom: Buffer;
    foldedTo: Buffer;
    earlier: Buffer;
  },
  { id: Buffer }
>(`SELECT ${rp.id} FROM ${rp.from} WHERE ${rp.id} IN (:...ids) AND COALESCE(
  (SELECT 1 FROM ${u.from} WHERE ${u.relyingPartyId} = ${rp.id}
    AND ${u.username} >= :from AND ${u.username} < :to LIMIT 1),
  (SELECT 1 FROM ${u.from} WHERE ${u.relyingPartyId} = ${rp.id}
    AND ${u.foldedName} >= :foldedFrom AND ${u.foldedName} < :foldedTo LIMIT 1),
  (SELECT 1 FROM ${e.from} WHERE ${e.relyingPartyId} = ${rp.id}
    AND ${e.username} = :earlier LIMIT 1),
  0) = 1`);
