import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { withoutTurns, type ReadTurn } from '../../platform/common/turns/read-turns.js';
import { Database } from '../../platform/database/database.js';
import { SharedRecords } from '../../platform/database/shared-records.js';
import { phrase, type Phrase } from '../../platform/pages/languages/phrase.js';
import type { AuditRow } from '../audit-row.entity.js';
import { ROWS_AFTER } from '../audit.statements.js';
import { RecordedErasures } from '../erasure/erased-rows.js';
import {
  AuditHead,
  HEAD_RECORD,
  faultOfSeal,
  parseHeadRecord,
  type AuditKey,
  type HeadRecord,
} from './audit-head.js';
import { GENESIS, KEY_CHANGE, hashOfRow, keyChangeText, type ChainHead } from './chain.js';

const ROWS_PER_STATEMENT = 1000;

export interface ChainVerdict {
  /** The number of valid rows from the first one on. An erased row is only checked for its position. */
  readonly good: number;
  /** The last valid row: its number and hash, to be recorded elsewhere. */
  readonly head: ChainHead;
  /** The fingerprint of the key that seals the trail, whether or not the key is available. */
  readonly sealedBy?: string;
  /** The rows that the available key proves; absent without a key. */
  readonly sealed?: { readonly from?: ChainHead | undefined; readonly to: ChainHead };
  /** The fault of the row after the valid ones; absent if there is none. */
  readonly fault?: Phrase;
  /** Set if the time was over before the last row. */
  readonly isPartial?: true;
}

/** Walks the chain of the audit trail and detects altered, removed and inserted rows. */
@Injectable()
export class AuditVerifier {
  constructor(
    private readonly database: Database,
    private readonly records: SharedRecords,
    private readonly head: AuditHead,
  ) {}

  /**
   * Verifies the chain slice by slice, in constant memory. Rows may be appended during the verification.
   *
   * @param expected a hash that was recorded earlier: a chain that was rewritten as a whole does not contain
   *   it
   * @param until the time by `performance.now()` at which the verification stops; it verifies at least one row
   */
  async verify(expected?: Buffer, until = Infinity): Promise<ChainVerdict> {
    let found = await this.walked(expected, until);
    let lastErasure = 0;
    // A user may have been erased during the walk: in rows read before, by a row read afterwards.
    while (
      !found.verdict.isPartial &&
      found.walk.erasures.fault() &&
      found.walk.erasures.last !== lastErasure
    ) {
      lastErasure = found.walk.erasures.last;
      found = await this.walked(expected, until);
    }
    return found.verdict;
  }

  private async walked(
    expected: Buffer | undefined,
    until: number,
  ): Promise<{ readonly verdict: ChainVerdict; readonly walk: ChainWalk }> {
    const walk = new ChainWalk(this.head.key);
    const wanted: WalkAim = { expected, until };
    let before = -1;
    let found = await this.walkOn(walk, wanted);
    // The record is ahead if rows were appended in the meantime, or if rows are missing at the end.
    while (
      !found.fault &&
      !found.isOver &&
      (found.record?.head.seq ?? 0) > walk.last.seq &&
      walk.last.seq > before
    ) {
      before = walk.last.seq;
      found = await this.walkOn(walk, wanted);
    }
    const { record } = found;
    if (found.isOver) {
      return { verdict: { good: walk.last.seq, head: walk.last, isPartial: true }, walk };
    }
    const fault =
      found.fault ??
      faultOfEnd(record, walk.last) ??
      this.faultOfSeal(record, walk) ??
      walk.erasures.fault() ??
      faultOfExpected(wanted, walk);
    const verdict = verdictOf(walk, record, { fault, hasKey: this.head.key !== null });
    return { verdict, walk };
  }

