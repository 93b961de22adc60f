import type { Scope } from '../platform/database/scope.js';
import { select, sql } from '../platform/database/statement.js';
import { COUNT, tableOf } from '../platform/database/entities/table.js';
import { forLockedOutUser, type LockedOutUser } from '../users/lock-outs.js';
import { MAX_BEGUN, MAX_WRONG_NAMES } from './invitation-state.js';
import { Invitation } from './invitation.entity.js';

/* The statements themselves check the limits, so parallel attempts cannot exceed them. */

const invitation = tableOf(Invitation);

type OneInvitation = Scope & { readonly id: Buffer };
type AsRead = OneInvitation & { readonly keysMade: number };

/** Matches the invitation only if it has not changed since it was read. */
const AS_READ = `${invitation.scope} AND ${invitation.id} = :id AND ${invitation.endedAt} IS NULL
    AND ${invitation.keysMade} = :keysMade AND ${invitation.keysMade} < ${invitation.minKeys}
    AND ${invitation.wrongNames} < ${MAX_WRONG_NAMES}`;

/** Invitations issued for a name in a period, milliseconds since 1970. */
export const INVITATIONS_OF_NAME = select(invitation.pick('id')).from<
  Scope & { username: Buffer; since: number; until: number; limit: number }
>(`
  ${invitation.from} WHERE ${invitation.scope} AND ${invitation.username} = :username
    AND ${invitation.issuedAt} > :since AND ${invitation.issuedAt} <= :until LIMIT :limit`);

/** Also deletes the rows of their keys. */
export const DELETE_INVITATIONS = sql<Scope & { ids: readonly Buffer[] }>(
  `DELETE FROM ${invitation.from} WHERE ${invitation.scopeWithoutIndex} AND ${invitation.id} IN (:...ids)`,
);

/** Counts a registration that begins. */
export const BEGIN_WITH_INVITATION = sql<AsRead & { now: number }>(`UPDATE ${invitation.from}
  SET ${invitation.begun} = ${invitation.begun} + 1
  WHERE ${AS_READ} AND ${invitation.expiresAt} > :now AND ${invitation.begun} < ${MAX_BEGUN}`);

/**
 * Counts a key of the owner. Does not check the expiry, since a registration that was begun in time may end
 * later. From then on the invitation is for the user of the key, whom it may have created.
 */
export const COUNT_KEY = sql<AsRead & { owner: Buffer; userId: Buffer }>(`UPDATE
    ${invitation.from}
  SET ${invitation.keysMade} = ${invitation.keysMade} + 1, ${invitation.begun} = 0,
    ${invitation.userId} = :userId
  WHERE ${AS_READ} AND (${invitation.userId} = :owner OR ${invitation.userId} IS NULL)`);

export const COUNT_WRONG_NAME = sql<OneInvitation>(`UPDATE ${invitation.from}
  SET ${invitation.wrongNames} = ${invitation.wrongNames} + 1
  WHERE ${invitation.scope} AND ${invitation.id} = :id
    AND ${invitation.wrongNames} < ${MAX_WRONG_NAMES}`);

/** For invitations that can still create a key: they have not expired before `since`. */
const REVOCABLE = `${invitation.endedAt} IS NULL
    AND ${invitation.keysMade} < ${invitation.minKeys} AND ${invitation.expiresAt} > :since`;

type InvitationsOfUser = Scope & LockedOutUser & { readonly since: number };

export const COUNT_INVITATIONS_OF_USER = forLockedOutUser(invitation, (condition) =>
  select(COUNT).from<InvitationsOfUser>(`${invitation.from} WHERE ${condition} AND ${REVOCABLE}`, {
    small: true,
  }),
);

export const REVOKE_INVITATIONS_OF_USER = forLockedOutUser(invitation, (condition) =>
  sql<InvitationsOfUser & { now: number }>(
    `UPDATE ${invitation.from} SET ${invitation.endedAt} = :now WHERE ${condition} AND ${REVOCABLE}`,
  ),
);

/** For an invitation that has not expired before `since`. */
export const REVOKE_INVITATION = sql<OneInvitation & { now: number; since: number }>(`UPDATE
    ${invitation.from}
  SET ${invitation.endedAt} = :now
  WHERE ${invitation.scope} AND ${invitation.id} = :id AND ${REVOCABLE}`);
