import { ApiError } from '../platform/errors/api-error.js';
import { ok } from '../platform/http/ok.js';
import type { InvoiceEntity } from './invoices/invoice.entity.js';
import type { Invoice, InvoiceJson, StoredInvoice } from './invoices/invoice.schema.js';
import { DAY_MS, dateOf, monthEndOf, parseDate } from './usage/calendar.js';
import { COUNTING_DELAY_MS } from './usage/roll-up.js';
import type { MonthUsage } from './usage/usage-reader.js';

/** Data that the page shows beside the invoice. */
export interface PageFacts {
  /** The last date that can be requested. */
  readonly today: string;
  /** Months up to the invoice's month, oldest first. */
  readonly trend: readonly MonthUsage[];
  /** Whether further events of the last day may follow. */
  readonly unfinished: boolean;
}

/** A stored answer. It was plain JSON, and serialises to the same bytes again. */
export class StoredAnswer {
  /** @param creditNote the number of the credit note that cancels it, if any */
  constructor(
    readonly row: Pick<InvoiceEntity, 'body' | 'digest' | 'xml' | 'xmlDigest'>,
    readonly creditNote?: number | string,
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

interface AnswerParts {
  readonly page?: PageFacts | undefined;
  readonly stored?: readonly Invoice[];
  readonly foundStored?: number;
}

/** The answer of an invoice; the data for its page are not part of its JSON. */
export class InvoiceAnswer {
  readonly page: PageFacts | undefined;
  /** The documents that the call stored, or found stored. */
  readonly stored: readonly StoredInvoice[] | undefined;
  /** How many of `stored` were stored before. */
  readonly foundStored: number;

  constructor(
    readonly invoice: Invoice,
    { page, stored, foundStored = 0 }: AnswerParts = {},
  ) {
    this.page = page;
    this.foundStored = foundStored;
    this.stored = stored?.map(storedOf);
  }

  toJSON(): InvoiceJson {
    const { invoice, stored } = this;
    const notice = stored?.some(({ kind }) => kind === 'statement') && noticeOf(invoice);
    return ok({ invoice, ...(stored && { stored }), ...(notice && { notice }) });
  }
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

const storedOf = ({ tenants, kind = 'invoice', number = '', total }: Invoice): StoredInvoice => ({
  tenant: tenants[0]?.tenant ?? '',
  kind,
  number,
  total,
});