  /** Walks to the last row, and then reads the record, which is therefore never older than the rows. */
  private async walkOn(walk: ChainWalk, wanted: WalkAim) {
    let fault: Phrase | undefined;
    let isOver = false;
    for await (const row of auditRowsAfter(this.database, walk.last.seq)) {
      fault = walk.step(row);
      if (fault !== undefined) break;
      noteHash(wanted, row);
      isOver = performance.now() >= wanted.until;
      if (isOver) break;
    }
    const text = await this.records.find(HEAD_RECORD);
    return { fault, isOver, record: text === undefined ? undefined : parseHeadRecord(text) };
  }

  /** The fault of the record's seal. A replaced key still proves the earlier rows: the chain contains its approval. */
  private faultOfSeal(record: HeadRecord | undefined, walk: ChainWalk): Phrase | undefined {
    const { key } = this.head;
    if (!key || !record) return undefined;
    const followed = walk.sealedTo && record.seal?.fingerprint !== key.fingerprint;
    return followed ? undefined : faultOfSeal(record, key);
  }
}

/** The hash that is still to be found, the erased row that claims it, and the time at which the walk stops. */
interface WalkAim {
  expected: Buffer | undefined;
  erased?: number;
  readonly until: number;
}

function noteHash(wanted: WalkAim, row: AuditRow): void {
  if (!wanted.expected?.equals(row.hash)) return;
  // An erased row only claims its hash: a forged trail can claim any.
  if (row.erasedBy === null) wanted.expected = undefined;
  else wanted.erased = row.seq;
}

/** An erased row counts only if the key has sealed it, because it no longer matches its hash. */
function faultOfExpected({ expected, erased }: WalkAim, walk: ChainWalk): Phrase | undefined {
  if (!expected) return undefined;
  if (erased === undefined) return phrase('audit:faults.notExpected');
  if (walk.sealedFrom && erased > walk.sealedFrom.seq) return undefined;
  return phrase('audit:faults.expectedErased', { row: erased });
}

function faultOfEnd(record: HeadRecord | undefined, last: ChainHead): Phrase | undefined {
  if (!record) return last.seq > 0 ? phrase('audit:faults.noRecord') : undefined;
  const { seq, hash } = record.head;
  if (seq < last.seq) return phrase('audit:faults.inserted', { row: seq + 1, last: seq });
  const isThere = seq === last.seq && hash.equals(last.hash);
  return isThere ? undefined : phrase('audit:faults.missingOrOther', { row: seq });
}

function verdictOf(
  walk: ChainWalk,
  record: HeadRecord | undefined,
  { fault, hasKey }: { readonly fault: Phrase | undefined; readonly hasKey: boolean },
): ChainVerdict {
  const { last, sealedFrom, sealedTo } = walk;
  const verdict = {
    good: last.seq,
    head: last,
    ...(record?.seal ? { sealedBy: record.seal.fingerprint } : {}),
  };
  if (fault !== undefined) return { ...verdict, fault };
  if (!hasKey) return verdict;
  return { ...verdict, sealed: { from: sealedFrom, to: sealedTo ?? last } };
}

/** Walks along the chain, row by row, and collects the facts about its seals. */
class ChainWalk {
  last: ChainHead = GENESIS;
  sealedFrom: ChainHead | undefined;
  /** The last row that the key has sealed, if another key replaced it. */
  sealedTo: ChainHead | undefined;
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
function faultOf(row: AuditRow, last: ChainHead): Phrase | undefined {
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

/**
 * Yields the rows after a given one, slice by slice, in constant memory; other tasks run in between.
 *
 * @param turn reads a slice when its turn comes
 */
export async function* auditRowsAfter(
  database: Database,
  seq: number,
  turn: ReadTurn = withoutTurns,
): AsyncGenerator<AuditRow> {
  for (let after = seq; ;) {
    const from = { after, limit: ROWS_PER_STATEMENT };
    const slice = await turn(() => database.query(ROWS_AFTER, from));
    yield* slice;
    if (slice.length < ROWS_PER_STATEMENT) return;
    after = slice.at(-1)?.seq ?? after;
    await yieldToEventLoop();
  }
}
