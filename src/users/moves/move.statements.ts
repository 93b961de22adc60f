import { scope, type Scope } from '../../platform/database/scope.js';
import { sql } from '../../platform/database/statement.js';
import { forEachKind, tableOf } from '../../platform/database/entities/table.js';
import { EventEntity } from '../../events/event.entity.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { Credential } from '../credentials/credential.entity.js';
import { RegroupedUser } from '../groups/regrouped-user.entity.js';
import { EarlierName, User } from '../user.entity.js';
import { CollisionEntity, Move, SeparateName, type CollisionReason } from './move.entity.js';

const credential = tableOf(Credential, 'c');
const users = tableOf(User);
const successorUser = tableOf(User, 'u');
const predecessorUser = tableOf(User, 'p');
const same = tableOf(User, 's');
const namesake = tableOf(User, 'w');
const folded = tableOf(User, 'f');
const moves = tableOf(Move);
const move = tableOf(Move, 'm');
const link = tableOf(Move, 'l');
const separateNames = tableOf(SeparateName);
const collisions = tableOf(CollisionEntity);
const collision = tableOf(CollisionEntity, 'x');
const earlierName = tableOf(EarlierName, 'e');
const event = tableOf(EventEntity, 'v');
const regrouped = tableOf(RegroupedUser);

export interface MovedRow {
  readonly users: number;
  readonly moved: number;
  readonly collisions: number;
  /** `null` without users. */
  readonly last: Buffer | null;
}

const HAS_KEY = (userId: string) =>
  `EXISTS (SELECT 1 FROM ${credential.from} WHERE ${credential.userId} = ${userId})`;

const IS_COLLISION = `EXISTS (SELECT 1 FROM ${collision.from}
      WHERE ${collision.relyingPartyId} = :relyingPartyId AND ${collision.predecessorUserId} = ${predecessorUser.id})`;

/** The scope is the successor. */
type MoveScope = Scope & { readonly predecessorId: Buffer };

/** The parameters of statements about the move between two relying parties. */
export const moveScope = (successor: RelyingParty, predecessor: RelyingParty): MoveScope => ({
  ...scope(successor),
  predecessorId: predecessor.id,
});

const ofPredecessor = (user: typeof predecessorUser): string =>
  `${user.relyingPartyId} = :predecessorId AND ${user.tenantId} = :tenantId`;

/** The next users of the predecessor after a name or an ID. */
type NextUsers = MoveScope & { readonly after: Buffer; readonly limit: number };

/** Whether the successor ignores case. Then the predecessor does too, so that both store folded names. */
interface CaseRule {
  readonly ignoresCase: boolean;
}

/** A condition by the name of a user of the predecessor, or by the folded name if case is ignored. */
const byName = (condition: (column: 'username' | 'foldedName') => string): string =>
  `(${condition('username')} OR (1 = :ignoresCase AND (${condition('foldedName')})))`;

/**
 * Counts the next users of the predecessor, those who have a key at the successor, and collisions; returns also the last
 * name.
 */
export const COUNT_MOVED = sql<
  NextUsers,
  MovedRow
>(`SELECT COUNT(*) AS users, MAX(${predecessorUser.username}) AS last,
    COUNT(CASE WHEN EXISTS (SELECT 1 FROM ${link.from}
        WHERE ${link.relyingPartyId} = :relyingPartyId AND ${link.predecessorUserId} = ${predecessorUser.id}
          AND ${HAS_KEY(link.userId)})
      THEN 1 END) AS moved,
    COUNT(CASE WHEN ${IS_COLLISION} THEN 1 END) AS collisions
  FROM (SELECT ${users.list('id', 'username')} FROM ${users.from}
    WHERE ${ofPredecessor(users)} AND ${users.username} > :after
    ORDER BY ${users.username} LIMIT :limit) p`);

/**
 * The next users of the predecessor, and whether a decision about them is missing. An expected user whose name another
 * user got is decided again: an instance of an older version may have added that user.
 */
export const USERS_TO_DECIDE = sql<
  NextUsers & CaseRule,
  { id: Buffer; username: Buffer; isOpen: number }
