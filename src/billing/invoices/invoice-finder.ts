import { Injectable } from '@nestjs/common';
import { dayValue, phrase } from '../../platform/pages/languages/phrase.js';
import {
  SearchFinders,
  type FoundMatches,
  type SearchFinder,
  type SearchRequest,
} from '../../platform/pages/search-finders.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import { invoiceAddress } from '../invoice.view.js';
import { numberText, parseNumber } from './document-series.js';
import { DocumentReader } from './document-reader.js';

/** Finds an invoice, a statement or a credit note by its number. */
@Injectable()
export class InvoiceFinder implements SearchFinder {
  readonly kind = 'invoices';
  readonly permission = 'invoices:read';

  constructor(
    private readonly documentReader: DocumentReader,
    private readonly tenancy: TenancyService,
    finders: SearchFinders,
  ) {
    finders.register(this);
  }

  async find({ text, account }: SearchRequest): Promise<FoundMatches> {
    const number = parseNumber(text.toUpperCase());
    const row = number && (await this.documentReader.find(account, number));
    if (!row) return { matches: [] };
    const written = numberText(row);
    const kind = phrase(`invoices:kinds.${row.kind}`);
    const title = phrase('invoices:numbered', { kind, number: `${written}` });
    const nameOfTenant = await this.tenancy.nameOfTenant();
    const detail = phrase('search:invoice', {
      tenants: row.tenants.map(nameOfTenant).join(', '),
      date: dayValue(row.date),
    });
    return { matches: [{ title, address: invoiceAddress(written), detail }] };
  }
}
