import { sql } from '../../platform/database/statement.js';
import { tableOf } from '../../platform/database/entities/table.js';
import { Invitation } from '../../invitations/invitation.entity.js';
import { Ticket } from './ticket.entity.js';

const ticket = tableOf(Ticket);
const invitation = tableOf(Invitation);

/** What expired until a time, and how to delete it. */
const expired = (
  table: {
    readonly from: string;
    readonly expiresAt: string;
  },
  id: string,
) => ({
  find: sql<{ until: number; limit: number }, { id: Buffer }>(
    `SELECT ${id} AS id FROM ${table.from}
  WHERE ${table.expiresAt} <= :until ORDER BY ${table.expiresAt} LIMIT :limit`,
    { patienceMs: 10_000 },
  ),
  remove: sql<{ ids: readonly Buffer[] }>(`DELETE FROM ${table.from} WHERE ${id} IN (:...ids)`),
});

export const EXPIRED_TICKETS = expired(ticket, ticket.ticketHash);

/** The few rows of keys that each invitation has are deleted with it. */
export const EXPIRED_INVITATIONS = expired(invitation, invitation.id);
