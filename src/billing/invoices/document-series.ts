import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import type { Step } from '../../platform/database/commit/unit.js';
import { SharedRecords, replaceRecord } from '../../platform/database/shared-records.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { InvoiceEntity, type DocumentKind, type NumberSeries } from './invoice.entity.js';

const NAME = 'documents';
const FORM = /^(S-)?(?:R([1-9]\d{0,3})-)?([1-9]\d{0,14})$/;
const LAST = /^(?:R([1-9]\d{0,3})-)?(0|[1-9]\d{0,14})$/;
/** More lost documents than this indicate a mistyped number. */
const MAX_LOST = 10_000;

/** The number of a stored document, in its series. */
export interface DocumentNumber {
  readonly series: NumberSeries;
  readonly number: number;
}

/** The state of the documents that were sent before a restore. */
interface DocumentRecord {
  /** The epoch in whose series the next document is stored. */
  readonly epoch: number;
  /** Whether the last sent number is not named yet; nothing is stored until then. */
  readonly isOpen: boolean;
  /** Numbers of invoices and credit notes that were sent and are in no backup. */
  readonly lost: readonly (number | string)[];
}

const BEGINNING: DocumentRecord = { epoch: 0, isOpen: false, lost: [] };

/**
 * The series of documents. A restore closes the current one, because its last documents may have been sent and
 * are missing from the backup. The next document is number 1 of a new series, once the last sent number is
 * named.
 */
@Injectable()
export class DocumentSeries {
  constructor(
    @InjectRepository(InvoiceEntity) private readonly invoices: Repository<InvoiceEntity>,
    private readonly records: SharedRecords,
  ) {}

  /**
   * Returns the series of the next document of a kind, and a step that fails if the record has changed.
   *
   * @throws ApiError E0045R after a restore, before the last number is named; except for statements, also while
   *   a document is lost: its month is unknown, and would be charged twice
   */
  async next(kind: DocumentKind) {
    const { epoch, isOpen, lost, text } = await this.find();
    if (isOpen) throw new ApiError('E0045R', 'invoice.lastDocument');
    if (lost.length > 0 && kind !== 'statement') {
      throw new ApiError('E0045R', 'invoice.lost', { numbers: lost.join(', ') });
    }
    return { series: seriesOf(kind, epoch), unchanged: replaceRecord(NAME, text, text) };
  }

  /** Numbers that were sent and are in no backup, until they are re-entered or cancelled. */
  async lost(): Promise<readonly (number | string)[]> {
    const text = await this.records.find(NAME);
    return text === undefined ? [] : (JSON.parse(text) as DocumentRecord).lost;
  }

  /** A step of a restore: nothing is stored until the last document is named. */
  async close(): Promise<Step> {
    const { text, ...record } = await this.find();
    return change(text, { ...record, isOpen: true });
  }

  /**
   * Names the last invoices or credit notes that were sent before a restore.
   *
   * @param numbers `12`, or after an earlier restore `R1-12`, or `12,R1-3`; a `0` says that none of the other series was
   *   sent
   * @param present the number of the current epoch
   * @throws ApiError E0045R if no restore is pending, or a number is impossible
   */
  async nameLast(numbers: string, present: number) {
    const { text, isOpen } = await this.find();
    if (!isOpen) throw new ApiError('E0045R', 'document.noRestore');
    const { latest, lost } = await this.lostAfter(numbers);
    const next = { epoch: Math.max(latest + 1, present), isOpen: false, lost };
    return { ...next, step: change(text, next) };
  }

  /**
   * The latest series of the numbers, and what is lost if they were the last ones sent.
   *
   * @throws ApiError E0045R if a number is impossible, or a series is not named
   */
  async lostAfter(numbers: string) {
    const { epoch, lost } = await this.find();
    const { named, isNoneElse } = lastByEpoch(numbers);
    const latest = Math.max(epoch, ...named.keys());
    const missing = [...lost];
    for (let each = epoch; each <= latest; each += 1) {
      const series = seriesOf('invoice', each);
      const last = named.get(each) ?? (isNoneElse ? 0 : undefined);
      if (last === undefined) throw new ApiError('E0045R', 'document.unnamed', { series });
      const stored = (await this.invoices.maximum('number', { series })) ?? 0;
      if (last < stored) throw new ApiError('E0045R', 'document.kept', { number: `${stored}` });
      if (last - stored > MAX_LOST) throw new ApiError('E0045R', 'document.number');
      for (let number = stored + 1; number <= last; number += 1) {
        missing.push(numberText({ series, number }));
      }
    }
    return { latest, lost: missing };
  }

  /**
   * Returns the step after which a document is no longer lost.
   *
   * @throws ApiError E0044R if it is not lost
   */
  async settle(number: number | string): Promise<Step> {
    const { text, ...record } = await this.find();
    const lost = record.lost.filter((one) => `${one}` !== `${number}`);
    if (lost.length === record.lost.length) throw new ApiError('E0044R', 'document.notLost');
    return change(text, { ...record, lost });
  }

  /** The record, and its text, which must be unchanged when it is replaced. */
  private async find(): Promise<DocumentRecord & { readonly text: string }> {
    const text = await this.records.findOrCreate(NAME, () => JSON.stringify(BEGINNING));
    return { ...(JSON.parse(text) as DocumentRecord), text };
  }
}

const change = (from: string, to: DocumentRecord): Step =>
  replaceRecord(NAME, from, JSON.stringify(to));

/** @throws ApiError E0045R for a text that is not a list of numbers of different series */
function lastByEpoch(numbers: string) {
  const all = numbers.split(',').map((part) => part.trim());
  const parts = all.filter((part) => part !== '0').map((part) => LAST.exec(part));
  const named = new Map(parts.map((part) => [Number(part?.[1] ?? 0), Number(part?.[2])]));
  if (parts.includes(null) || named.size < parts.length) {
    throw new ApiError('E0045R', 'document.number');
  }
  return { named, isNoneElse: parts.length < all.length };
}

/** @param epoch 0 before the first restore; see `DocumentSeries` */
function seriesOf(kind: DocumentKind, epoch: number): NumberSeries {
  if (epoch > 0) return kind === 'statement' ? `S-R${epoch}` : `R${epoch}`;
  return kind === 'statement' ? 'statement' : 'invoice';
}

/** A number in answers, pages and addresses: `12`, `S-12` for a statement, `R1-12` after a restore. */
export function numberText({ series, number }: DocumentNumber): number | string {
  if (series === 'invoice') return number;
  return series === 'statement' ? `S-${number}` : `${series}-${number}`;
}

export function parseNumber(text: string): DocumentNumber | undefined {
  const [, statement, epoch = 0, digits] = FORM.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const series = seriesOf(statement ? 'statement' : 'invoice', Number(epoch));
  return { series, number: Number(digits) };
}
