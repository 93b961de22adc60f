import type { Scope } from '../../platform/database/scope.js';
import { sql } from '../../platform/database/statement.js';
import { tableOf } from '../../platform/database/entities/table.js';
import { Ticket } from './ticket.entity.js';

const ticket = tableOf(Ticket);

type OneTicket = Scope & { readonly ticketHash: Buffer };

/** Counts a begin call of a ticket that is valid and has calls left. */
export const BEGIN_WITH_TICKET = sql<OneTicket & { username: Buffer; now: number; most: number }>(
  `UPDATE ${ticket.from} SET ${ticket.begun} = ${ticket.begun} + 1
  WHERE ${ticket.scope} AND ${ticket.ticketHash} = :ticketHash AND ${ticket.username} = :username
    AND ${ticket.expiresAt} > :now AND ${ticket.begun} < :most`,
);

/** What a ticket says about its user. */
export interface TicketFacts {
  readonly username: Buffer;
  readonly displayName: string | null;
}

export const FIND_TICKET = sql<OneTicket, TicketFacts>(
  `SELECT ${ticket.select('username', 'displayName')} FROM ${ticket.from}
  WHERE ${ticket.scope} AND ${ticket.ticketHash} = :ticketHash`,
);

export const USE_UP_TICKET = sql<OneTicket>(
  `DELETE FROM ${ticket.from} WHERE ${ticket.scope} AND ${ticket.ticketHash} = :ticketHash`,
);