>(
  `SELECT ${predecessorUser.id} AS id, ${predecessorUser.username} AS username,
    CASE WHEN ${IS_COLLISION} THEN 0
      WHEN ${link.userId} IS NULL THEN 1
      WHEN ${link.movedAt} = 0
        AND NOT EXISTS (SELECT 1 FROM ${successorUser.from} WHERE ${successorUser.id} = ${link.userId})
        AND ${byName(
          (name) => `EXISTS (SELECT 1 FROM ${namesake.from}
          WHERE ${namesake.relyingPartyId} = :relyingPartyId AND ${namesake[name]} = ${predecessorUser[name]})`,
        )}
      THEN 1 ELSE 0 END AS isOpen
  FROM ${predecessorUser.from} LEFT JOIN ${link.from}
    ON ${link.relyingPartyId} = :relyingPartyId AND ${link.predecessorUserId} = ${predecessorUser.id}
  WHERE ${ofPredecessor(predecessorUser)} AND ${predecessorUser.username} > :after ORDER BY ${predecessorUser.username} LIMIT :limit`,
);

/** A link between users of the two relying parties, by IDs. */
export type Link = Pick<Move, 'userId' | 'predecessorUserId'>;
type UserIds = Scope & { readonly ids: readonly Buffer[] };

/** Takes the IDs of users of the successor. */
export const LINKS_OF = sql<UserIds, Link>(
  `SELECT ${moves.select('userId', 'predecessorUserId')} FROM ${moves.from}
  WHERE ${moves.scopeWithoutIndex} AND ${moves.userId} IN (:...ids)`,
);

/** A user of the predecessor, with the users of the successor who may be the same user. */
export interface PredecessorUserRow {
  readonly id: Buffer;
  readonly username: Buffer;
  /** The stored link. */
  readonly linkedId: Buffer | null;
  /** The user with the same user ID (`subject`), and that user's stored link. */
  readonly sameId: Buffer | null;
  readonly samePredecessorUserId: Buffer | null;
  /** The user of the same name, as the successor compares names, and that user's stored link. */
  readonly namesakeId: Buffer | null;
  readonly namesakePredecessorUserId: Buffer | null;
  /** The stored collision. */
  readonly reason: CollisionReason | null;
  /** 1 if a user of the successor had the name, and gave it up; read only if nothing else decides. */
  readonly isGivenUp: number | null;
}

const linkOf = (user: typeof same) =>
  `(SELECT ${link.predecessorUserId} FROM ${link.from} WHERE ${link.userId} = ${user.id})`;

/**
 * A user had the name before a change of names, or until a deletion. Earlier names and events have no folded form: where
 * case is ignored, the folded spelling counts too.
 */
const IS_GIVEN_UP = byName(
  (name) => `EXISTS (SELECT 1 FROM ${earlierName.from}
      WHERE ${earlierName.relyingPartyId} = :relyingPartyId
        AND ${earlierName.username} = ${predecessorUser[name]})
    OR EXISTS (SELECT 1 FROM ${event.from} WHERE ${event.relyingPartyId} = :relyingPartyId
      AND ${event.username} = ${predecessorUser[name]} AND ${event.kind} = 'user-deleted')`,
);

