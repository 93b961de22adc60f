import { forEachKind, tableOf } from '../../platform/database/entities/table.js';
import type { Scope } from '../../platform/database/scope.js';
import { select, sql } from '../../platform/database/statement.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import { Credential } from '../credentials/credential.entity.js';
import { RegroupedUser } from '../groups/regrouped-user.entity.js';
import { User } from '../user.entity.js';
import { CollisionEntity, Move, SeparateName } from './move.entity.js';
import type { MoveScope } from './move-scope.js';
import type { SeparateNameParams } from './separate-name.statements.js';

const links = tableOf(Move);
const link = tableOf(Move, 'link');
const predecessorUser = tableOf(User, 'predecessorUser');
const successorUser = tableOf(User, 'successorUser');
const namesake = tableOf(User, 'namesake');
const credential = tableOf(Credential, 'credential');
const collision = tableOf(CollisionEntity, 'collision');
const separateName = tableOf(SeparateName, 'separateName');
const regroupedUsers = tableOf(RegroupedUser);
const rp = tableOf(RelyingPartyEntity, 'rp');
const predecessorRp = tableOf(RelyingPartyEntity, 'predecessorRp');

/** A link between users of the two relying parties, by IDs. */
export type UserLink = Pick<Move, 'userId' | 'predecessorUserId'>;

/** Takes the IDs of users of the successor. Returns also links that outlive their move. */
export const LINKS_OF = select(links.pick('userId', 'predecessorUserId', 'predecessorId')).from<
  Scope & { ids: readonly Buffer[] }
>(`
  ${links.from} WHERE ${links.scopeWithoutIndex} AND ${links.userId} IN (:...ids)`);

/** Stores links, except those of users who have one. */
export const ADD_LINKS = forEachKind((kind) =>
  sql<{ rows: readonly Move[] }>(
    `INSERT ${kind === 'sqlite' ? 'OR IGNORE' : 'IGNORE'} INTO ${links.rows(...links.names)}`,
  ),
);

/**
 * Makes the link of a user, left by a move that has ended, one to the present predecessor. It follows `ADD_LINKS`, which
 * leaves such a link: then the row exists, and MySQL locks it alone and no gap. It changes nothing if another instance
 * has changed the predecessor, or the user of the predecessor has a link.
 */
export const RENEW_LINK = forEachKind((kind) =>
  sql<MoveScope & UserLink & Pick<Move, 'movedAt'>>(
    `UPDATE ${kind === 'sqlite' ? 'OR IGNORE' : 'IGNORE'} ${links.from}
    SET ${links.predecessorUserId} = :predecessorUserId, ${links.predecessorId} = :predecessorId,
      ${links.movedAt} = :movedAt
    WHERE ${links.scopeWithoutIndex} AND ${links.userId} = :userId
      AND ${links.predecessorId} <> :predecessorId
      AND EXISTS (SELECT 1 FROM ${rp.from} JOIN ${predecessorRp.from}
          ON ${predecessorRp.domain} = ${rp.predecessor} AND ${predecessorRp.closedAt} = 0
        WHERE ${rp.id} = ${links.from}.${links.relyingPartyId}
          AND ${predecessorRp.id} = :predecessorId)`,
  ),
);

/**
 * Removes the link of a user who has not arrived (`first`), before one that leads to an existing user. No UPDATE, since
 * that user may have a link of a move that has ended.
 */
export const DROP_LINK_OF_ABSENT_USER = sql<
  Scope & Pick<UserLink, 'predecessorUserId'> & { first: Buffer }
>(
  `DELETE FROM ${links.from}
  WHERE ${links.scope} AND ${links.predecessorUserId} = :predecessorUserId
    AND ${links.userId} = :first
    AND NOT EXISTS (SELECT 1 FROM ${successorUser.from} WHERE ${successorUser.id} = :first)`,
);

/** The condition that a user of the predecessor has a link and has not arrived. */
const IS_EXPECTED = `${links.scope} AND ${links.predecessorUserId} = :predecessorUserId AND ${links.movedAt} = 0
    AND NOT EXISTS (SELECT 1 FROM ${successorUser.from}
      WHERE ${successorUser.id} = ${links.userId})`;

/** Removes the link of a user who has not arrived. */
export const DROP_EXPECTED = sql<Scope & { predecessorUserId: Buffer }>(
  `DELETE FROM ${links.from}
  WHERE ${IS_EXPECTED}`,
);

/** The same, unless the user of the predecessor got another name since the decision was read. */
export const DROP_EXPECTED_OF_NAME = sql<
  Scope & { predecessorUserId: Buffer; predecessorUsername: Buffer }
