import { EventEntity } from '../../events/event.entity.js';
import { forEachKind, tableOf } from '../../platform/database/entities/table.js';
import type { Scope } from '../../platform/database/scope.js';
import { sql } from '../../platform/database/statement.js';
import { Credential } from '../credentials/credential.entity.js';
import { EarlierName, User } from '../user.entity.js';
import { CollisionEntity, Move, type CollisionReason } from './move.entity.js';
import type { MoveScope } from './move-scope.js';

const users = tableOf(User);
const predecessorUser = tableOf(User, 'predecessorUser');
const successorUser = tableOf(User, 'successorUser');
const same = tableOf(User, 'same');
const namesake = tableOf(User, 'namesake');
const folded = tableOf(User, 'folded');
const credential = tableOf(Credential, 'credential');
const links = tableOf(Move);
const link = tableOf(Move, 'link');
const otherLink = tableOf(Move, 'otherLink');
const collisions = tableOf(CollisionEntity);
const collision = tableOf(CollisionEntity, 'collision');
const earlierName = tableOf(EarlierName, 'earlierName');
const event = tableOf(EventEntity, 'event');

/** The next users of the predecessor after a name or an ID. */
interface NextUsers extends MoveScope {
  readonly after: Buffer;
  readonly limit: number;
}

export interface MovedRow {
  readonly users: number;
  readonly moved: number;
  readonly collisions: number;
  /** `null` without users. */
  readonly last: Buffer | null;
}

/**
 * Counts the next users of the predecessor, those who have a key at the successor, and collisions; returns also the
 * last name.
 */
export const COUNT_MOVED = sql<NextUsers, MovedRow>(
  `SELECT COUNT(*) AS users, MAX(${predecessorUser.username}) AS last,
    COUNT(CASE WHEN EXISTS (SELECT 1 FROM ${link.from}
        WHERE ${link.relyingPartyId} = :relyingPartyId
          AND ${link.predecessorUserId} = ${predecessorUser.id}
          AND EXISTS (SELECT 1 FROM ${credential.from}
            WHERE ${credential.userId} = ${link.userId}))
      THEN 1 END) AS moved,
    COUNT(CASE WHEN EXISTS (SELECT 1 FROM ${collision.from}
        WHERE ${collision.relyingPartyId} = :relyingPartyId
          AND ${collision.predecessorUserId} = ${predecessorUser.id})
      THEN 1 END) AS collisions
  FROM (SELECT ${users.list('id', 'username')} FROM ${users.from}
    WHERE ${users.relyingPartyId} = :predecessorId AND ${users.tenantId} = :tenantId
      AND ${users.username} > :after
    ORDER BY ${users.username} LIMIT :limit) predecessorUser`,
);

/** Whether the successor ignores case. Then the predecessor does too, so that both store folded names. */
interface CaseRule {
  readonly ignoresCase: boolean;
}

/**
 * The next users of the predecessor, and whether a decision about them is missing. An expected user whose name another
 * user got is decided again: an instance of an older version may have added that user.
 */
export const USERS_TO_DECIDE = sql<
  NextUsers & CaseRule,
  { id: Buffer; username: Buffer; isOpen: number }
