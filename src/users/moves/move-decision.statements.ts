import { EventEntity } from '../../events/event.entity.js';
import { computed, forEachKind, orNull, tableOf } from '../../platform/database/entities/table.js';
import type { Scope } from '../../platform/database/scope.js';
import { select, sql, type RowOf } from '../../platform/database/statement.js';
import { Credential } from '../credentials/credential.entity.js';
import { EarlierName, User } from '../user.entity.js';
import { CollisionEntity, Move } from './move.entity.js';
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

/**
 * Counts the next users of the predecessor, those who have a key at the successor, and collisions; returns also the
 * last name.
 */
export const COUNT_MOVED = select({
  users: computed<number>('COUNT(*)'),
  last: computed<Buffer | null>(`MAX(${predecessorUser.username})`),
  moved: computed<number>(`COUNT(CASE WHEN EXISTS (SELECT 1 FROM ${link.from}
        WHERE ${link.relyingPartyId} = :relyingPartyId
          AND ${link.predecessorUserId} = ${predecessorUser.id}
          AND EXISTS (SELECT 1 FROM ${credential.from}
            WHERE ${credential.userId} = ${link.userId}))
      THEN 1 END)`),
  collisions: computed<number>(`COUNT(CASE WHEN EXISTS (SELECT 1 FROM ${collision.from}
        WHERE ${collision.relyingPartyId} = :relyingPartyId
          AND ${collision.predecessorUserId} = ${predecessorUser.id})
      THEN 1 END)`),
}).from<NextUsers>(`
  (SELECT ${users.list('id', 'username')} FROM ${users.from}
    WHERE ${users.relyingPartyId} = :predecessorId AND ${users.tenantId} = :tenantId
      AND ${users.username} > :after
    ORDER BY ${users.username} LIMIT :limit) predecessorUser`);

export type MovedRow = RowOf<typeof COUNT_MOVED>;

/** Whether the successor ignores case. Then the predecessor does too, so that both store folded names. */
interface CaseRule {
  readonly ignoresCase: boolean;
}

/**
 * The next users of the predecessor, and whether a decision about them is missing. An expected user whose name another
 * user got is decided again: an instance of an older version may have added that user.
 */
export const USERS_TO_DECIDE = select({
  ...predecessorUser.pick('id', 'username'),
  isOpen: computed<number>(`CASE
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
    END`),
}).from<NextUsers & CaseRule>(`
  ${predecessorUser.from}
  LEFT JOIN ${link.from} ON ${link.relyingPartyId} = :relyingPartyId
    AND ${link.predecessorUserId} = ${predecessorUser.id}
  WHERE ${predecessorUser.relyingPartyId} = :predecessorId
    AND ${predecessorUser.tenantId} = :tenantId AND ${predecessorUser.username} > :after
  ORDER BY ${predecessorUser.username} LIMIT :limit`);

/** Links to users of another predecessor, which a move has left, do not count. */
const predecessorUserLinkedTo = (userId: string) =>
  computed<Buffer | null>(`(SELECT ${otherLink.predecessorUserId} FROM ${otherLink.from}
      WHERE ${otherLink.userId} = ${userId}
        AND ${otherLink.predecessorId} = ${predecessorUser.relyingPartyId})`);