/** Takes the IDs of users of the predecessor. */
export const PREDECESSOR_USERS = sql<UserIds & CaseRule, PredecessorUserRow>(
  `SELECT ${predecessorUser.id} AS id, ${predecessorUser.username} AS username, ${move.userId} AS linkedId,
    ${same.id} AS sameId, ${linkOf(same)} AS samePredecessorUserId,
    ${namesake.id} AS namesakeId, ${linkOf(namesake)} AS namesakePredecessorUserId,
    ${collision.reason} AS reason,
    CASE WHEN COALESCE(${move.userId}, ${same.id}, ${namesake.id}, ${collision.predecessorUserId}) IS NULL
      THEN ${IS_GIVEN_UP} END AS isGivenUp
  FROM ${predecessorUser.from}
  LEFT JOIN ${collision.from} ON ${collision.relyingPartyId} = :relyingPartyId
    AND ${collision.predecessorUserId} = ${predecessorUser.id}
  LEFT JOIN ${move.from} ON ${move.scope} AND ${move.predecessorUserId} = ${predecessorUser.id}
  LEFT JOIN ${same.from} ON ${same.relyingPartyId} = :relyingPartyId
    AND ${same.subject} = ${predecessorUser.subject}
  LEFT JOIN ${folded.from} ON 1 = :ignoresCase AND ${folded.relyingPartyId} = :relyingPartyId
    AND ${folded.foldedName} = ${predecessorUser.foldedName}
  LEFT JOIN ${namesake.from} ON ${namesake.relyingPartyId} = :relyingPartyId
    AND ${namesake.username} = COALESCE(${folded.username}, ${predecessorUser.username})
  WHERE ${predecessorUser.id} IN (:...ids) AND ${predecessorUser.tenantId} = :tenantId`,
);

/**
 * Takes the IDs of users of the successor, and returns those of users of the predecessor who may be the same: linked, or
 * with the same user ID.
 */
export const POSSIBLE_PREDECESSOR_USERS = sql<
  UserIds & MoveScope,
  { id: Buffer }
>(`SELECT ${moves.predecessorUserId} AS id FROM ${moves.from}
  WHERE ${moves.scopeWithoutIndex} AND ${moves.userId} IN (:...ids)
  UNION SELECT ${predecessorUser.id} AS id FROM ${successorUser.from} JOIN ${predecessorUser.from}
    ON ${predecessorUser.relyingPartyId} = :predecessorId
      AND ${predecessorUser.subject} = ${successorUser.subject}
  WHERE ${successorUser.id} IN (:...ids)`);

/** Start of an INSERT that stores nothing if a row with one of its unique keys exists. */
const INSERT_ONCE = { sqlite: 'INSERT OR IGNORE', mysql: 'INSERT IGNORE' };

/** Stores a link unless either user has one. */
export const ADD_LINK = forEachKind((kind) =>
  sql<Move>(`${INSERT_ONCE[kind]} INTO ${moves.row(...moves.names)}`),
);

/** Stores links, except those of users who have one. */
export const ADD_LINKS = forEachKind((kind) =>
  sql<{ rows: readonly Move[] }>(`${INSERT_ONCE[kind]} INTO ${moves.rows(...moves.names)}`),
);

/** Stores collisions, except those that are stored. */
export const ADD_COLLISIONS = forEachKind((kind) =>
  sql<{ rows: readonly Omit<CollisionEntity, 'relyingParty'>[] }>(
    `${INSERT_ONCE[kind]} INTO ${collisions.rows(...collisions.names)}`,
  ),
);

/** Removes collisions of users who were linked at the same time. */
export const DROP_LINKED_COLLISIONS = sql<UserIds>(`DELETE FROM ${collisions.from}
  WHERE ${collisions.scope} AND ${collisions.predecessorUserId} IN (:...ids)
    AND EXISTS (SELECT 1 FROM ${link.from} WHERE ${link.relyingPartyId} = :relyingPartyId
      AND ${link.predecessorUserId} = ${collisions.from}.${collisions.predecessorUserId})`);

type OnePredecessorUser = Scope & Pick<Move, 'predecessorUserId'>;

/** An account links the user, whatever was decided. */
export const DROP_COLLISION = sql<OnePredecessorUser>(`DELETE FROM ${collisions.from}
  WHERE ${collisions.scope} AND ${collisions.predecessorUserId} = :predecessorUserId`);

const IS_EXPECTED = `${moves.movedAt} = 0
    AND NOT EXISTS (SELECT 1 FROM ${successorUser.from} WHERE ${successorUser.id} = ${moves.userId})`;

const REMOVE_EXPECTED = `DELETE FROM ${moves.from}
  WHERE ${moves.scope} AND ${moves.predecessorUserId} = :predecessorUserId AND ${IS_EXPECTED}`;

/** Removes the link of a user who has not arrived. */
export const DROP_EXPECTED = sql<OnePredecessorUser>(REMOVE_EXPECTED);

