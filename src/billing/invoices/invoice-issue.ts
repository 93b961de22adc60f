import { Injectable } from '@nestjs/common';
import type { ChangingCall } from '../../audit/audited.js';
import { Clock } from '../../platform/common/clock.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { electronicXml } from '../electronic/electronic.js';
import { Prices } from '../pricing/price-list.js';
import type { IssuedDocuments } from './shown-invoice.answer.js';
import { numberText, type DocumentNumber } from './document-series.js';
import { DocumentStore, parseStoredInvoice, type NumberedDocument } from './document-store.js';
import { creditNoteOf, draftOf, type Draft } from './drafts.js';
import { InvoiceComputation } from './invoice-computation.js';
import type { Invoice, StoredInvoice } from './invoice.answer.js';
import { DocumentReader } from './document-reader.js';

/** Stores invoices, each for one tenant, and their credit notes. */
@Injectable()
export class InvoiceIssue {
  constructor(
    private readonly computation: InvoiceComputation,
    private readonly clock: Clock,
    private readonly prices: Prices,
    private readonly documents: DocumentStore,
    private readonly documentReader: DocumentReader,
  ) {}

  /**
   * Stores the invoice of a tenant, even if it charges nothing; without a tenant, the invoices of all
   * tenants that are charged.
   *
   * @throws ApiError E0045R as `electronicXml`, before anything is stored
   */
  async issue(call: ChangingCall, day: number, tenant?: string): Promise<IssuedDocuments> {
    const usage = await this.computation.usage(day, call.account, tenant);
    const drafts: { draft: Draft; found: Invoice | undefined }[] = [];
    for (const one of usage) {
      const invoice = this.computation.invoiceOf(day, [one]);
      const isCharged = invoice.tenants.some(({ lines }) => lines.length > 0);
      if (!isCharged && tenant === undefined) continue;
      const draft = draftOf(invoice, {
        day,
        tenantId: one.id,
        booking: this.prices.booking,
        now: this.clock.now(),
        cancelled: await this.documents.cancelled(one.id, invoice.date),
      });
      const found = await this.documents.find(draft);
      // Refuses an incomplete draft before any is stored. Any number will do: the real one is not known yet.
      if (!found) electronicXml({ ...draft.invoice, number: 1 });
      drafts.push({ draft, found });
    }
    const documents: NumberedDocument[] = [];
    // Sequentially: each number is one more than the last.
    for (const { draft, found } of drafts) {
      const document = found && { invoice: found, isNew: false };
      documents.push(document ?? (await this.documents.store(call, draft)));
    }
    const [only] = tenant !== undefined && documents.length === 1 ? documents : [];
    const invoice = only?.invoice ?? this.computation.invoiceOf(day, usage);
    const foundStored = documents.filter(({ isNew }) => !isNew).length;
    const numbers = documents.map((one) => one.invoice.number).join(', ');
    // For the row of a call that has stored no document.
    call.about({ target: invoice.date, tenant, detail: { numbers } });
    return { invoice, stored: documents.map((one) => storedOf(one.invoice)), foundStored };
  }

  /**
   * Stores the credit note of an invoice; a second call returns the first one.
   *
   * @throws ApiError E0044R if there is no such number; E0045R for a statement or a credit note
   */
  async cancel(
    call: ChangingCall,
    number: DocumentNumber,
    reason: string,
  ): Promise<NumberedDocument> {
    const row = await this.documentReader.find(call.account, number);
    if (!row) throw new ApiError('E0044R', 'invoice.unknown');
    const { kind, tenantId } = row;
    if (kind !== 'invoice') throw new ApiError('E0045R', 'invoice.notInvoice');
    if (tenantId === null) throw new ApiError('E0045R', 'invoice.several');
    const invoice = { ...parseStoredInvoice(row.body), number: numberText(row) };
    const draft = creditNoteOf(invoice, { tenantId, reason, now: this.clock.now() });
    return this.documents.store(call, draft);
  }
}

const storedOf = ({ tenants, kind = 'invoice', number = '', total }: Invoice): StoredInvoice => ({
  tenant: tenants[0]?.tenant ?? '',
  kind,
  number,
  total,
});
