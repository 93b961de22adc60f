import { tableOf } from '../../platform/database/entities/table.js';
import { Ticket } from './ticket.entity.js';

const ticket = tableOf(Ticket);

/** Parameters: rp, ticket hash, username, now, most begin calls. */
export const BEGIN_WITH_TICKET = `UPDATE ${ticket.from} SET ${ticket.begun} = ${ticket.begun} + 1
  WHERE ${ticket.positionalScope} AND ${ticket.ticketHash} = ? AND ${ticket.username} = ?
    AND ${ticket.expiresAt} > ? AND ${ticket.begun} < ?`;

/** Parameters: rp, ticket hash. */
export const FIND_TICKET = `SELECT ${ticket.select('username', 'displayName')} FROM ${ticket.from}
  WHERE ${ticket.positionalScope} AND ${ticket.ticketHash} = ?`;

/** Parameters: rp, ticket hash. */
export const USE_UP_TICKET = `DELETE FROM ${ticket.from}
  WHERE ${ticket.positionalScope} AND ${ticket.ticketHash} = ?`;
