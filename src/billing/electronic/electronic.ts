import { ApiError } from '../../platform/errors/api-error.js';
import type { Syntax } from '../../platform/config/booking.js';
import type { Invoice } from '../invoices/invoice.schema.js';
import { ciiOf } from './cii.js';
import { electronicOf, syntaxOf, type ElectronicInvoice } from './electronic-invoice.js';
import { brokenRules } from './business-rules.js';
import { ublOf } from './ubl.js';

const WRITERS: Readonly<Record<Syntax, (document: ElectronicInvoice) => Buffer>> = {
  ubl: ublOf,
  cii: ciiOf,
};

/**
 * Returns the electronic document (EN 16931) of an invoice or a credit note.
 *
 * @returns `undefined` for statements, and if the recipient wants none
 * @throws ApiError E0045R if it violates a business rule, with the names of the missing billing file
 *   entries
 */
export function electronicXml(invoice: Invoice): Buffer | undefined {
  const syntax = syntaxOf(invoice);
  if (syntax === undefined) return undefined;
  const document = electronicOf(invoice);
  const broken = brokenRules(document);
  if (broken.length > 0) {
    const tenant = invoice.tenants[0]?.tenant ?? '';
    const lacking = broken.map(
      ([id, needs]) => `${needs.replaceAll('{recipient}', `recipients.${tenant}`)} (${id})`,
    );
    throw new ApiError('E0045R', 'invoice.buyerIncomplete', {
      tenant,
      missing: lacking.join(', '),
    });
  }
  return WRITERS[syntax](document);
}
