import type { NamePeriod } from '../../events/erasure/erasure.statements.js';
import type { Scope } from '../../platform/database/scope.js';
import { select, sql } from '../../platform/database/statement.js';
import { COUNT, tableOf, type Expression } from '../../platform/database/entities/table.js';
import { Invitation } from '../../invitations/invitation.entity.js';
import { forLockedOutUser, type LockedOutUser } from '../../users/lock-outs.js';
import { User } from '../../users/user.entity.js';
import { RepeatableRegistration } from '../idempotency/repeatable-registration.entity.js';
import { Ticket } from './ticket.entity.js';

const ticket = tableOf(Ticket);
const t = tableOf(Ticket, 't');
const u = tableOf(User, 'u');

type OneTicket = Scope & { readonly ticketHash: Buffer };

/** Counts a begin call of a valid ticket that has calls left. */
export const BEGIN_WITH_TICKET = sql<OneTicket & { now: number; most: number }>(
  `UPDATE ${ticket.from} SET ${ticket.begun} = ${ticket.begun} + 1
  WHERE ${ticket.scope} AND ${ticket.ticketHash} = :ticketHash
    AND ${ticket.expiresAt} > :now AND ${ticket.begun} < :most`,
);

/** The user for whom a ticket was issued, and its expiry. */
export const FIND_TICKET = select(
  ticket.pick('username', 'displayName', 'userId', 'expiresAt', 'mayLink', 'issuer'),
).from<OneTicket>(`
  ${ticket.from} WHERE ${ticket.scope} AND ${ticket.ticketHash} = :ticketHash`);

export const USE_UP_TICKET = sql<OneTicket & { owner: Buffer }>(
  `DELETE FROM ${ticket.from} WHERE ${ticket.scope} AND ${ticket.ticketHash} = :ticketHash
    AND (${ticket.userId} = :owner OR ${ticket.userId} IS NULL)`,
);

export const COUNT_TICKETS_OF_USER = forLockedOutUser(ticket, (condition) =>
  select(COUNT).from<Scope & LockedOutUser>(`${ticket.from} WHERE ${condition}`, { small: true }),
);

export const END_TICKETS_OF_USER = forLockedOutUser(ticket, (condition) =>
  sql<Scope & LockedOutUser>(`DELETE FROM ${ticket.from} WHERE ${condition}`),
);

interface TicketsOfName extends NamePeriod {
  /** When the user gave up the name. */
  readonly heldUntil: number;
  readonly longestTtl: number;
}

/**
 * Tickets of a name, except those for other users. Their times of issue are not stored: `since` and `until`, in
 * milliseconds since 1970, refer to their expiry. A ticket without a user was issued while no user had the name.
 * If its expiry shows that the user existed already, it was issued for the next user of the name.
 */
export const TICKETS_OF_NAME = select({ id: t.ticketHash }).from<Scope & TicketsOfName>(
  `${t.from} WHERE ${t.scope} AND ${t.username} = :username
    AND ${t.expiresAt} > :since AND ${t.expiresAt} <= :until
    AND NOT EXISTS (SELECT 1 FROM ${u.from} WHERE ${u.id} = ${t.userId} AND ${u.id} <> :userId)
    AND NOT EXISTS (SELECT 1 FROM ${u.from} WHERE ${u.id} = :userId AND ${t.userId} = :nobody
      AND ${t.expiresAt} > :heldUntil AND ${t.expiresAt} > ${u.createdAt} + :longestTtl)
  LIMIT :limit`,
  { patienceMs: 30_000 },
);

const invitation = tableOf(Invitation);

/** Rows that expired before a given time. */
const expired = (
  table: {
    readonly from: string;
    readonly expiresAt: string;
  },
  id: Expression<Buffer>,
) =>
  select({ id }).from<{ until: number; limit: number }>(
    `${table.from} WHERE ${table.expiresAt} <= :until ORDER BY ${table.expiresAt} LIMIT :limit`,
    { patienceMs: 10_000 },
  );

const repeatable = tableOf(RepeatableRegistration);

export const EXPIRED_REPEATABLE = expired(repeatable, repeatable.callHash);
export const EXPIRED_TICKETS = expired(ticket, ticket.ticketHash);
export const EXPIRED_INVITATIONS = expired(invitation, invitation.id);

const removal = (from: string, id: string) =>
  sql<{ ids: readonly Buffer[] }>(`DELETE FROM ${from} WHERE ${id} IN (:...ids)`);

/** Takes the hashes of tickets. */
export const REMOVE_TICKETS = removal(ticket.from, ticket.ticketHash);

export const REMOVE_REPEATABLE = removal(repeatable.from, repeatable.callHash);

/** The few key rows of each invitation are deleted with it. */
export const REMOVE_INVITATIONS = removal(invitation.from, invitation.id);
