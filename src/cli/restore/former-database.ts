import BetterSqlite3 from 'better-sqlite3';
import { loggedRowIn, logMessageOfRow, type LoggedRow } from '../../audit/audit-trail.js';
import type { AuditRow } from '../../audit/audit-row.entity.js';
import { HASH_OF_ROW, ROWS_AFTER } from '../../audit/audit.statements.js';
import type { ChainHead } from '../../audit/chain/chain.js';

const ROWS_PER_STATEMENT = 1000;

export interface DatedLoggedRow extends LoggedRow {
  /** Milliseconds since 1970. */
  readonly time: number;
}

/**
 * Reads the audit rows after the backup's last one from the database that a restore replaces; none if it does not
 * descend from the backup.
 *
 * @throws the driver's error if it cannot be read
 */
export function formerRows(file: string, head: ChainHead): DatedLoggedRow[] {
  const database = new BetterSqlite3(file, { readonly: true, fileMustExist: true });
  const read = (statement: { readonly sql: string; readonly params: readonly unknown[] }) =>
    database.prepare(statement.sql).all(...statement.params);
  try {
    const [known] = read(HASH_OF_ROW.bind({ seq: head.seq })) as { hash: Buffer }[];
    if (head.seq > 0 && !known?.hash.equals(head.hash)) return [];
    const rows: DatedLoggedRow[] = [];
    for (let after = head.seq; ;) {
      const page = read(ROWS_AFTER.bind({ after, limit: ROWS_PER_STATEMENT })) as AuditRow[];
      for (const row of page) {
        const logged = loggedRowIn(logMessageOfRow(row));
        if (logged) rows.push({ ...logged, time: row.at });
      }
      if (page.length < ROWS_PER_STATEMENT) return rows;
      after = page.at(-1)?.seq ?? after;
    }
  } finally {
    database.close();
  }
}
