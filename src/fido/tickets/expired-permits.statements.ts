import { tableOf } from '../../platform/database/entities/table.js';
import { marksOf } from '../../platform/database/padded.js';
import { Invitation } from '../../invitations/invitation.entity.js';
import { Ticket } from './ticket.entity.js';

const ticket = tableOf(Ticket);
const invitation = tableOf(Invitation);

/** Parameters: until, limit. */
export const OVER_TICKETS = `SELECT ${ticket.ticketHash} AS id FROM ${ticket.from}
  WHERE ${ticket.expiresAt} <= ? ORDER BY ${ticket.expiresAt} LIMIT ?`;

/** Parameters: hashes of the tickets. */
export const deleteTickets = (hashes: readonly unknown[]) =>
  `DELETE FROM ${ticket.from} WHERE ${ticket.ticketHash} IN (${marksOf(hashes)})`;

/** Parameters: until, limit. */
export const OVER_INVITATIONS = `SELECT ${invitation.id} FROM ${invitation.from}
  WHERE ${invitation.expiresAt} <= ? ORDER BY ${invitation.expiresAt} LIMIT ?`;

/** Parameters: IDs of the invitations. The few rows of keys that each has go with it. */
export const deleteInvitations = (ids: readonly unknown[]) =>
  `DELETE FROM ${invitation.from} WHERE ${invitation.id} IN (${marksOf(ids)})`;
