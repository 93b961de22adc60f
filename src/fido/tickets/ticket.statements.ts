import { tableOf } from '../../database/entities/table.js';
import { Ticket } from './ticket.entity.js';

const ticket = tableOf(Ticket);

/** rp, ticket hash, username, now. */
export const TAKE_TICKET = `DELETE FROM ${ticket.from} WHERE ${ticket.scope}
  AND ${ticket.ticketHash} = ? AND ${ticket.username} = ? AND ${ticket.expiresAt} > ?`;
