import type { RowDataPacket } from 'mysql2';
import type { Value } from '../commit/unit.js';

/** A statement that only reads, and where its rows go. */
export interface Read {
  readonly sql: string;
  readonly params: readonly Value[];
  readonly take: (rows: RowDataPacket[]) => void;
}

/** A row of a union, and of which read it is. */
type NthRow = RowDataPacket & { readonly nth: number };

/** The parts of a read, whose own subqueries stay as they are. */
const EACH_SELECT = /(^|\bUNION ALL )SELECT\b/g;

/** By the text of the single read: itself, two of it as one, three … */
const unions = new Map<string, string[]>();

/**
 * Reads of one text as one statement, whose rows say by `nth` whose they are: mysql2 spends more on
 * taking in a further result (19 to 34 µs) than on its rows. So they stand in no order.
 *
 * @param reads of fixed texts, each a SELECT, or a UNION ALL of some, that sorts nothing
 */
export function alikeTogether(reads: readonly Read[]): readonly Read[] {
  if (reads.length < 2) return reads;
  const alike = new Map<string, Read[]>();
  for (const read of reads) {
    const same = alike.get(read.sql);
    if (same) same.push(read);
    else alike.set(read.sql, [read]);
  }
  return [...alike].flatMap(([sql, same]) => (same.length === 1 ? same : unionOf(sql, same)));
}

function unionOf(sql: string, reads: readonly Read[]): Read {
  return {
    sql: unionText(sql, reads.length),
    params: reads.flatMap(({ params }) => params),
    take: (rows) => {
      const rowsOf: RowDataPacket[][] = reads.map(() => []);
      for (const { nth, ...row } of rows as NthRow[]) rowsOf[nth]?.push(row as RowDataPacket);
      reads.forEach(({ take }, n) => take(rowsOf[n] ?? []));
    },
  };
}

function unionText(sql: string, count: number): string {
  const texts = unions.get(sql) ?? [];
  unions.set(sql, texts);
  return (texts[count] ??= Array.from({ length: count }, (_, n) =>
    sql.replaceAll(EACH_SELECT, `$1SELECT ${n} AS nth,`),
  ).join(' UNION ALL '));
}
