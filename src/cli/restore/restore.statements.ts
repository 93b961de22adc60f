import { ConsoleSession } from '../../console/sessions/console-session.entity.js';
import { NumberingProgress } from '../../events/numbering/numbering-progress.entity.js';
import { Ticket } from '../../fido/tickets/ticket.entity.js';
import { Invitation } from '../../invitations/invitation.entity.js';
import { tableOf } from '../../platform/database/entities/table.js';
import { marksOf } from '../../platform/database/padded.js';
import { Secret } from '../../platform/database/secrets/secret.entity.js';
import { ApplicationKey } from '../../tenancy/keys/application-key.entity.js';

/** These statements have no scope: a restore concerns everybody. */

const key = tableOf(ApplicationKey);
const session = tableOf(ConsoleSession);
const ticket = tableOf(Ticket);
const invitation = tableOf(Invitation);

/** Parameters: now. */
export const SUSPEND_KEYS = `UPDATE ${key.from} SET ${key.suspendedAt} = ?
  WHERE ${key.revokedAt} IS NULL AND ${key.suspendedAt} IS NULL`;

export const END_SESSIONS = `DELETE FROM ${session.from}`;

/** Parameters: limit. */
export const SOME_TICKETS = `SELECT ${ticket.ticketHash} AS id FROM ${ticket.from} LIMIT ?`;

/** Parameters: now, limit. */
export const SOME_INVITATIONS = `SELECT ${invitation.id} FROM ${invitation.from}
  WHERE ${invitation.endedAt} IS NULL AND ${invitation.expiresAt} > ? LIMIT ?`;

/** Parameters: now, IDs. */
export const endInvitations = (ids: readonly unknown[]) => `UPDATE ${invitation.from}
  SET ${invitation.endedAt} = ? WHERE ${invitation.id} IN (${marksOf(ids)})`;

/** Fails where a file has not the tables that a restore needs, which all versions have. */
export const PROBE_BACKUP = `SELECT COUNT(*) AS n FROM ${tableOf(Secret).from}
  CROSS JOIN ${tableOf(NumberingProgress).from}`;
