import type { Scope } from '../../platform/database/scope.js';
import { sql } from '../../platform/database/statement.js';
import { forEachKind, tableOf } from '../../platform/database/entities/table.js';
import { EventEntity } from '../../events/event.entity.js';
import { Credential } from '../credentials/credential.entity.js';
import { RegroupedUser } from '../groups/regrouped-user.entity.js';
import { EarlierName, User } from '../user.entity.js';
import { CollisionEntity, Move, SeparateName, type CollisionReason } from './move.entity.js';

const credential = tableOf(Credential, 'c');
const users = tableOf(User);
const newUser = tableOf(User, 'n');
const formerUser = tableOf(User, 'o');
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

const isCollision = (formerUserId: string) => `EXISTS (SELECT 1 FROM ${collision.from}
      WHERE ${collision.relyingPartyId} = :newRelyingPartyId AND ${collision.formerUserId} = ${formerUserId})`;

/** The next users of the old domain after a name. */
type NextUsers = Scope & { newRelyingPartyId: Buffer; after: Buffer; limit: number };

/** Whether the new domain ignores case. Then the old one does too, so that both store folded names. */
interface CaseRule {
  readonly ignoresCase: boolean;
}

/** A condition by the name of a user of the old domain, or by the folded name if case is ignored. */
const byName = (condition: (column: 'username' | 'foldedName') => string): string =>
  `(${condition('username')} OR (1 = :ignoresCase AND (${condition('foldedName')})))`;

/**
 * Counts the next users of the old domain, those who have a key at the new domain, and collisions; returns also the
 * last name. The scope is the old domain.
 */
export const COUNT_MOVED = sql<
  NextUsers,
  MovedRow
>(`SELECT COUNT(*) AS users, MAX(o.username) AS last,
    COUNT(CASE WHEN EXISTS (SELECT 1 FROM ${link.from}
        WHERE ${link.relyingPartyId} = :newRelyingPartyId AND ${link.formerUserId} = o.id
          AND ${HAS_KEY(link.userId)})
      THEN 1 END) AS moved,
    COUNT(CASE WHEN ${isCollision('o.id')} THEN 1 END) AS collisions
  FROM (SELECT ${users.id} AS id, ${users.username} AS username
    FROM ${users.from} WHERE ${users.scope} AND ${users.username} > :after
    ORDER BY ${users.username} LIMIT :limit) o`);

/**
 * The next users of the old domain, and whether a decision about them is missing. An expected user whose name another
 * user got is decided again: an instance of an older version may have added that user. The scope is the old domain.
 */
export const USERS_TO_DECIDE = sql<
  NextUsers & CaseRule,
  { id: Buffer; username: Buffer; isOpen: number }
>(
  `SELECT ${formerUser.id} AS id, ${formerUser.username} AS username,
    CASE WHEN ${isCollision(users.id)} THEN 0
      WHEN ${link.userId} IS NULL THEN 1
      WHEN ${link.movedAt} = 0
        AND NOT EXISTS (SELECT 1 FROM ${newUser.from} WHERE ${newUser.id} = ${link.userId})
        AND ${byName(
          (name) => `EXISTS (SELECT 1 FROM ${namesake.from}
          WHERE ${namesake.relyingPartyId} = :newRelyingPartyId AND ${namesake[name]} = ${formerUser[name]})`,
        )}
      THEN 1 ELSE 0 END AS isOpen
  FROM ${formerUser.from} LEFT JOIN ${link.from}
    ON ${link.relyingPartyId} = :newRelyingPartyId AND ${link.formerUserId} = ${formerUser.id}
  WHERE ${formerUser.scope} AND ${formerUser.username} > :after ORDER BY ${formerUser.username} LIMIT :limit`,
);

/* In the statements below, the scope is the new domain. */

/** A link between the two domains, by IDs. */
export type Link = Pick<Move, 'userId' | 'formerUserId'>;
type UserIds = Scope & { readonly ids: readonly Buffer[] };

