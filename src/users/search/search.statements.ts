import type { Scope } from '../../platform/database/scope.js';
import { select, sql } from '../../platform/database/statement.js';
import { COUNT, forEachKind, tableOf } from '../../platform/database/entities/table.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import { User, EarlierName } from '../user.entity.js';
import { SearchPosition, SearchProgress, SearchWord } from './search.entity.js';

const users = tableOf(User);
const words = tableOf(SearchWord);
const user = tableOf(User, 'u');
const word = tableOf(SearchWord, 'w');
const earlierName = tableOf(EarlierName, 'e');
const relyingParty = tableOf(RelyingPartyEntity, 'rp');
const progress = tableOf(SearchProgress);
const positions = tableOf(SearchPosition);

/** Ignores words that are stored already. */
export const INSERT_WORDS = forEachKind((kind) =>
  sql<{ rows: readonly Omit<SearchWord, 'user'>[] }>(
    `INSERT ${kind === 'sqlite' ? 'OR IGNORE' : 'IGNORE'} INTO
      ${words.rows('relyingPartyId', 'tenantId', 'userId', 'word')}`,
  ),
);

export const FORGET_WORDS = sql<Scope & { userId: Buffer }>(
  `DELETE FROM ${words.from} WHERE ${words.scope} AND ${words.userId} = :userId`,
);

const USER_IDS = select(words.pick('userId'));

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
  ${words.from}
  WHERE ${words.relyingPartyId} = :relyingPartyId AND ${words.word} >= :from AND ${words.word} < :to
  ORDER BY ${words.word} LIMIT :limit`);

/** Users with exactly one of these words. */
export const USERS_OF_SAME_WORDS = USER_IDS.from<{
  relyingPartyId: Buffer;
  words: readonly Buffer[];
  limit: number;
}>(`
  ${words.from}
  WHERE ${words.relyingPartyId} = :relyingPartyId AND ${words.word} IN (:...words) LIMIT :limit`);

export const USERNAMES_OF_ENTRIES = select(user.pick('username')).from<{
  relyingPartyId: Buffer;
  entries: readonly Buffer[];
}>(`
  ${word.from} JOIN ${user.from} ON ${user.id} = ${word.userId}
  WHERE ${word.relyingPartyId} = :relyingPartyId AND ${word.word} IN (:...entries) LIMIT 5000`);

/** The users of a relying party with the next names, in the order of bytes. */
export const USERS_TO_READ = select(users.pick('id', 'username', 'displayName')).from<
  Scope & { after: Buffer; limit: number }
>(
  `${users.from}
  WHERE ${users.scope} AND ${users.username} > :after ORDER BY ${users.username} LIMIT :limit`,
  { patienceMs: 10_000 },
);

type StoredPosition = Pick<SearchPosition, 'folding' | 'upto'>;

export const SEARCH_POSITION = select(positions.pick('folding', 'upto', 'done')).from<Scope>(
  `${positions.from} WHERE ${positions.scope}`,
);

/** Counts the relying parties all of whose names have been indexed. */
export const COUNT_INDEXED = select(COUNT).from<{ ids: readonly Buffer[]; folding: number }>(`
  ${positions.from} WHERE ${positions.relyingPartyId} IN (:...ids)
    AND ${positions.folding} = :folding AND ${positions.done} = 1`);

/** Throws if the relying party has a position already. */
export const BEGIN_SEARCH = sql<Scope & { folding: number }>(`INSERT INTO ${positions.from}
  (${positions.list('relyingPartyId', 'tenantId', 'folding', 'upto', 'done')})
  VALUES (:relyingPartyId, :tenantId, :folding, '', 0)`);

/** Changes nothing if another instance has advanced it. */
export const ADVANCE_SEARCH = sql<
  Scope & StoredPosition & { newFolding: number; newUpto: Buffer; done: boolean }
>(`UPDATE ${positions.from}
  SET ${positions.folding} = :newFolding, ${positions.upto} = :newUpto, ${positions.done} = :done
  WHERE ${positions.scope} AND ${positions.folding} = :folding AND ${positions.upto} = :upto`);

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
export const RELYING_PARTIES_WITH_NAME = select(relyingParty.pick('id')).from<{
  ids: readonly Buffer[];
  from: Buffer;
  to: Buffer;
  foldedFrom: Buffer;
  foldedTo: Buffer;
  earlier: Buffer;
}>(`
  ${relyingParty.from} WHERE ${relyingParty.id} IN (:...ids) AND COALESCE(
  (SELECT 1 FROM ${user.from} WHERE ${user.relyingPartyId} = ${relyingParty.id}
    AND ${user.username} >= :from AND ${user.username} < :to LIMIT 1),
  (SELECT 1 FROM ${user.from} WHERE ${user.relyingPartyId} = ${relyingParty.id}
    AND ${user.foldedName} >= :foldedFrom AND ${user.foldedName} < :foldedTo LIMIT 1),
  (SELECT 1 FROM ${earlierName.from} WHERE ${earlierName.relyingPartyId} = ${relyingParty.id}
    AND ${earlierName.username} = :earlier LIMIT 1),
  0) = 1`);
