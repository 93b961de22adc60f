import { StreamableFile } from '@nestjs/common';
import { csvHeading, csvOf, csvRows, type CsvDialect } from '../../platform/pages/csv.js';
import { plainText } from '../../platform/pages/languages/languages.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import type { InvoiceEntry, InvoiceListAnswer } from './invoice-list.schema.js';
import type {
  Invoice,
  InvoiceLine,
  InvoicedRelyingParty,
  InvoicedTenant,
} from './invoice.schema.js';
import { decimalText } from '../pricing/pricing.js';

type Cell = string | number;

/** One table for figures, lines and totals, distinguished by the first column. */
const COLUMNS = [
  'record',
  'kind',
  'number',
  'from',
  'to',
  'tenant',
  'tenantName',
  'relyingParty',
  'item',
  'quantity',
  'unitPrice',
  'amount',
  'currency',
];

/** A row about a tenant or the whole invoice, without the columns that are the same in all rows. */
interface Row extends Partial<InvoiceLine> {
  readonly record: 'usage' | 'line' | 'tenant' | 'invoice';
  readonly item: string;
  readonly relyingParty?: string;
}

/** Writes an invoice as CSV; amounts in the currency's unit, for example 49.00. */
export function invoiceCsv(
  { invoice }: { readonly invoice: Invoice },
  dialect?: CsvDialect,
): string {
  const { kind = '', number = '', period, currency, tenants, total, gross = total } = invoice;
  const money = (amount?: number) => (amount === undefined ? '' : decimalText(amount, currency));
  const cells = (row: Row, tenant?: InvoicedTenant): Cell[] => [
    row.record,
    kind,
    number,
    period.from,
    period.to,
    tenant?.tenant ?? '',
    tenant?.displayName ?? '',
    row.relyingParty ?? '',
    row.item,
    row.quantity ?? '',
    money(row.unitPrice),
    money(row.amount),
    currency,
  ];
  const rows = [
    ...tenants.flatMap((tenant) => tenantRows(tenant).map((row) => cells(row, tenant))),
    cells({ record: 'invoice', item: 'net', amount: total }),
    cells({ record: 'invoice', item: 'gross', amount: gross }),
  ];
  return csvOf(COLUMNS, rows, dialect);
}

function tenantRows({ relyingParties, lines, total, vat, gross = total }: InvoicedTenant): Row[] {
  return [
    ...relyingParties.flatMap(figuresOf),
    ...lines.map((line): Row => ({ record: 'line', ...line })),
    { record: 'tenant', item: 'net', amount: total },
    ...(vat ? [{ record: 'tenant', item: taxText(vat), amount: vat.amount } as const] : []),
    { record: 'tenant', item: 'gross', amount: gross },
  ];
}

const taxText = ({ rate, note }: NonNullable<InvoicedTenant['vat']>): string =>
  rate === undefined ? `VAT: ${note}` : `VAT ${rate} %`;

function figuresOf(party: InvoicedRelyingParty): Row[] {
  const { relyingParty, credentials } = party;
  const row = (item: string, quantity: number): Row => ({
    record: 'usage',
    relyingParty,
    item,
    quantity,
  });
  return [
    row('users', party.users),
    row('credentials enabled', credentials.enabled),
    row('credentials disabled', credentials.disabled),
    row('registrations', party.registrations),
    row('authentications', party.authentications),
    row('active users', party.activeUsers),
  ];
}

/** Writes the list of stored invoices as CSV, already converted for spreadsheets. */
export const invoiceListCsv = (
  list: InvoiceListAnswer | StreamableFile,
): string | StreamableFile => (list instanceof StreamableFile ? list : listCsv(list));

const listCsv = ({ invoices }: InvoiceListAnswer): string =>
  csvOf(
    [
      'number',
      'kind',
      'tenant',
      'date',
      'net',
      'currency',
      'cancels',
      'digest',
      'issuedAt',
      'issuedBy',
    ],
    invoices.map((entry) => [
      entry.number,
      entry.kind,
      entry.tenants.join(' '),
      entry.date,
      decimalText(entry.total, entry.currency),
      entry.currency,
      entry.cancels ?? '',
      entry.digest,
      entry.issuedAt,
      entry.issuedBy,
    ]),
  );

/** Writes one row per document for bookkeeping, with headings in the reader's language, page by page. */
export async function* bookingCsv(
  pages: AsyncIterable<readonly InvoiceEntry[]>,
  dialect: Required<CsvDialect>,
): AsyncGenerator<string> {
  const { language } = dialect;
  const columns = BOOKING_COLUMNS.map((name) =>
    plainText(language, phrase(`invoices:booking.${name}`)),
  );
  const rowOf = (entry: InvoiceEntry): Cell[] => {
    const { currency, vat, gross, total } = entry;
    const money = (amount: number) => decimalText(amount, currency);
    const kind = plainText(language, phrase(`invoices:kinds.${entry.kind}`));
    return [
      entry.number,
      kind,
      entry.cancels ?? '',
      entry.tenants.join(' '),
      entry.recipient ?? '',
      entry.issuedOn ?? entry.issuedAt.slice(0, 10),
      entry.from,
      entry.date,
      money(total),
      vat?.rate ?? vat?.note ?? '',
      money(gross - total),
      money(gross),
      currency,
      entry.dueOn ?? '',
    ];
  };
  yield csvHeading(columns, dialect);
  for await (const entries of pages) yield csvRows(entries.map(rowOf), dialect);
}

const BOOKING_COLUMNS = [
  'number',
  'kind',
  'cancels',
  'tenant',
  'recipient',
  'issued',
  'from',
  'to',
  'net',
  'vatRate',
  'vat',
  'gross',
  'currency',
  'due',
];