/** The same, unless the user of the predecessor got another name since the decision was read. */
export const DROP_EXPECTED_OF_NAME = sql<OnePredecessorUser & { predecessorUsername: Buffer }>(
  `${REMOVE_EXPECTED} AND EXISTS (SELECT 1 FROM ${predecessorUser.from}
    WHERE ${predecessorUser.id} = :predecessorUserId AND ${predecessorUser.username} = :predecessorUsername)`,
);

/** Of collisions after the one of a user of the predecessor: those of users who exist. */
export const COLLISIONS_AFTER = sql<
  NextUsers,
  { id: Buffer; username: Buffer; reason: CollisionReason }
>(`SELECT ${collision.predecessorUserId} AS id, ${predecessorUser.username} AS username,
    ${collision.reason} AS reason
  FROM ${collision.from} JOIN ${predecessorUser.from} ON ${predecessorUser.id} = ${collision.predecessorUserId}
  WHERE ${collision.scope} AND ${collision.predecessorUserId} > :after
    AND ${collision.predecessorId} = :predecessorId
  ORDER BY ${collision.predecessorUserId} LIMIT :limit`);

/*
 * Decisions are read slice by slice, since nearly all of them are about users of the predecessor. `isOther` is 1 for
 * those about users of another relying party, which have no effect.
 */

export const OTHER_EXPECTED = sql<NextUsers, { id: Buffer; isOther: number }>(
  `SELECT ${moves.predecessorUserId} AS id,
    CASE WHEN ${moves.predecessorId} <> :predecessorId AND ${IS_EXPECTED}
      THEN 1 ELSE 0 END AS isOther
  FROM ${moves.from} WHERE ${moves.scope} AND ${moves.predecessorUserId} > :after
  ORDER BY ${moves.predecessorUserId} LIMIT :limit`,
);

export const OTHER_COLLISIONS = sql<NextUsers, { id: Buffer; isOther: number }>(
  `SELECT ${collisions.predecessorUserId} AS id,
    CASE WHEN ${collisions.predecessorId} <> :predecessorId
      THEN 1 ELSE 0 END AS isOther
  FROM ${collisions.from} WHERE ${collisions.scope} AND ${collisions.predecessorUserId} > :after
  ORDER BY ${collisions.predecessorUserId} LIMIT :limit`,
);

/**
 * Notes a user of the predecessor whom the unit links to a user of the successor, so that the keys at the predecessor are
 * judged again: from now on the groups at the successor count. Notes nobody who is linked already.
 */
export const NOTE_LINKED_USER = sql<
  Scope & Link & Pick<RegroupedUser, 'id'> & { isCreated: boolean }
>(
  `INSERT INTO ${regrouped.from} (${regrouped.list('id', 'tenantId', 'relyingPartyId', 'userId')})
  SELECT :id, ${predecessorUser.tenantId}, ${predecessorUser.relyingPartyId}, ${predecessorUser.id}
  FROM ${predecessorUser.from}
  WHERE ${predecessorUser.id} = :predecessorUserId AND ${predecessorUser.tenantId} = :tenantId
    AND (1 = :isCreated
      OR EXISTS (SELECT 1 FROM ${successorUser.from} WHERE ${successorUser.id} = :userId))
    AND NOT EXISTS (SELECT 1 FROM ${link.from} JOIN ${same.from} ON ${same.id} = ${link.userId}
      WHERE ${link.relyingPartyId} = :relyingPartyId AND ${link.predecessorUserId} = ${predecessorUser.id})`,
);

/** Changes a link of a user who has not arrived (`first`) to one that leads to an existing user. */
export const RELINK = sql<Scope & Link & { first: Buffer }>(`UPDATE ${moves.from}
  SET ${moves.userId} = :userId
  WHERE ${moves.scope} AND ${moves.predecessorUserId} = :predecessorUserId AND ${moves.userId} = :first
    AND NOT EXISTS (SELECT 1 FROM ${successorUser.from} WHERE ${successorUser.id} = :first)`);

