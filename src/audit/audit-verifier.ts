import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { SecretStore } from '../database/secret-store.js';
import { HEAD } from './audit-log.js';
import { AUDIT_COLUMNS } from './audit-row.js';
import type { AuditRow } from './audit-row.js';
import { GENESIS, hashOfRow, headOf } from './chain.js';
import type { Head } from './chain.js';

const PAGE = 1000;

export interface Verdict {
  /** How many rows from the first one on are good. */
  readonly good: number;
  /** The last good row: its number and hash, to be noted elsewhere. */
  readonly head: Head;
  /** What is wrong with the row behind them; absent where nothing is. */
  readonly fault?: string;
}

/** Walks the chain of the audit trail and finds where rows were altered, removed or put in. */
@Injectable()
export class AuditVerifier {
  constructor(
    private readonly database: Database,
    private readonly secrets: SecretStore,
  ) {}

  /**
   * Reads page by page, in flat memory. Rows that are appended meanwhile do no harm.
   *
   * @param expected a hash that the chain must hold: noted earlier, it shows a chain that was
   *   written anew as a whole
   */
  async verify(expected?: Buffer): Promise<Verdict> {
    const record = await this.secrets.find(HEAD);
    const kept = record === undefined ? GENESIS : headOf(record);
    const sought = { kept: kept.seq > 0, expected: expected !== undefined };
    let last = GENESIS;
    for await (const row of this.rows()) {
      const fault = faultOf(row, last);
      if (fault) return { good: last.seq, head: last, fault };
      last = row;
      if (row.seq === kept.seq && row.hash.equals(kept.hash)) sought.kept = false;
      if (expected?.equals(row.hash)) sought.expected = false;
    }
    const verdict = { good: last.seq, head: last };
    if (record === undefined && last.seq > 0) {
      return { ...verdict, fault: 'the record of the last row is missing' };
    }
    if (sought.kept) return { ...verdict, fault: `row ${kept.seq} is missing or is another` };
    return sought.expected ? { ...verdict, fault: 'no row has the expected hash' } : verdict;
  }

  private async *rows(): AsyncGenerator<AuditRow> {
    const query = this.database.query<AuditRow>(
      `SELECT ${AUDIT_COLUMNS.join(', ')} FROM audit WHERE seq > ? ORDER BY seq LIMIT ${PAGE}`,
    );
    let after = 0;
    for (;;) {
      const page = await query.all(after);
      yield* page;
      after = page.at(-1)?.seq ?? after;
      if (page.length < PAGE) return;
    }
  }
}

/** What is wrong with a row that should come right behind another. */
function faultOf(row: AuditRow, last: Head): string | undefined {
  const { seq } = row;
  if (seq !== last.seq + 1) return `row ${last.seq + 1} is missing: the next one is ${seq}`;
  if (!hashOfRow(row).equals(row.hash)) return `row ${seq} was altered`;
  if (!row.previous_hash.equals(last.hash)) return `row ${seq} does not follow row ${last.seq}`;
  if (row.at < last.at) return `row ${seq} is older than row ${last.seq}`;
  return undefined;
}
