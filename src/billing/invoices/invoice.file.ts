import type { Invoice } from './invoice.schema.js';

/** The file name of an invoice, which describes its content: `invoice-12-acme-2026-01-31`. */
export function invoiceFile({ invoice }: { readonly invoice: Invoice }): string {
  const { kind = 'invoice', number, tenants, date } = invoice;
  const [only, second] = tenants;
  const what = number === undefined ? 'invoice-preview' : `${kind}-${number}`;
  return [what, ...(only && !second ? [only.tenant] : []), date].join('-');
}
