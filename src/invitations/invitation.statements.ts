import type { Scope } from '../platform/database/scope.js';
import { select, sql } from '../platform/database/statement.js';
import { COUNT, tableOf } from '../platform/database/entities/table.js';
import { forLockedOutUser, type LockedOutUser } from '../users/lock-outs.js';
import { MAX_BEGUN, MAX_WRONG_NAMES } from './invitation-state.js';
import { Invitation } from './invitation.entity.js';

/* The statements themselves check the limits, so parallel attempts cannot exceed them. */

const invitations = tableOf(Invitation);

type OneInvitation = Scope & { readonly id: Buffer };
type AsRead = OneInvitation & { readonly keysMade: number };

/** Matches the invitation only if it has not changed since it was read. */
const AS_READ = `${invitations.scope} AND ${invitations.id} = :id AND ${invitations.endedAt} IS NULL
    AND ${invitations.keysMade} = :keysMade AND ${invitations.keysMade} < ${invitations.minKeys}
    AND ${invitations.wrongNames} < ${MAX_WRONG_NAMES}`;

/** Invitations issued for a name in a period, milliseconds since 1970. */
export const INVITATIONS_OF_NAME = select(invitations.pick('id')).from<
  Scope & { username: Buffer; since: number; until: number; limit: number }
>(`
  ${invitations.from} WHERE ${invitations.scope} AND ${invitations.username} = :username
    AND ${invitations.issuedAt} > :since AND ${invitations.issuedAt} <= :until LIMIT :limit`);

/** Also deletes the rows of their keys. */
export const DELETE_INVITATIONS = sql<Scope & { ids: readonly Buffer[] }>(
  `DELETE FROM ${invitations.from} WHERE ${invitations.scopeWithoutIndex} AND ${invitations.id} IN (:...ids)`,
);

/** Counts a registration that begins. */
export const BEGIN_WITH_INVITATION = sql<AsRead & { now: number }>(`UPDATE ${invitations.from}
  SET ${invitations.begun} = ${invitations.begun} + 1
  WHERE ${AS_READ} AND ${invitations.expiresAt} > :now AND ${invitations.begun} < ${MAX_BEGUN}`);

/**
 * Counts a key of the owner. Does not check the expiry, since a registration that was begun in time may end
 * later. From then on the invitation is for the user of the key, whom it may have created.
 */
export const COUNT_KEY = sql<AsRead & { owner: Buffer; userId: Buffer }>(`UPDATE
    ${invitations.from}
  SET ${invitations.keysMade} = ${invitations.keysMade} + 1, ${invitations.begun} = 0,
    ${invitations.userId} = :userId
  WHERE ${AS_READ} AND (${invitations.userId} = :owner OR ${invitations.userId} IS NULL)`);

export const COUNT_WRONG_NAME = sql<OneInvitation>(`UPDATE ${invitations.from}
  SET ${invitations.wrongNames} = ${invitations.wrongNames} + 1
  WHERE ${invitations.scope} AND ${invitations.id} = :id
    AND ${invitations.wrongNames} < ${MAX_WRONG_NAMES}`);

/** For invitations that can still create a key: they have not expired before `since`. */
const REVOCABLE = `${invitations.endedAt} IS NULL
    AND ${invitations.keysMade} < ${invitations.minKeys} AND ${invitations.expiresAt} > :since`;

type InvitationsOfUser = Scope & LockedOutUser & { readonly since: number };

export const COUNT_INVITATIONS_OF_USER = forLockedOutUser(invitations, (condition) =>
  select(COUNT).from<InvitationsOfUser>(`${invitations.from} WHERE ${condition} AND ${REVOCABLE}`, {
    small: true,
  }),
);

export const REVOKE_INVITATIONS_OF_USER = forLockedOutUser(invitations, (condition) =>
  sql<InvitationsOfUser & { now: number }>(
    `UPDATE ${invitations.from} SET ${invitations.endedAt} = :now WHERE ${condition} AND ${REVOCABLE}`,
  ),
);

/** For an invitation that has not expired before `since`. */
export const REVOKE_INVITATION = sql<OneInvitation & { now: number; since: number }>(`UPDATE
    ${invitations.from}
  SET ${invitations.endedAt} = :now
  WHERE ${invitations.scope} AND ${invitations.id} = :id AND ${REVOCABLE}`);
