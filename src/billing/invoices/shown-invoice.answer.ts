import { ApiError } from '../../platform/errors/api-error.js';
import { ok } from '../../platform/http/ok.js';
import { DAY_MS } from '../../platform/common/durations.js';
import { dateOf, monthEndOf, parseDate } from '../usage/calendar.js';
import { COUNTING_DELAY_MS } from '../usage/roll-up.js';
import type { MonthUsage } from '../usage/usage-reader.js';
import type { Invoice, InvoiceJson, StoredInvoice } from './invoice.answer.js';
import type { InvoiceEntity } from './invoice.entity.js';

/** Data that the page shows beside the invoice. */
export interface PageFacts {
  /** The last date that can be requested. */
  readonly today: string;
  /** Months up to the invoice's month, oldest first. */
  readonly trend: readonly MonthUsage[];
  /** Whether further events of the last day may follow. */
  readonly unfinished: boolean;
}

/** An answer; the members beside those of its JSON are only present for its page. */
export interface ShownInvoice extends InvoiceJson {
  readonly page?: PageFacts | undefined;
  /** The number of stored invoices of its month without cancelled ones. */
  readonly invoiced?: number;
  /** The issuer's logo, as a `data:` URL. */
  readonly logo?: string | undefined;
}

/** The outcome of storing invoices. */
export interface IssuedDocuments {
  /** The only stored invoice if one tenant was requested, otherwise one over all tenants. */
  readonly invoice: Invoice;
  /** The documents that the call stored, or found stored. */
  readonly stored: readonly StoredInvoice[];
  /** How many of `stored` this call did not store: they were stored before, or by another call at the same time. */
  readonly foundStored: number;
}

/** A stored answer. It was plain JSON, and serialises to the same bytes again. */
export class StoredAnswer {
  /**
   * @param creditNote the number of the credit note that cancels it, if any
   * @param logo for its page: the issuer's, as a `data:` URL
   */
  constructor(
    readonly row: Pick<InvoiceEntity, 'body' | 'digest' | 'xml' | 'xmlDigest'>,
    readonly creditNote?: number | string,
    readonly logo?: string,
  ) {}

  get invoice(): Invoice {
    return this.toJSON().invoice;
  }

  toJSON(): InvoiceJson {
    return JSON.parse(this.row.body.toString('utf8')) as InvoiceJson;
  }
}

/** @throws ApiError E0045R (406) if there is no electronic document */
export function electronicBytes({ row: { xml } }: StoredAnswer): Buffer {
  if (xml) return xml;
  throw new ApiError('E0045R', 'invoice.notElectronic', {}, { status: 406 });
}

/** The answer of a call that stored documents. */
export function issuedAnswer({ invoice, stored }: IssuedDocuments): InvoiceJson {
  const isStatement = stored.some(({ kind }) => kind === 'statement');
  return ok({ invoice, stored, ...(isStatement && { notice: noticeOf(invoice) }) });
}

/** Says that a statement is not an invoice, and how to get the invoice. */
function noticeOf({ date }: Invoice): string {
  const end = monthEndOf(parseDate(date) ?? 0);
  const from = new Date((end + 1) * DAY_MS + COUNTING_DELAY_MS).toISOString().slice(0, 16);
  return (
    'Stored as a statement, which charges nothing. To store the invoice of the month, call with ' +
    `date=${dateOf(end)}&invoicelog=yes, from ${from}Z on.`
  );
}
