import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../platform/database/database.js';
import { scope, type ScopeOwner } from '../../platform/database/scope.js';
import { NO_ID } from '../../platform/database/row-ids.js';
import { EVENT_ERASURE, RECEIPT_ERASURE } from './erasure.statements.js';

/** A name that a user has, or had for a time. */
export interface ErasedName {
  /** In NFC. */
  readonly name: string;
  readonly pseudonym: string;
  /** The user's ID; zeros if the user was deleted before. */
  readonly userId: Buffer;
  /** Milliseconds since 1970; earlier events under this name belong to another user. */
  readonly since: number;
  /** Milliseconds since 1970; later events under this name belong to another user. */
  readonly until: number;
}

/** Sign-ins continue between units. */
const ROWS_PER_UNIT = 200;
const PAUSE_MS = 5;

/**
 * Replaces a name with a pseudonym in events and in receipts of transactions. Figures counted from events
 * use the user's random ID, so they do not change.
 *
 * @returns the number of events with the name; after an interruption it can be called again
 */
export async function eraseFromLedger(
  database: Database,
  rp: ScopeOwner,
  erased: ErasedName,
): Promise<number> {
  await replaceEach(database, rp, erased, RECEIPT_ERASURE);
  return replaceEach(database, rp, erased, EVENT_ERASURE);
}

async function replaceEach(
  database: Database,
  rp: ScopeOwner,
  { name, pseudonym, ...whose }: ErasedName,
  { find, rename }: typeof EVENT_ERASURE,
): Promise<number> {
  const username = Buffer.from(name);
  const params = { ...scope(rp), ...whose, username, nobody: NO_ID, limit: ROWS_PER_UNIT };
  for (let replaced = 0; ;) {
    const rows = await database.query(find, params);
    if (rows.length === 0) return replaced;
    const ids = rows.map(({ id }) => id);
    const step = rename.step({ ...scope(rp), pseudonym: Buffer.from(pseudonym), ids });
    await database.store([step], { background: true });
    replaced += rows.length;
    await pause(PAUSE_MS);
  }
}
