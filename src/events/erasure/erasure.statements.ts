import type { Scope } from '../../platform/database/scope.js';
import { select, sql } from '../../platform/database/statement.js';
import { tableOf } from '../../platform/database/entities/table.js';
import { EventEntity } from '../event.entity.js';
import { Receipt } from '../receipts/receipt.entity.js';

const events = tableOf(EventEntity);
const receipts = tableOf(Receipt);

export interface NamePeriod {
  readonly username: Buffer;
  /** Milliseconds since 1970; only later rows are found. */
  readonly since: number;
  /** Milliseconds since 1970; only earlier rows are found. */
  readonly until: number;
  /** The user's ID, and the one of no user. */
  readonly userId: Buffer;
  readonly nobody: Buffer;
  readonly limit: number;
}
const PATIENT = { patienceMs: 30_000 };

/** The rows of a name in a table, and the statement that replaces the name. */
const erasure = (table: typeof events | typeof receipts, orIf = '', alsoSet = '') => ({
  find: select({ id: table.id }).from<Scope & NamePeriod>(
    `${table.from} WHERE ${table.scope}
      AND ${table.username} = :username
      AND (${table.at} > :since AND ${table.at} <= :until ${orIf}) LIMIT :limit`,
    PATIENT,
  ),
  rename: sql<Scope & { pseudonym: Buffer; ids: readonly Buffer[] }>(
    `UPDATE ${table.from} SET ${table.username} = :pseudonym${alsoSet}
      WHERE ${table.scopeWithoutIndex} AND ${table.id} IN (:...ids)`,
  ),
});

/**
 * Removes address and browser together with the name. The user's own events count whatever their time: clocks of
 * instances differ, and a sign-in may end during the renaming.
 */
export const EVENT_ERASURE = erasure(
  events,
  `OR (${events.userId} = :userId AND ${events.userId} <> :nobody)`,
  `, ${events.address} = NULL, ${events.browser} = NULL`,
);

export const RECEIPT_ERASURE = erasure(receipts);