/** Takes the IDs of users of the new domain. */
export const LINKS_OF = sql<UserIds, Link>(
  `SELECT ${moves.select('userId', 'formerUserId')} FROM ${moves.from}
  WHERE ${moves.scopeWithoutIndex} AND ${moves.userId} IN (:...ids)`,
);

/** A user of the old domain, with the users of the new one who may be the same user. */
export interface FormerUserRow {
  readonly id: Buffer;
  readonly username: Buffer;
  /** The stored link. */
  readonly linkedId: Buffer | null;
  /** The user with the same user ID (`subject`), and that user's stored link. */
  readonly sameId: Buffer | null;
  readonly sameFormerId: Buffer | null;
  /** The user of the same name, as the new domain compares names, and that user's stored link. */
  readonly namesakeId: Buffer | null;
  readonly namesakeFormerId: Buffer | null;
  /** The stored collision. */
  readonly reason: CollisionReason | null;
  /** 1 if a user of the new domain had the name, and gave it up; read only if nothing else decides. */
  readonly isGivenUp: number | null;
}

const linkOf = (user: typeof same) =>
  `(SELECT ${link.formerUserId} FROM ${link.from} WHERE ${link.userId} = ${user.id})`;

/**
 * A user had the name before a change of names, or until a deletion. Earlier names and events have no folded form: where
 * case is ignored, the folded spelling counts too.
 */
const IS_GIVEN_UP = byName(
  (name) => `EXISTS (SELECT 1 FROM ${earlierName.from}
      WHERE ${earlierName.relyingPartyId} = :relyingPartyId
        AND ${earlierName.username} = ${formerUser[name]})
    OR EXISTS (SELECT 1 FROM ${event.from} WHERE ${event.relyingPartyId} = :relyingPartyId
      AND ${event.username} = ${formerUser[name]} AND ${event.kind} = 'user-deleted')`,
);

/** Takes the IDs of users of the old domain. */
export const FORMER_USERS = sql<UserIds & CaseRule, FormerUserRow>(
  `SELECT ${formerUser.id} AS id, ${formerUser.username} AS username, ${move.userId} AS linkedId,
    ${same.id} AS sameId, ${linkOf(same)} AS sameFormerId,
    ${namesake.id} AS namesakeId, ${linkOf(namesake)} AS namesakeFormerId,
    ${collision.reason} AS reason,
    CASE WHEN COALESCE(${move.userId}, ${same.id}, ${namesake.id}, ${collision.formerUserId}) IS NULL
      THEN ${IS_GIVEN_UP} END AS isGivenUp
  FROM ${formerUser.from}
  LEFT JOIN ${collision.from} ON ${collision.relyingPartyId} = :relyingPartyId
    AND ${collision.formerUserId} = ${formerUser.id}
  LEFT JOIN ${move.from} ON ${move.scope} AND ${move.formerUserId} = ${formerUser.id}
  LEFT JOIN ${same.from} ON ${same.relyingPartyId} = :relyingPartyId
    AND ${same.subject} = ${formerUser.subject}
  LEFT JOIN ${folded.from} ON 1 = :ignoresCase AND ${folded.relyingPartyId} = :relyingPartyId
    AND ${folded.foldedName} = ${formerUser.foldedName}
  LEFT JOIN ${namesake.from} ON ${namesake.relyingPartyId} = :relyingPartyId
    AND ${namesake.username} = COALESCE(${folded.username}, ${formerUser.username})
  WHERE ${formerUser.id} IN (:...ids) AND ${formerUser.tenantId} = :tenantId`,
);

/**
 * Takes the IDs of users of the new domain, and returns those of users of the old one who may be the same: linked, or
 * with the same user ID.
 */
export const POSSIBLE_FORMER_IDS = sql<
  UserIds & { formerRelyingPartyId: Buffer },
  { id: Buffer }
