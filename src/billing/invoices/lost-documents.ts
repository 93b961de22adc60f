import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { ApiError } from '../../platform/errors/api-error.js';
import { OPERATOR } from '../../platform/access/accounts/account.js';
import { Tenant } from '../../tenancy/tenant.entity.js';
import { DocumentSeries } from './document-series.js';
import { creditOnce, invoiceOnce } from './drafts.js';
import { DocumentNumbering } from './document-numbering.js';
import type { Invoice, InvoiceJson } from './invoice.schema.js';
import { parseNumber } from './document-number.js';

/** Re-enters documents that were sent before a restore and are in no backup. */
@Injectable()
export class LostDocuments {
  constructor(
    @InjectRepository(Tenant) private readonly tenants: Repository<Tenant>,
    private readonly numbering: DocumentNumbering,
    private readonly series: DocumentSeries,
  ) {}

  /**
   * @param text the answer of `GET /userapi/invoices/NUMBER`; a month's invoice before its credit note
   * @throws ApiError E0045R for any other text; E0044R for a document that is not lost
   */
  async enter(text: string): Promise<Invoice> {
    const invoice = invoiceIn(text);
    const number = parseNumber(`${invoice.number}`);
    const [tenant, other] = invoice.tenants;
    const owner = tenant && (await this.tenants.findOneBy({ name: tenant.tenant, closedAt: 0 }));
    if (!number || !owner || other) throw new ApiError('E0045R', 'document.form');
    const settled = await this.series.settle(`${invoice.number}`);
    const draft = { tenantId: owner.id, ...(await this.kindOf(invoice, owner.id)), invoice };
    if (await this.numbering.enter(draft, number, { settled, account: OPERATOR })) return invoice;
    throw new ApiError('E0045R', 'document.stored');
  }

  private async kindOf({ kind, date, cancels }: Invoice, tenantId: Buffer) {
    if (kind === 'invoice') {
      const cancelled = await this.numbering.cancelled(tenantId, date);
      return { kind, once: invoiceOnce(tenantId, cancelled) };
    }
    if (kind === 'credit-note' && cancels !== undefined) return { kind, once: creditOnce(cancels) };
    throw new ApiError('E0045R', 'document.form');
  }
}

/** Checks the members that the table's columns need; the rest is stored as it was sent. */
function invoiceIn(text: string): Invoice {
  try {
    const { invoice } = JSON.parse(text) as InvoiceJson;
    const { date, currency, total, tenants } = invoice;
    const isWhole =
      /^\d{4}-\d\d-\d\d$/.test(date) &&
      /^[A-Z]{3}$/.test(currency) &&
      Number.isSafeInteger(total) &&
      tenants.every(({ tenant }) => typeof tenant === 'string');
    if (isWhole) return invoice;
  } catch {
    // The same refusal as for JSON that is not a document.
  }
  throw new ApiError('E0045R', 'document.form');
}
