import { ok } from '../http/ok.js';
import type { Invoice, InvoiceJson } from './invoice.schema.js';
import type { MonthUsage } from './usage-reader.js';

/** What the page shows beside the invoice. */
export interface PageFacts {
  /** The last date that can be asked for. */
  readonly today: string;
  /** Months up to the invoice's own, oldest first. */
  readonly trend: readonly MonthUsage[];
  /** Events of its last day may still come. */
  readonly unfinished: boolean;
}

/** The answer of an invoice; the facts for its page are no part of its JSON. */
export class InvoiceAnswer {
  constructor(
    readonly invoice: Invoice,
    readonly page?: PageFacts,
  ) {}

  toJSON(): InvoiceJson {
    return ok({ invoice: this.invoice });
  }
}

/** A stored answer, read again. */
export const answerOf = (body: string): InvoiceAnswer =>
  new InvoiceAnswer((JSON.parse(body) as { invoice: Invoice }).invoice);
