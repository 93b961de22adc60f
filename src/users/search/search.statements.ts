import type { Scope } from '../../platform/database/scope.js';
import { select, sql } from '../../platform/database/statement.js';
import { COUNT, forEachKind, tableOf } from '../../platform/database/entities/table.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import { User, EarlierName } from '../user.entity.js';
import { SearchPosition, SearchProgress, SearchWord } from './search.entity.js';

const user = tableOf(User);
const word = tableOf(SearchWord);
const u = tableOf(User, 'u');
const w = tableOf(SearchWord, 'w');
const e = tableOf(EarlierName, 'e');
const rp = tableOf(RelyingPartyEntity, 'rp');
const progress = tableOf(SearchProgress);
const position = tableOf(SearchPosition);

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

const USER_IDS = select(word.pick('userId'));

/**
 * Users with a word in this range, in the order of the words. Like `USERNAMES_OF_ENTRIES`, it selects only by relying
 * party: the index alone contains the words.
 */
export const USERS_OF_WORDS = USER_IDS.from<{
  relyingPartyId: Buffer;
  from: Buffer;
  to: Buffer;
  limit: number;
}>(`
  ${word.from}
  WHERE ${word.relyingPartyId} = :relyingPartyId AND ${word.word} >= :from AND ${word.word} < :to
  ORDER BY ${word.word} LIMIT :limit`);

/** Users with exactly one of these words. */
export const USERS_OF_SAME_WORDS = USER_IDS.from<{
  relyingPartyId: Buffer;
  words: readonly Buffer[];
  limit: number;
}>(`
  ${word.from}
  WHERE ${word.relyingPartyId} = :relyingPartyId AND ${word.word} IN (:...words) LIMIT :limit`);

export const USERNAMES_OF_ENTRIES = select(u.pick('username')).from<{
  relyingPartyId: Buffer;
  entries: readonly Buffer[];
}>(`
  ${w.from} JOIN ${u.from} ON ${u.id} = ${w.userId}
  WHERE ${w.relyingPartyId} = :relyingPartyId AND ${w.word} IN (:...entries) LIMIT 5000`);

/** The users of a relying party with the next names, in the order of bytes. */
export const USERS_TO_READ = select(user.pick('id', 'username', 'displayName')).from<
  Scope & { after: Buffer; limit: number }
>(
  `${user.from}
  WHERE ${user.scope} AND ${user.username} > :after ORDER BY ${user.username} LIMIT :limit`,
  { patienceMs: 10_000 },
);

type StoredPosition = Pick<SearchPosition, 'folding' | 'upto'>;

export const SEARCH_POSITION = select(position.pick('folding', 'upto', 'done')).from<Scope>(
  `${position.from} WHERE ${position.scope}`,
);

/** Counts the relying parties all of whose names have been indexed. */
export const COUNT_INDEXED = select(COUNT).from<{ ids: readonly Buffer[]; folding: number }>(`
  ${position.from} WHERE ${position.relyingPartyId} IN (:...ids)
    AND ${position.folding} = :folding AND ${position.done} = 1`);

/** Throws if the relying party has a position already. */
export const BEGIN_SEARCH = sql<Scope & { folding: number }>(`INSERT INTO ${position.from}
  (${position.list('relyingPartyId', 'tenantId', 'folding', 'upto', 'done')})
  VALUES (:relyingPartyId, :tenantId, :folding, '', 0)`);

/** Changes nothing if another instance has advanced it. */
export const ADVANCE_SEARCH = sql<
  Scope & StoredPosition & { newFolding: number; newUpto: Buffer; done: boolean }
>(`UPDATE ${position.from}
  SET ${position.folding} = :newFolding, ${position.upto} = :newUpto, ${position.done} = :done
  WHERE ${position.scope} AND ${position.folding} = :folding AND ${position.upto} = :upto`);

export const SEARCH_PROGRESS = select(progress.pick('folding', 'done')).from(
  `${progress.from} WHERE ${progress.id} = 1`,
);

export const FORGET_SEARCH_PROGRESS = sql(`DELETE FROM ${progress.from} WHERE ${progress.id} = 1`);

/** Throws if there is a row already. */
export const FINISH_SEARCH = sql<{ folding: number; upto: Buffer }>(`INSERT INTO ${progress.from}
  (${progress.list('id', 'folding', 'upto', 'done')}) VALUES (1, :folding, :upto, 1)`);

/**
 * Which of these relying parties have a user whose name begins with a text, or who had this name before. A scalar
 * subquery looks into the index once for each; MariaDB would turn EXISTS into a join, which may read every match.
 */
export const RELYING_PARTIES_WITH_NAME = select(rp.pick('id')).from<{
  ids: readonly Buffer[];
  from: Buffer;
  to: Buffer;
  foldedFrom: Buffer;
  foldedTo: Buffer;
  earlier: Buffer;
}>(`
  ${rp.from} WHERE ${rp.id} IN (:...ids) AND COALESCE(
  (SELECT 1 FROM ${u.from} WHERE ${u.relyingPartyId} = ${rp.id}
    AND ${u.username} >= :from AND ${u.username} < :to LIMIT 1),
  (SELECT 1 FROM ${u.from} WHERE ${u.relyingPartyId} = ${rp.id}
    AND ${u.foldedName} >= :foldedFrom AND ${u.foldedName} < :foldedTo LIMIT 1),
  (SELECT 1 FROM ${e.from} WHERE ${e.relyingPartyId} = ${rp.id}
    AND ${e.username} = :earlier LIMIT 1),
  0) = 1`);