>(
  `SELECT ${predecessorUser.select('id', 'username')},
    CASE
      WHEN EXISTS (SELECT 1 FROM ${collision.from}
        WHERE ${collision.relyingPartyId} = :relyingPartyId
          AND ${collision.predecessorUserId} = ${predecessorUser.id})
      THEN 0
      WHEN ${link.userId} IS NULL THEN 1
      WHEN ${link.movedAt} = 0
        AND NOT EXISTS (SELECT 1 FROM ${successorUser.from}
          WHERE ${successorUser.id} = ${link.userId})
        AND (
          EXISTS (SELECT 1 FROM ${namesake.from}
            WHERE ${namesake.relyingPartyId} = :relyingPartyId
              AND ${namesake.username} = ${predecessorUser.username})
          OR (1 = :ignoresCase AND EXISTS (SELECT 1 FROM ${namesake.from}
            WHERE ${namesake.relyingPartyId} = :relyingPartyId
              AND ${namesake.foldedName} = ${predecessorUser.foldedName}))
        )
      THEN 1
      ELSE 0
    END AS isOpen
  FROM ${predecessorUser.from}
  LEFT JOIN ${link.from} ON ${link.relyingPartyId} = :relyingPartyId
    AND ${link.predecessorUserId} = ${predecessorUser.id}
  WHERE ${predecessorUser.relyingPartyId} = :predecessorId
    AND ${predecessorUser.tenantId} = :tenantId AND ${predecessorUser.username} > :after
  ORDER BY ${predecessorUser.username} LIMIT :limit`,
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
  /**
   * 1 if a user of the successor had the name until a change of names or a deletion; read only if nothing else decides.
   * Earlier names and events have no folded form: where case is ignored, the folded spelling counts too.
   */
  readonly isGivenUp: number | null;
}

/** Takes the IDs of users of the predecessor. */
export const PREDECESSOR_USERS = sql<
  Scope & CaseRule & { ids: readonly Buffer[] },
  PredecessorUserRow
>(
  `SELECT ${predecessorUser.select('id', 'username')}, ${link.userId} AS linkedId,
    ${same.id} AS sameId,
    (SELECT ${otherLink.predecessorUserId} FROM ${otherLink.from}
      WHERE ${otherLink.userId} = ${same.id}) AS samePredecessorUserId,
    ${namesake.id} AS namesakeId,
    (SELECT ${otherLink.predecessorUserId} FROM ${otherLink.from}
      WHERE ${otherLink.userId} = ${namesake.id}) AS namesakePredecessorUserId,
    ${collision.reason} AS reason,
    CASE
      WHEN ${link.userId} IS NULL AND ${same.id} IS NULL AND ${namesake.id} IS NULL
        AND ${collision.predecessorUserId} IS NULL
      THEN
        EXISTS (SELECT 1 FROM ${earlierName.from}
          WHERE ${earlierName.relyingPartyId} = :relyingPartyId
            AND ${earlierName.username} = ${predecessorUser.username})
        OR EXISTS (SELECT 1 FROM ${event.from}
          WHERE ${event.relyingPartyId} = :relyingPartyId
            AND ${event.username} = ${predecessorUser.username}
            AND ${event.kind} = 'user-deleted')
        OR (1 = :ignoresCase AND (
          EXISTS (SELECT 1 FROM ${earlierName.from}
            WHERE ${earlierName.relyingPartyId} = :relyingPartyId
              AND ${earlierName.username} = ${predecessorUser.foldedName})
          OR EXISTS (SELECT 1 FROM ${event.from}
            WHERE ${event.relyingPartyId} = :relyingPartyId
              AND ${event.username} = ${predecessorUser.foldedName}
              AND ${event.kind} = 'user-deleted')
        ))
    END AS isGivenUp
  FROM ${predecessorUser.from}
  LEFT JOIN ${collision.from} ON ${collision.relyingPartyId} = :relyingPartyId
    AND ${collision.predecessorUserId} = ${predecessorUser.id}
  LEFT JOIN ${link.from} ON ${link.scope} AND ${link.predecessorUserId} = ${predecessorUser.id}
  LEFT JOIN ${same.from} ON ${same.relyingPartyId} = :relyingPartyId
    AND ${same.subject} = ${predecessorUser.subject}
  LEFT JOIN ${folded.from} ON 1 = :ignoresCase AND ${folded.relyingPartyId} = :relyingPartyId
    AND ${folded.foldedName} = ${predecessorUser.foldedName}
  LEFT JOIN ${namesake.from} ON ${namesake.relyingPartyId} = :relyingPartyId
    AND ${namesake.username} = COALESCE(${folded.username}, ${predecessorUser.username})
  WHERE ${predecessorUser.id} IN (:...ids) AND ${predecessorUser.tenantId} = :tenantId`,
);

