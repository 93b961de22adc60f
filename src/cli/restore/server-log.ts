import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { witnessIn, type Witness } from '../../audit/audit-log.js';
import type { Head } from '../../audit/chain/chain.js';

interface LoggedWitness extends Witness {
  /** Milliseconds since 1970. */
  readonly time: number;
}

export interface LoggedChanges {
  /** A line for each revoked key or right and each deleted user, oldest first. */
  readonly revoked: readonly string[];
  /** Why the list may be incomplete; `undefined` if the log has every row from the backup to its own end. */
  readonly gap: string | undefined;
}

/**
 * Reads the server's log, or the concatenated logs of several instances.
 *
 * @param head the last row of the audit trail in the backup
 * @throws Error if the file cannot be read
 */
export async function readChanges(file: string, head: Head): Promise<LoggedChanges> {
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity });
  const rows: LoggedWitness[] = [];
  let hasHead = false;
  for await (const line of lines) {
    const row = line.includes('"Audit"') ? rowIn(line) : undefined;
    if (!row) continue;
    if (row.seq > head.seq) rows.push(row);
    else hasHead ||= row.seq === head.seq && row.hash === head.hash.toString('hex');
  }
  rows.sort((a, b) => a.seq - b.seq || a.time - b.time);
  return { revoked: rows.flatMap(lineOf), gap: gapIn(rows, head, hasHead) };
}

function gapIn(
  rows: readonly LoggedWitness[],
  { seq }: Head,
  hasHead: boolean,
): string | undefined {
  const seqs = new Set(rows.map((row) => row.seq));
  const last = rows.at(-1)?.seq ?? seq;
  for (let next = seq + 1; next <= last; next += 1) {
    if (!seqs.has(next)) return `the log lacks row ${next} of the audit trail`;
  }
  // A log that begins with the next row was rotated just in time.
  return hasHead || last > seq ? undefined : 'the log does not reach back to the backup';
}

function rowIn(line: string): LoggedWitness | undefined {
  try {
    const { time, context, msg } = JSON.parse(line) as Record<string, unknown>;
    const row = context === 'Audit' && typeof msg === 'string' ? witnessIn(msg) : undefined;
    return row && { ...row, time: Number(time) };
  } catch {
    return undefined; // a line that was cut off
  }
}

const lineOf = ({ time, revoked }: LoggedWitness): string[] =>
  revoked ? [`${new Date(time).toISOString()} ${revoked.action} ${revoked.facts}`] : [];