>(
  `DELETE FROM ${links.from}
  WHERE ${IS_EXPECTED}
    AND EXISTS (SELECT 1 FROM ${predecessorUser.from}
      WHERE ${predecessorUser.id} = :predecessorUserId
        AND ${predecessorUser.username} = :predecessorUsername)`,
);

/**
 * Notes a user of the predecessor whom the unit links to a user of the successor, so that the keys at the predecessor
 * are judged again: from now on the groups at the successor count. Notes nobody who is linked already.
 */
export const NOTE_LINKED_USER = sql<
  Scope & UserLink & Pick<RegroupedUser, 'id'> & { isCreated: boolean }
>(
  `INSERT INTO ${regroupedUsers.from} (${regroupedUsers.list('id', 'tenantId', 'relyingPartyId', 'userId')})
  SELECT :id, ${predecessorUser.list('tenantId', 'relyingPartyId', 'id')}
  FROM ${predecessorUser.from}
  WHERE ${predecessorUser.id} = :predecessorUserId AND ${predecessorUser.tenantId} = :tenantId
    AND (1 = :isCreated
      OR EXISTS (SELECT 1 FROM ${successorUser.from} WHERE ${successorUser.id} = :userId))
    AND NOT EXISTS (SELECT 1
      FROM ${link.from} JOIN ${successorUser.from} ON ${successorUser.id} = ${link.userId}
      WHERE ${link.relyingPartyId} = :relyingPartyId
        AND ${link.predecessorUserId} = ${predecessorUser.id})`,
);

/** The condition that two users are linked and no collision, whatever an instance of an older version has linked. */
const IS_LINKED = `${links.scope} AND ${links.userId} = :userId
    AND ${links.predecessorUserId} = :predecessorUserId
    AND NOT EXISTS (SELECT 1 FROM ${collision.from}
      WHERE ${collision.relyingPartyId} = :relyingPartyId
        AND ${collision.predecessorUserId} = :predecessorUserId)`;

/*
 * The next statements are conditions. They write a link as it is, which locks it until the end of the unit, and find
 * no row if the two users are not linked.
 */

const LOCK = `UPDATE ${links.from} SET ${links.movedAt} = ${links.movedAt}
  WHERE ${IS_LINKED}`;

export const LOCK_LINK = sql<Scope & UserLink>(LOCK);

/** Finds no row either if the user exists at the successor. */
export const LOCK_LINK_OF_ABSENT_USER = sql<Scope & UserLink>(
  `${LOCK}
    AND NOT EXISTS (SELECT 1 FROM ${successorUser.from} WHERE ${successorUser.id} = :userId)`,
);

/** Finds no row either if the user has a key at the successor. */
export const LOCK_LINK_OF_KEYLESS_USER = sql<Scope & UserLink>(
  `${LOCK}
    AND NOT EXISTS (SELECT 1 FROM ${credential.from} WHERE ${credential.userId} = :userId)`,
);

interface Arrival extends UserLink, SeparateNameParams {
  readonly now: number;
  readonly predecessorUsername: Buffer;
  /** Empty if the successor compares case. */
  readonly predecessorFoldedName: Buffer;
}

/**
 * Notes that the user has arrived at the successor. For a user who does not exist there, it finds no row either if the
 * user has another name at the predecessor, or another user of the successor has this name, or gave it up.
 */
export const MARK_ARRIVED = sql<Scope & Arrival>(
  `UPDATE ${links.from}
  SET ${links.movedAt} = CASE WHEN ${links.movedAt} = 0 THEN :now ELSE ${links.movedAt} END
  WHERE ${IS_LINKED}
    AND (
      EXISTS (SELECT 1 FROM ${successorUser.from} WHERE ${successorUser.id} = :userId)
      OR (
        EXISTS (SELECT 1 FROM ${predecessorUser.from}
          WHERE ${predecessorUser.id} = :predecessorUserId
            AND ${predecessorUser.username} = :predecessorUsername)
        AND NOT EXISTS (SELECT 1 FROM ${namesake.from}
          WHERE ${namesake.relyingPartyId} = :relyingPartyId
            AND ${namesake.username} = :predecessorUsername)
        AND NOT EXISTS (SELECT 1 FROM ${namesake.from}
          WHERE ${namesake.relyingPartyId} = :relyingPartyId
            AND ${namesake.foldedName} = :predecessorFoldedName)
        AND NOT EXISTS (SELECT 1 FROM ${separateName.from}
          WHERE ${separateName.relyingPartyId} = :relyingPartyId
            AND ${separateName.foldedHash} = :foldedHash
            AND (${separateName.nameHash} = :nameHash OR 1 = :ignoresCase))
      )
    )`,
);