/** Not if the two are a collision, whatever an instance of an older version has linked. */
const LINKED = `${moves.scope} AND ${moves.userId} = :userId
    AND ${moves.predecessorUserId} = :predecessorUserId
    AND NOT EXISTS (SELECT 1 FROM ${collision.from} WHERE ${collision.relyingPartyId} = :relyingPartyId
      AND ${collision.predecessorUserId} = :predecessorUserId)`;
const IS_AT_SUCCESSOR = `EXISTS (SELECT 1 FROM ${successorUser.from} WHERE ${successorUser.id} = :userId)`;
const LOCKED = `UPDATE ${moves.from} SET ${moves.movedAt} = ${moves.movedAt} WHERE ${LINKED}`;

/** Locks the link, without changing it; finds no row if the two are not linked. */
export const LOCK_LINK = sql<Scope & Link>(LOCKED);

/** The same for a user who does not exist at the successor. */
export const LOCK_LINK_OF_ABSENT_USER = sql<Scope & Link>(`${LOCKED} AND NOT ${IS_AT_SUCCESSOR}`);

/** The same for a user without a key at the successor. */
export const LOCK_LINK_OF_KEYLESS_USER = sql<Scope & Link>(
  `${LOCKED} AND NOT ${HAS_KEY(':userId')}`,
);

/** A separate name, and whether case is ignored. */
type SeparateNameParams = SeparateNameRow & { readonly ignoresCase: boolean };
const IS_SEPARATE = `${separateNames.foldedHash} = :foldedHash
    AND (${separateNames.nameHash} = :nameHash OR 1 = :ignoresCase)`;

interface Arrival extends Link, SeparateNameParams {
  readonly now: number;
  readonly predecessorUsername: Buffer;
  /** Empty if the successor compares case. */
  readonly predecessorFoldedName: Buffer;
}

const hasNamesake = (column: string, name: string) => `EXISTS (SELECT 1 FROM ${namesake.from}
        WHERE ${namesake.relyingPartyId} = :relyingPartyId AND ${column} = ${name})`;

/**
 * Notes that the user has arrived at the successor. For a user who does not exist there, it finds no row if the user has
 * another name at the predecessor, or another user of the successor has this name, or gave it up.
 */
export const MARK_ARRIVED = sql<Scope & Arrival>(`UPDATE ${moves.from}
  SET ${moves.movedAt} = CASE WHEN ${moves.movedAt} = 0 THEN :now ELSE ${moves.movedAt} END
  WHERE ${LINKED} AND (
    ${IS_AT_SUCCESSOR}
    OR (EXISTS (SELECT 1 FROM ${predecessorUser.from}
        WHERE ${predecessorUser.id} = :predecessorUserId AND ${predecessorUser.username} = :predecessorUsername)
      AND NOT ${hasNamesake(namesake.username, ':predecessorUsername')}
      AND NOT ${hasNamesake(namesake.foldedName, ':predecessorFoldedName')}
      AND NOT EXISTS (SELECT 1 FROM ${separateNames.from}
        WHERE ${separateNames.relyingPartyId} = :relyingPartyId AND ${IS_SEPARATE})))`);

export type SeparateNameRow = Pick<SeparateName, 'foldedHash' | 'nameHash'>;

export const SEPARATE_NAMES = sql<Scope & { foldedHashes: readonly Buffer[] }, SeparateNameRow>(
  `SELECT ${separateNames.select('foldedHash', 'nameHash')} FROM ${separateNames.from}
  WHERE ${separateNames.scope} AND ${separateNames.foldedHash} IN (:...foldedHashes)`,
);

export const ADD_SEPARATE_NAME = forEachKind((kind) =>
  sql<Scope & SeparateNameRow>(
    `${INSERT_ONCE[kind]} INTO ${separateNames.row('relyingPartyId', 'tenantId', 'foldedHash', 'nameHash')}`,
  ),
);

export const DROP_SEPARATE_NAME = sql<Scope & SeparateNameParams>(
  `DELETE FROM ${separateNames.from} WHERE ${separateNames.scope} AND ${IS_SEPARATE}`,
);
