import { createHmac, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import { PartialUnit, RecordAdvance, type Step } from '../../platform/database/commit/unit.js';
import { SharedRecords, replaceRecord, setRecord } from '../../platform/database/shared-records.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { plainText } from '../../platform/pages/languages/languages.js';
import { phrase, type Phrase } from '../../platform/pages/languages/phrase.js';
import type { AuditRow } from '../audit-row.entity.js';
import { APPEND_ROW } from '../audit.statements.js';
import { GENESIS, chainHead, headText, type ChainHead } from './chain.js';

/**
 * A secret outside the database. It seals the record of the chain's last row, whose hash covers all rows
 * before it: an attacker who can only write to the database cannot substitute another chain.
 */
export class AuditKey {
  /** Identifies the key without revealing the secret. */
  readonly fingerprint: string;

  constructor(private readonly secret: Buffer) {
    this.fingerprint = this.mac('fingerprint').slice(0, 16);
  }

  /** HMAC-SHA256 (RFC 2104), in hexadecimal. */
  seal(text: string): string {
    return this.mac(`seal ${text}`);
  }

  hasSealed(text: string, seal: string): boolean {
    const given = Buffer.from(seal);
    const right = Buffer.from(this.seal(text));
    return given.length === right.length && timingSafeEqual(given, right);
  }

  private mac(text: string): string {
    return createHmac('sha256', this.secret).update(text).digest('hex');
  }
}

/**
 * The name of the head's record in `secrets`: stored separately from the rows, it reveals a chain that lost its
 * end.
 */
export const HEAD_RECORD = 'audit-head';

/** The record of the newest row: `SEQ AT HASH`; in a sealed chain also the key's fingerprint and the seal. */
export interface HeadRecord {
  readonly text: string;
  readonly head: ChainHead;
  readonly seal?: { readonly fingerprint: string; readonly mac: string };
}

export function parseHeadRecord(text: string): HeadRecord {
  const [, , , fingerprint, mac = ''] = text.split(' ');
  return { text, head: chainHead(text), ...(fingerprint ? { seal: { fingerprint, mac } } : {}) };
}

export function recordText(head: ChainHead, key: AuditKey | null): string {
  const text = headText(head);
  return key ? `${text} ${key.fingerprint} ${key.seal(text)}` : text;
}

/** Why a process with this key, or none, must not append rows after a record; `undefined` if it may. */
export function faultOfSeal({ head, seal }: HeadRecord, key: AuditKey | null): Phrase | undefined {
  if (!seal) return key ? phrase('audit:faults.notSealed') : undefined;
  const { fingerprint, mac } = seal;
  if (!key) return phrase('audit:faults.keyNeeded', { key: fingerprint });
  if (fingerprint !== key.fingerprint) {
    return phrase('audit:faults.otherKey', { key: fingerprint, own: key.fingerprint });
  }
  if (key.hasSealed(headText(head), mac)) return undefined;
  return phrase('audit:faults.wrongSeal', { key: fingerprint });
}

/** Stores the record of the newest row, so that all instances append at one place. */
@Injectable()
export class AuditHead {
  private readonly stored = {
    lock: () => this.records.lock(HEAD_RECORD),
    set: (value: string) => setRecord(HEAD_RECORD, value),
  };

  constructor(
    private readonly records: SharedRecords,
    @Optional() @Inject(AuditKey) readonly key: AuditKey | null,
  ) {}

  /** Reads the stored record, regardless of its key; a new database gets a record without a row. */
  async record(): Promise<HeadRecord> {
    return parseHeadRecord(
      await this.records.findOrCreate(HEAD_RECORD, () => recordText(GENESIS, null)),
    );
  }

  /**
   * Reads the last row, after which the next one is appended.
   *
   * @throws ApiError E0052R if it is sealed with a key that this process does not have, or is not sealed with
   *   the one that it has
   */
  async read(): Promise<ChainHead> {
    const record = await this.record();
    const fault = faultOfSeal(record, this.key);
    if (fault === undefined) return record.head;
    Logger.error(`No row can be written: ${plainText('en', fault)}.`, 'Audit');
    throw new ApiError('E0052R', record.seal ? 'audit.stopped' : 'audit.notSealed');
  }

  /**
   * Returns the end of a unit that appends rows. The unit does not apply if `read` would throw.
   *
   * @param seal creates the rows after the last one, at least one
   * @param onMissing called if there is no record, which `read` creates; the unit does not apply
   */
  append(seal: (last: ChainHead) => readonly AuditRow[], onMissing: () => void): RecordAdvance {
    const follow = (text: string) => {
      const record = parseHeadRecord(text);
      if (faultOfSeal(record, this.key) !== undefined) throw new PartialUnit();
      const rows = seal(record.head);
      const steps = rows.map((row) => APPEND_ROW.step(row));
      return { steps, value: recordText(rows.at(-1) ?? record.head, this.key) };
    };
    return new RecordAdvance(this.stored, follow, onMissing);
  }

  /**
   * A step that advances the record by compare-and-set: nothing of its unit is stored if another instance has
   * advanced it.
   */
  advance(from: ChainHead, to: ChainHead): Step {
    return advanceHead(recordText(from, this.key), recordText(to, this.key));
  }
}

export const advanceHead = (from: string, to: string): Step => replaceRecord(HEAD_RECORD, from, to);