/**
 * Takes the IDs of users of the successor, and returns those of users of the predecessor who may be the same: linked,
 * or with the same user ID.
 */
export const POSSIBLE_PREDECESSOR_USERS = sql<
  MoveScope & { ids: readonly Buffer[] },
  { id: Buffer }
>(
  `SELECT ${links.predecessorUserId} AS id FROM ${links.from}
  WHERE ${links.scopeWithoutIndex} AND ${links.userId} IN (:...ids)
  UNION SELECT ${predecessorUser.id} AS id
  FROM ${successorUser.from} JOIN ${predecessorUser.from}
    ON ${predecessorUser.relyingPartyId} = :predecessorId
      AND ${predecessorUser.subject} = ${successorUser.subject}
  WHERE ${successorUser.id} IN (:...ids)`,
);

/** Stores collisions, except those that are stored. */
export const ADD_COLLISIONS = forEachKind((kind) =>
  sql<{ rows: readonly Omit<CollisionEntity, 'relyingParty'>[] }>(
    `INSERT ${kind === 'sqlite' ? 'OR IGNORE' : 'IGNORE'} INTO
      ${collisions.rows(...collisions.names)}`,
  ),
);

/** Removes collisions of users of the predecessor who were linked at the same time. */
export const DROP_LINKED_COLLISIONS = sql<Scope & { ids: readonly Buffer[] }>(
  `DELETE FROM ${collisions.from}
  WHERE ${collisions.scope} AND ${collisions.predecessorUserId} IN (:...ids)
    AND EXISTS (SELECT 1 FROM ${link.from}
      WHERE ${link.relyingPartyId} = :relyingPartyId
        AND ${link.predecessorUserId} = ${collisions.from}.${collisions.predecessorUserId})`,
);

/** An account links the user, whatever was decided. */
export const DROP_COLLISION = sql<Scope & { predecessorUserId: Buffer }>(
  `DELETE FROM ${collisions.from}
  WHERE ${collisions.scope} AND ${collisions.predecessorUserId} = :predecessorUserId`,
);

/** Of collisions after the one of a user of the predecessor: those of users who exist. */
export const COLLISIONS_AFTER = sql<
  NextUsers,
  { id: Buffer; username: Buffer; reason: CollisionReason }
>(
  `SELECT ${predecessorUser.select('id', 'username')}, ${collision.reason} AS reason
  FROM ${collision.from} JOIN ${predecessorUser.from}
    ON ${predecessorUser.id} = ${collision.predecessorUserId}
  WHERE ${collision.scope} AND ${collision.predecessorId} = :predecessorId
    AND ${collision.predecessorUserId} > :after
  ORDER BY ${collision.predecessorUserId} LIMIT :limit`,
);

/*
 * Decisions are read slice by slice, since nearly all of them are about users of the predecessor. `isOther` is 1 for
 * those about users of another relying party, which have no effect.
 */

export const OTHER_EXPECTED = sql<NextUsers, { id: Buffer; isOther: number }>(
  `SELECT ${links.predecessorUserId} AS id,
    CASE WHEN ${links.predecessorId} <> :predecessorId AND ${links.movedAt} = 0
        AND NOT EXISTS (SELECT 1 FROM ${successorUser.from}
          WHERE ${successorUser.id} = ${links.userId})
      THEN 1 ELSE 0 END AS isOther
  FROM ${links.from} WHERE ${links.scope} AND ${links.predecessorUserId} > :after
  ORDER BY ${links.predecessorUserId} LIMIT :limit`,
);

export const OTHER_COLLISIONS = sql<NextUsers, { id: Buffer; isOther: number }>(
  `SELECT ${collisions.predecessorUserId} AS id,
    CASE WHEN ${collisions.predecessorId} <> :predecessorId THEN 1 ELSE 0 END AS isOther
  FROM ${collisions.from} WHERE ${collisions.scope} AND ${collisions.predecessorUserId} > :after
  ORDER BY ${collisions.predecessorUserId} LIMIT :limit`,
);
