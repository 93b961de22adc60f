import { StreamableFile } from '@nestjs/common';
import {
  cellsOf,
  csvHeading,
  csvOf,
  csvRows,
  type CsvColumns,
  type CsvDialect,
} from '../../platform/pages/csv.js';
import { plainText, type Language } from '../../platform/pages/languages/languages.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { decimalText } from '../pricing/pricing.js';
import type { InvoiceEntry, InvoiceListAnswer } from './invoice-list.answer.js';
import type {
  Invoice,
  InvoiceLine,
  InvoicedRelyingParty,
  InvoicedTenant,
  InvoicedVat,
} from './invoice.answer.js';

/** A row about a tenant or the whole invoice. */
interface Row extends Partial<InvoiceLine> {
  readonly record: 'usage' | 'line' | 'tenant' | 'invoice';
  readonly item: string;
  readonly tenant?: InvoicedTenant;
  readonly relyingParty?: string;
}

/** One table for figures, lines and totals, distinguished by the first column. */
function columnsOf(invoice: Invoice): CsvColumns<Row> {
  const { kind = '', number = '', period, currency } = invoice;
  const money = (amount?: number) => (amount === undefined ? '' : decimalText(amount, currency));
  return {
    record: ({ record }) => record,
    kind: () => kind,
    number: () => number,
    from: () => period.from,
    to: () => period.to,
    tenant: ({ tenant }) => tenant?.tenant ?? '',
    tenantName: ({ tenant }) => tenant?.displayName ?? '',
    relyingParty: ({ relyingParty = '' }) => relyingParty,
    item: ({ item }) => item,
    quantity: ({ quantity = '' }) => quantity,
    unitPrice: ({ unitPrice }) => money(unitPrice),
    amount: ({ amount }) => money(amount),
    currency: () => currency,
  };
}

/** Writes an invoice as CSV; amounts in the currency's unit, for example 49.00. */
export function invoiceCsv(
  { invoice }: { readonly invoice: Invoice },
  dialect?: CsvDialect,
): string {
  const { tenants, total, gross = total } = invoice;
  const columns = columnsOf(invoice);
  const rows: Row[] = [
    ...tenants.flatMap((tenant) => tenantRows(tenant).map((row) => ({ ...row, tenant }))),
    { record: 'invoice', item: 'net', amount: total },
    { record: 'invoice', item: 'gross', amount: gross },
  ];
  return csvOf(
    Object.keys(columns),
    rows.map((row) => cellsOf(columns, row)),
    dialect,
  );
}

function tenantRows({ relyingParties, lines, total, vat, gross = total }: InvoicedTenant): Row[] {
  return [
    ...relyingParties.flatMap(usageRows),
    ...lines.map((line): Row => ({ record: 'line', ...line })),
    { record: 'tenant', item: 'net', amount: total },
    ...(vat ? [{ record: 'tenant', item: taxText(vat), amount: vat.amount } as const] : []),
    { record: 'tenant', item: 'gross', amount: gross },
  ];
}

const taxText = ({ rate, note }: InvoicedVat): string =>
  rate === undefined ? `VAT: ${note}` : `VAT ${rate} %`;

/** Items of a relying party's usage, with their quantities. */
const USAGE: Readonly<Record<string, (party: InvoicedRelyingParty) => number>> = {
  users: ({ users }) => users,
  'credentials enabled': ({ credentials }) => credentials.enabled,
  'credentials disabled': ({ credentials }) => credentials.disabled,
  registrations: ({ registrations }) => registrations,
  authentications: ({ authentications }) => authentications,
  'active users': ({ activeUsers }) => activeUsers,
};

const usageRows = (party: InvoicedRelyingParty): Row[] =>
  Object.entries(USAGE).map(([item, quantityOf]) => ({
    record: 'usage',
    relyingParty: party.relyingParty,
    item,
    quantity: quantityOf(party),
  }));

const LIST_COLUMNS: CsvColumns<InvoiceEntry> = {
  number: ({ number }) => number,
  kind: ({ kind }) => kind,
  tenant: ({ tenants }) => tenants.join(' '),
  date: ({ date }) => date,
  net: ({ total, currency }) => decimalText(total, currency),
  currency: ({ currency }) => currency,
  cancels: ({ cancels = '' }) => cancels,
  digest: ({ digest }) => digest,
  issuedAt: ({ issuedAt }) => issuedAt,
  issuedBy: ({ issuedBy }) => issuedBy,
};

/** Writes the list of stored invoices as CSV; a file for spreadsheets is written already. */
export function invoiceListCsv(list: InvoiceListAnswer | StreamableFile): string | StreamableFile {
  if (list instanceof StreamableFile) return list;
  const rows = list.invoices.map((entry) => cellsOf(LIST_COLUMNS, entry));
  return csvOf(Object.keys(LIST_COLUMNS), rows);
}

const bookingColumns = (language: Language): CsvColumns<InvoiceEntry> => ({
  number: ({ number }) => number,
  kind: ({ kind }) => plainText(language, phrase(`invoices:kinds.${kind}`)),
  cancels: ({ cancels = '' }) => cancels,
  tenant: ({ tenants }) => tenants.join(' '),
  recipient: ({ recipient = '' }) => recipient,
  issued: ({ issuedOn, issuedAt }) => issuedOn ?? issuedAt.slice(0, 10),
  from: ({ from }) => from,
  to: ({ date }) => date,
  net: ({ total, currency }) => decimalText(total, currency),
  vatRate: ({ vat }) => vat?.rate ?? vat?.note ?? '',
  vat: ({ gross, total, currency }) => decimalText(gross - total, currency),
  gross: ({ gross, currency }) => decimalText(gross, currency),
  currency: ({ currency }) => currency,
  due: ({ dueOn = '' }) => dueOn,
});

/** Writes one row per document for bookkeeping, with headings in the reader's language, slice by slice. */
export async function* bookingCsv(
  slices: AsyncIterable<readonly InvoiceEntry[]>,
  dialect: Required<CsvDialect>,
): AsyncGenerator<string> {
  const { language } = dialect;
  const columns = bookingColumns(language);
  const headings = Object.keys(columns).map((name) =>
    plainText(language, phrase(`invoices:booking.${name}`)),
  );
  yield csvHeading(headings, dialect);
  for await (const entries of slices) {
    yield csvRows(
      entries.map((entry) => cellsOf(columns, entry)),
      dialect,
    );
  }
}