/** Users of the predecessor by their IDs, with the users of the successor who may be the same user. */
export const PREDECESSOR_USERS = select({
  ...predecessorUser.pick('id', 'username'),
  // The stored link.
  linkedId: orNull(link.userId),
  // The user with the same user ID (`subject`), and that user's stored link.
  sameId: orNull(same.id),
  samePredecessorUserId: predecessorUserLinkedTo(same.id),
  // The user of the same name, as the successor compares names, and that user's stored link.
  namesakeId: orNull(namesake.id),
  namesakePredecessorUserId: predecessorUserLinkedTo(namesake.id),
  // The stored collision.
  reason: orNull(collision.reason),
  // 1 if a user of the successor had the name until a change of names or a deletion; read only if nothing else decides.
  // Earlier names and events have no folded form: where case is ignored, the folded spelling counts too.
  isGivenUp: computed<number | null>(`CASE
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
    END`),
}).from<Scope & CaseRule & { ids: readonly Buffer[] }>(`
  ${predecessorUser.from}
  LEFT JOIN ${collision.from} ON ${collision.relyingPartyId} = :relyingPartyId
    AND ${collision.predecessorUserId} = ${predecessorUser.id}
  LEFT JOIN ${link.from} ON ${link.scope} AND ${link.predecessorUserId} = ${predecessorUser.id}
  LEFT JOIN ${same.from} ON ${same.relyingPartyId} = :relyingPartyId
    AND ${same.subject} = ${predecessorUser.subject}
  LEFT JOIN ${folded.from} ON 1 = :ignoresCase AND ${folded.relyingPartyId} = :relyingPartyId
    AND ${folded.foldedName} = ${predecessorUser.foldedName}
  LEFT JOIN ${namesake.from} ON ${namesake.relyingPartyId} = :relyingPartyId
    AND ${namesake.username} = COALESCE(${folded.username}, ${predecessorUser.username})
  WHERE ${predecessorUser.id} IN (:...ids) AND ${predecessorUser.tenantId} = :tenantId`);

export type PredecessorUserRow = RowOf<typeof PREDECESSOR_USERS>;

/**
 * Takes the IDs of users of the successor, and returns those of users of the predecessor who may be the same: linked,
 * or with the same user ID.
 */
export const POSSIBLE_PREDECESSOR_USERS = select({ id: links.predecessorUserId }).from<
  MoveScope & { ids: readonly Buffer[] }
>(`
  ${links.from} WHERE ${links.scopeWithoutIndex} AND ${links.predecessorId} = :predecessorId
    AND ${links.userId} IN (:...ids)
  UNION SELECT ${predecessorUser.id} AS id
  FROM ${successorUser.from} JOIN ${predecessorUser.from}
    ON ${predecessorUser.relyingPartyId} = :predecessorId
      AND ${predecessorUser.subject} = ${successorUser.subject}
  WHERE ${successorUser.id} IN (:...ids)`);

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
export const COLLISIONS_AFTER = select({
  ...predecessorUser.pick('id', 'username'),
  ...collision.pick('reason'),
}).from<NextUsers>(`
  ${collision.from} JOIN ${predecessorUser.from}
    ON ${predecessorUser.id} = ${collision.predecessorUserId}
  WHERE ${collision.scope} AND ${collision.predecessorId} = :predecessorId
    AND ${collision.predecessorUserId} > :after
  ORDER BY ${collision.predecessorUserId} LIMIT :limit`);

/*
 * Decisions are read slice by slice, since nearly all of them are about users of the predecessor. `isOther` is 1 for
 * those about users of another relying party, which have no effect.
 */

export const OTHER_EXPECTED = select({
  id: links.predecessorUserId,
  isOther:
    computed<number>(`CASE WHEN ${links.predecessorId} <> :predecessorId AND ${links.movedAt} = 0
        AND NOT EXISTS (SELECT 1 FROM ${successorUser.from}
          WHERE ${successorUser.id} = ${links.userId})
      THEN 1 ELSE 0 END`),
}).from<NextUsers>(`
  ${links.from} WHERE ${links.scope} AND ${links.predecessorUserId} > :after
  ORDER BY ${links.predecessorUserId} LIMIT :limit`);

export const OTHER_COLLISIONS = select({
  id: collisions.predecessorUserId,
  isOther: computed<number>(
    `CASE WHEN ${collisions.predecessorId} <> :predecessorId THEN 1 ELSE 0 END`,
  ),
}).from<NextUsers>(`
  ${collisions.from} WHERE ${collisions.scope} AND ${collisions.predecessorUserId} > :after
  ORDER BY ${collisions.predecessorUserId} LIMIT :limit`);
