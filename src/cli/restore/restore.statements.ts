import { select, sql } from '../../platform/database/statement.js';
import { ConsoleSetup } from '../../accounts/console-account.entity.js';
import { ConsoleSession } from '../../accounts/sessions/console-session.entity.js';
import { NumberingProgress } from '../../events/numbering/event-numbers.entity.js';
import { Ticket } from '../../fido/tickets/ticket.entity.js';
import { Invitation } from '../../invitations/invitation.entity.js';
import { computed, tableOf } from '../../platform/database/entities/table.js';
import { Secret } from '../../platform/database/entities/server.entity.js';
import { ApplicationKey } from '../../tenancy/keys/application-key.entity.js';

/** These statements have no scope: a restore concerns all tenants. */

const keys = tableOf(ApplicationKey);
const sessions = tableOf(ConsoleSession);
const setups = tableOf(ConsoleSetup);
const tickets = tableOf(Ticket);
const invitations = tableOf(Invitation);

export const SUSPEND_KEYS = sql<{ now: number }>(`UPDATE ${keys.from}
  SET ${keys.suspendedAt} = :now WHERE ${keys.revokedAt} IS NULL AND ${keys.suspendedAt} IS NULL`);

export const END_SESSIONS = sql(`DELETE FROM ${sessions.from}`);

/** Deletes the setup links of accounts; an account with a first password must still change it. */
export const END_SETUP_LINKS = sql(
  `DELETE FROM ${setups.from} WHERE ${setups.tokenHash} IS NOT NULL`,
);

export const SOME_TICKETS = select({ id: tickets.ticketHash }).from<{ limit: number }>(
  `${tickets.from} LIMIT :limit`,
);

export const SOME_INVITATIONS = select(invitations.pick('id')).from<{
  now: number;
  limit: number;
}>(`
  ${invitations.from}
  WHERE ${invitations.endedAt} IS NULL AND ${invitations.expiresAt} > :now LIMIT :limit`);

export const END_INVITATIONS = sql<{ now: number; ids: readonly Buffer[] }>(
  `UPDATE ${invitations.from} SET ${invitations.endedAt} = :now WHERE ${invitations.id} IN (:...ids)`,
);

/** Not by its entity, which belongs to a door: every database has the table, also without the door. */
const OIDC_RECORDS = 'oidc_records';

export const SOME_OIDC_RECORDS = select({ id: computed<Buffer>('id') }).from<{ limit: number }>(
  `${OIDC_RECORDS} LIMIT :limit`,
);

export const DELETE_OIDC_RECORDS = sql<{ ids: readonly Buffer[] }>(
  `DELETE FROM ${OIDC_RECORDS} WHERE id IN (:...ids)`,
);

/** Fails if a file does not contain the tables that a restore needs, which exist in all versions. */
export const PROBE_BACKUP = `SELECT COUNT(*) AS n FROM ${tableOf(Secret).from}
  CROSS JOIN ${tableOf(NumberingProgress).from}`;

/** What a SQLite file consists of, without SQLite's own tables. */
export const SQLITE_SCHEMA = `SELECT type, name, sql FROM sqlite_master
  WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`;
