import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Database } from '../../platform/database/database.js';
import { phrase, type Phrase } from '../../platform/pages/languages/phrase.js';
import { ROWS_AFTER } from '../audit.statements.js';
import type { AuditRow } from '../audit-row.entity.js';
import { RecordedErasures } from '../erasure/erased-rows.js';
import type { AuditKey } from './audit-head.js';
import { GENESIS, KEY_CHANGE, hashOfRow, keyChangeText, type Head } from './chain.js';

const PAGE = 1000;

/** Yields the rows after a given one, page by page, in constant memory; other tasks run in between. */
export async function* auditRowsAfter(database: Database, seq: number): AsyncGenerator<AuditRow> {
  for (let after = seq; ;) {
    const page = await database.query(ROWS_AFTER, { after, limit: PAGE });
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1)?.seq ?? after;
    await yieldToEventLoop();
  }
}

/** Walks along the chain, row by row, and collects the facts about its seals. */
export class ChainWalk {
  last: Head = GENESIS;
  sealedFrom: Head | undefined;
  /** The last row that the key has sealed, if another key replaced it. */
  sealedTo: Head | undefined;
  readonly erasures = new RecordedErasures();

  constructor(private readonly key: AuditKey | null) {}

  /** @returns the fault of the next row; if there is none, the walk continues after it */
  step(row: AuditRow): Phrase | undefined {
    const fault = faultOf(row, this.last) ?? this.faultOfKeyChange(row);
    if (fault !== undefined) return fault;
    this.last = row;
    this.erasures.add(row);
    return undefined;
  }

  private faultOfKeyChange(row: AuditRow): Phrase | undefined {
    if (row.action !== KEY_CHANGE || !this.key) return undefined;
    const fingerprint = row.target?.toString('utf8') ?? '';
    if (fingerprint === this.key.fingerprint) this.sealedFrom = row;
    const { before, seal } = JSON.parse(row.detail) as Record<string, unknown>;
    if (before !== this.key.fingerprint) return undefined;
    if (!this.key.hasSealed(keyChangeText(this.last, fingerprint), String(seal))) {
      return phrase('audit:faults.keyNotSealed', { row: row.seq, key: this.key.fingerprint });
    }
    this.sealedTo = this.last;
    return undefined;
  }
}

/** The fault of a row that should follow another. */
function faultOf(row: AuditRow, last: Head): Phrase | undefined {
  const { seq } = row;
  if (seq !== last.seq + 1) return phrase('audit:faults.missing', { row: last.seq + 1, next: seq });
  if (!isItself(row)) return phrase('audit:faults.altered', { row: seq });
  if (!row.previousHash.equals(last.hash))
    return phrase('audit:faults.notFollowing', { row: seq, last: last.seq });
  if (row.at < last.at) return phrase('audit:faults.older', { row: seq, last: last.seq });
  return undefined;
}

/** Whether a row matches its own hash. An erased row has only the hash left, and a later row must have erased it. */
const isItself = (row: AuditRow): boolean =>
  row.erasedBy === null ? hashOfRow(row).equals(row.hash) : row.erasedBy > row.seq;
