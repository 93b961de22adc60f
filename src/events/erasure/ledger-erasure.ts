import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { padded } from '../../platform/database/padded.js';
import { scopeParams } from '../../platform/database/scope.js';
import type { ScopeOwner } from '../../platform/database/scope.js';
import {
  EVENTS_OF_NAME,
  RECEIPTS_OF_NAME,
  renameEvents,
  renameReceipts,
} from './erasure.statements.js';

/** Rows of one unit; sign-ins go on in between. */
const BATCH = 200;
const PAUSE_MS = 5;

/** A name that a pseudonym replaces in the ledger. */
interface Replaced {
  /** In NFC. */
  readonly name: string;
  readonly pseudonym: string;
  /** Milliseconds since 1970; what happened later under this name concerns somebody else. */
  readonly until: number;
}

/**
 * Replaces a name by a pseudonym in events and in receipts of transactions. Figures counted from events use
 * the user's random ID, so they do not change.
 */
@Injectable()
export class LedgerErasure {
  constructor(private readonly database: Database) {}

  /** @returns how many events had the name; after an interruption it can simply be called again */
  async replace(rp: ScopeOwner, replaced: Replaced): Promise<number> {
    await this.each(rp, replaced, { find: RECEIPTS_OF_NAME, rename: renameReceipts });
    return this.each(rp, replaced, { find: EVENTS_OF_NAME, rename: renameEvents });
  }

  private async each(
    rp: ScopeOwner,
    { name, pseudonym, until }: Replaced,
    { find, rename }: { find: string; rename: (ids: readonly unknown[]) => string },
  ): Promise<number> {
    const query = this.database.query<{ id: Buffer }>(find, { patienceMs: 30_000 });
    for (let replaced = 0; ;) {
      const rows = await query.all(...scopeParams(rp), Buffer.from(name), until, BATCH);
      if (rows.length === 0) return replaced;
      const ids = padded(rows.map(({ id }) => id));
      const params = [Buffer.from(pseudonym), ...scopeParams(rp), ...ids];
      await this.database.commit([{ sql: rename(ids), params }], { background: true });
      replaced += rows.length;
      await pause(PAUSE_MS);
    }
  }
}
