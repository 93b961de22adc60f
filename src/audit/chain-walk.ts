import type { AuditKey } from './audit-key.js';
import type { AuditRow } from './audit-row.js';
import { GENESIS, KEY_CHANGE, hashOfRow, keyChangeText } from './chain.js';
import type { Head } from './chain.js';

/** Walks along the chain, row by row, and remembers what its seals say. */
export class ChainWalk {
  /** The last good row. */
  last: Head = GENESIS;
  /** The row from which on the key seals. */
  sealedFrom: Head | undefined;
  /** The last row that the key has sealed, where another one took its place. */
  sealedTo: Head | undefined;

  constructor(private readonly key: AuditKey | null) {}

  /** @returns what is wrong with the next row; where nothing is, the walk goes on behind it */
  step(row: AuditRow): string | undefined {
    const fault = faultOf(row, this.last) ?? this.faultOfKeyChange(row);
    if (fault === undefined) this.last = row;
    return fault;
  }

  private faultOfKeyChange(row: AuditRow): string | undefined {
    if (row.action !== KEY_CHANGE || !this.key) return undefined;
    const fingerprint = row.target?.toString('utf8') ?? '';
    if (fingerprint === this.key.fingerprint) this.sealedFrom = row;
    const { before, seal } = JSON.parse(row.detail) as Record<string, unknown>;
    if (before !== this.key.fingerprint) return undefined;
    if (!this.key.hasSealed(keyChangeText(this.last, fingerprint), String(seal))) {
      return `row ${row.seq} puts another key in the place of ${before}, which did not seal it`;
    }
    this.sealedTo = this.last;
    return undefined;
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
