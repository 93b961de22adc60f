import type { Scope } from '../../platform/database/scope.js';
import { sql } from '../../platform/database/statement.js';
import { tableOf } from '../../platform/database/entities/table.js';
import { EventEntity } from '../event.entity.js';
import { Receipt } from '../receipts/receipt.entity.js';

const event = tableOf(EventEntity);
const receipt = tableOf(Receipt);

interface NamePeriod {
  readonly username: Buffer;
  /** Milliseconds since 1970; only later rows are found. */
  readonly since: number;
  /** Milliseconds since 1970; only earlier rows are found. */
  readonly until: number;
  readonly limit: number;
}
interface RenameParams {
  readonly pseudonym: Buffer;
  readonly ids: readonly Buffer[];
}
const PATIENT = { patienceMs: 30_000 };

/** The rows of a name in a table, and the statement that replaces the name. */
const erasure = (table: typeof event | typeof receipt, alsoSet = '') => ({
  find: sql<Scope & NamePeriod, { id: Buffer }>(
    `SELECT ${table.id} FROM ${table.from} WHERE ${table.scope}
      AND ${table.username} = :username AND ${table.at} > :since AND ${table.at} <= :until
      LIMIT :limit`,
    PATIENT,
  ),
  rename: sql<Scope & RenameParams>(
    `UPDATE ${table.from} SET ${table.username} = :pseudonym${alsoSet}
      WHERE ${table.scopeWithoutIndex} AND ${table.id} IN (:...ids)`,
  ),
});

/** Removes address and browser together with the name. */
export const EVENT_ERASURE = erasure(event, `, ${event.address} = NULL, ${event.browser} = NULL`);

export const RECEIPT_ERASURE = erasure(receipt);
