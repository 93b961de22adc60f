import type { NamePeriod } from '../../events/erasure/erasure.statements.js';
import type { Scope } from '../../platform/database/scope.js';
import { select, sql } from '../../platform/database/statement.js';
import { COUNT, tableOf, type Expression } from '../../platform/database/entities/table.js';
import { Invitation } from '../../invitations/invitation.entity.js';
import { forLockedOutUser, type LockedOutUser } from '../../users/lock-outs.js';
import { User } from '../../users/user.entity.js';
import { RepeatableRegistration } from '../idempotency/repeatable-registration.entity.js';
import { Ticket } from './ticket.entity.js';

const tickets = tableOf(Ticket);
const ticket = tableOf(Ticket, 't');
const user = tableOf(User, 'u');

type OneTicket = Scope & { readonly ticketHash: Buffer };

/** Counts a begin call of a valid ticket that has calls left. */
export const BEGIN_WITH_TICKET = sql<OneTicket & { now: number; most: number }>(
  `UPDATE ${tickets.from} SET ${tickets.begun} = ${tickets.begun} + 1
  WHERE ${tickets.scope} AND ${tickets.ticketHash} = :ticketHash
    AND ${tickets.expiresAt} > :now AND ${tickets.begun} < :most`,
);

/** The user for whom a ticket was issued, its expiry and its begin calls. */
export const FIND_TICKET = select(
  tickets.pick('username', 'displayName', 'userId', 'expiresAt', 'mayLink', 'issuer', 'begun'),
).from<OneTicket>(`
  ${tickets.from} WHERE ${tickets.scope} AND ${tickets.ticketHash} = :ticketHash`);

export const USE_UP_TICKET = sql<OneTicket & { owner: Buffer }>(
  `DELETE FROM ${tickets.from} WHERE ${tickets.scope} AND ${tickets.ticketHash} = :ticketHash
    AND (${tickets.userId} = :owner OR ${tickets.userId} IS NULL)`,
);

export const COUNT_TICKETS_OF_USER = forLockedOutUser(tickets, (condition) =>
  select(COUNT).from<Scope & LockedOutUser>(`${tickets.from} WHERE ${condition}`, { small: true }),
);

export const END_TICKETS_OF_USER = forLockedOutUser(tickets, (condition) =>
  sql<Scope & LockedOutUser>(`DELETE FROM ${tickets.from} WHERE ${condition}`),
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
export const TICKETS_OF_NAME = select({ id: ticket.ticketHash }).from<Scope & TicketsOfName>(
  `${ticket.from} WHERE ${ticket.scope} AND ${ticket.username} = :username
    AND ${ticket.expiresAt} > :since AND ${ticket.expiresAt} <= :until
    AND NOT EXISTS (SELECT 1 FROM ${user.from} WHERE ${user.id} = ${ticket.userId} AND ${user.id} <> :userId)
    AND NOT EXISTS (SELECT 1 FROM ${user.from} WHERE ${user.id} = :userId AND ${ticket.userId} = :nobody
      AND ${ticket.expiresAt} > :heldUntil AND ${ticket.expiresAt} > ${user.createdAt} + :longestTtl)
  LIMIT :limit`,
  { patienceMs: 30_000 },
);

const invitations = tableOf(Invitation);

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

const repeatables = tableOf(RepeatableRegistration);

export const EXPIRED_REPEATABLE = expired(repeatables, repeatables.callHash);
export const EXPIRED_TICKETS = expired(tickets, tickets.ticketHash);
export const EXPIRED_INVITATIONS = expired(invitations, invitations.id);

const removal = (from: string, id: string) =>
  sql<{ ids: readonly Buffer[] }>(`DELETE FROM ${from} WHERE ${id} IN (:...ids)`);

/** Takes the hashes of tickets. */
export const REMOVE_TICKETS = removal(tickets.from, tickets.ticketHash);

export const REMOVE_REPEATABLE = removal(repeatables.from, repeatables.callHash);

/** The few key rows of each invitation are deleted with it. */
export const REMOVE_INVITATIONS = removal(invitations.from, invitations.id);