>(`SELECT ${moves.formerUserId} AS id FROM ${moves.from}
  WHERE ${moves.scopeWithoutIndex} AND ${moves.userId} IN (:...ids)
  UNION SELECT ${formerUser.id} AS id FROM ${newUser.from} JOIN ${formerUser.from}
    ON ${formerUser.relyingPartyId} = :formerRelyingPartyId
      AND ${formerUser.subject} = ${newUser.subject}
  WHERE ${newUser.id} IN (:...ids)`);

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
  WHERE ${collisions.scope} AND ${collisions.formerUserId} IN (:...ids)
    AND EXISTS (SELECT 1 FROM ${link.from} WHERE ${link.relyingPartyId} = :relyingPartyId
      AND ${link.formerUserId} = ${collisions.from}.${collisions.formerUserId})`);

type OneFormerUser = Scope & Pick<Move, 'formerUserId'>;

/** An account links the user, whatever was decided. */
export const DROP_COLLISION = sql<OneFormerUser>(`DELETE FROM ${collisions.from}
  WHERE ${collisions.scope} AND ${collisions.formerUserId} = :formerUserId`);

const IS_EXPECTED = `${moves.movedAt} = 0
    AND NOT EXISTS (SELECT 1 FROM ${newUser.from} WHERE ${newUser.id} = ${moves.userId})`;

const REMOVE_EXPECTED = `DELETE FROM ${moves.from}
  WHERE ${moves.scope} AND ${moves.formerUserId} = :formerUserId AND ${IS_EXPECTED}`;

/** Removes the link of a user who has not arrived. */
export const DROP_EXPECTED = sql<OneFormerUser>(REMOVE_EXPECTED);

/** The same, unless the user of the old domain got another name since the decision was read. */
export const DROP_EXPECTED_OF_NAME = sql<OneFormerUser & { nameThere: Buffer }>(
  `${REMOVE_EXPECTED} AND EXISTS (SELECT 1 FROM ${formerUser.from}
    WHERE ${formerUser.id} = :formerUserId AND ${formerUser.username} = :nameThere)`,
);

/** Of collisions after the one of a user of the old domain: those of users who exist. */
export const COLLISIONS_AFTER = sql<
  Scope & { formerRelyingPartyId: Buffer; after: Buffer; limit: number },
  { id: Buffer; username: Buffer; reason: CollisionReason }
>(`SELECT ${collision.formerUserId} AS id, ${formerUser.username} AS username,
    ${collision.reason} AS reason
  FROM ${collision.from} JOIN ${formerUser.from} ON ${formerUser.id} = ${collision.formerUserId}
  WHERE ${collision.scope} AND ${collision.formerUserId} > :after
    AND ${collision.formerRelyingPartyId} = :formerRelyingPartyId
  ORDER BY ${collision.formerUserId} LIMIT :limit`);

/**
 * Reads decisions slice by slice, since nearly all of them are about users of the predecessor. `isOther` is 1 for those
 * about users of another domain, which have no effect.
 */
type DecisionSlice = Scope & { formerRelyingPartyId: Buffer; after: Buffer; limit: number };

export const OTHER_EXPECTED = sql<DecisionSlice, { id: Buffer; isOther: number }>(
  `SELECT ${moves.formerUserId} AS id,
    CASE WHEN ${moves.formerRelyingPartyId} <> :formerRelyingPartyId AND ${IS_EXPECTED}
      THEN 1 ELSE 0 END AS isOther
  FROM ${moves.from} WHERE ${moves.scope} AND ${moves.formerUserId} > :after
  ORDER BY ${moves.formerUserId} LIMIT :limit`,
);

export const OTHER_COLLISIONS = sql<DecisionSlice, { id: Buffer; isOther: number }>(
  `SELECT ${collisions.formerUserId} AS id,
    CASE WHEN ${collisions.formerRelyingPartyId} <> :formerRelyingPartyId
      THEN 1 ELSE 0 END AS isOther
  FROM ${collisions.from} WHERE ${collisions.scope} AND ${collisions.formerUserId} > :after
  ORDER BY ${collisions.formerUserId} LIMIT :limit`,
);

/**
 * Notes a user of the old domain whom the unit links to a user of the new one, so that the keys at the old one are judged
 * again: from now on the groups at the new one count. Notes nobody who is linked already.
 */
export const NOTE_LINKED_USER = sql<
  Scope & Link & Pick<RegroupedUser, 'id'> & { isCreated: boolean }
>(
  `INSERT INTO ${regrouped.from} (${regrouped.list('id', 'tenantId', 'relyingPartyId', 'userId')})
  SELECT :id, ${formerUser.tenantId}, ${formerUser.relyingPartyId}, ${formerUser.id}
  FROM ${formerUser.from}
  WHERE ${formerUser.id} = :formerUserId AND ${formerUser.tenantId} = :tenantId
    AND (1 = :isCreated
      OR EXISTS (SELECT 1 FROM ${newUser.from} WHERE ${newUser.id} = :userId))
    AND NOT EXISTS (SELECT 1 FROM ${link.from} JOIN ${same.from} ON ${same.id} = ${link.userId}
      WHERE ${link.relyingPartyId} = :relyingPartyId AND ${link.formerUserId} = ${formerUser.id})`,
);

/** Changes a link of a user who has not arrived (`first`) to one that leads to an existing user. */
export const RELINK = sql<Scope & Link & { first: Buffer }>(`UPDATE ${moves.from}
  SET ${moves.userId} = :userId
  WHERE ${moves.scope} AND ${moves.formerUserId} = :formerUserId AND ${moves.userId} = :first
    AND NOT EXISTS (SELECT 1 FROM ${newUser.from} WHERE ${newUser.id} = :first)`);

/** Not if the two are a collision, whatever an instance of an older version has linked. */
const LINKED = `${moves.scope} AND ${moves.userId} = :userId
    AND ${moves.formerUserId} = :formerUserId
    AND NOT EXISTS (SELECT 1 FROM ${collision.from} WHERE ${collision.relyingPartyId} = :relyingPartyId
      AND ${collision.formerUserId} = :formerUserId)`;
const IS_HERE = `EXISTS (SELECT 1 FROM ${newUser.from} WHERE ${newUser.id} = :userId)`;
const LOCKED = `UPDATE ${moves.from} SET ${moves.movedAt} = ${moves.movedAt} WHERE ${LINKED}`;

/** Locks the link, without changing it; finds no row if the two are not linked. */
export const LOCK_LINK = sql<Scope & Link>(LOCKED);

/** The same for a user who does not exist at the new domain. */
export const LOCK_LINK_OF_ABSENT_USER = sql<Scope & Link>(`${LOCKED} AND NOT ${IS_HERE}`);

/** The same for a user without a key at the new domain. */
export const LOCK_LINK_OF_KEYLESS_USER = sql<Scope & Link>(
  `${LOCKED} AND NOT ${HAS_KEY(':userId')}`,
);

/** A separate name, and whether case is ignored. */
type SeparateNameParams = SeparateNameRow & { readonly ignoresCase: boolean };
const IS_SEPARATE = `${separateNames.foldedHash} = :foldedHash
    AND (${separateNames.nameHash} = :nameHash OR 1 = :ignoresCase)`;

interface Arrival extends Link, SeparateNameParams {
  readonly now: number;
  readonly nameThere: Buffer;
  /** Empty if the new domain compares case. */
  readonly foldedNameThere: Buffer;
}

const hasNamesake = (column: string, name: string) => `EXISTS (SELECT 1 FROM ${namesake.from}
        WHERE ${namesake.relyingPartyId} = :relyingPartyId AND ${column} = ${name})`;

/**
 * Notes that the user has arrived at the new domain. For a user who does not exist there, it finds no row if the user has
 * another name at the old domain, or another user of the new one has this name, or gave it up.
 */
export const MARK_ARRIVED = sql<Scope & Arrival>(`UPDATE ${moves.from}
  SET ${moves.movedAt} = CASE WHEN ${moves.movedAt} = 0 THEN :now ELSE ${moves.movedAt} END
  WHERE ${LINKED} AND (
    ${IS_HERE}
    OR (EXISTS (SELECT 1 FROM ${formerUser.from}
        WHERE ${formerUser.id} = :formerUserId AND ${formerUser.username} = :nameThere)
      AND NOT ${hasNamesake(namesake.username, ':nameThere')}
      AND NOT ${hasNamesake(namesake.foldedName, ':foldedNameThere')}
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
