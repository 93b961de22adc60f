import { csvOf } from '../../platform/pages/csv.js';
import type { InvoiceListAnswer } from './invoice-list.schema.js';
import type { Invoice, InvoicedRelyingParty, InvoicedTenant } from './invoice.schema.js';
import { decimalText } from '../pricing/pricing.js';

type Cell = string | number;

/** One table for figures, lines and totals; the first column distinguishes them. */
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
interface Row {
  readonly record: 'usage' | 'line' | 'tenant' | 'invoice';
  readonly item: string;
  readonly relyingParty?: string;
  readonly quantity?: number;
  /** In the currency's minor unit, as is the amount. */
  readonly unitPrice?: number;
  readonly amount?: number;
}

/** An invoice as CSV; amounts in the currency's unit, such as 49.00. */
export function invoiceCsv({ invoice }: { readonly invoice: Invoice }): string {
  const { kind = '', number = '', period, currency, tenants, total, gross = total } = invoice;
  const money = (amount?: number) => (amount === undefined ? '' : decimalText(amount, currency));
  const cells = (row: Row, tenant?: InvoicedTenant): Cell[] => [
    ...[row.record, kind, number, period.from, period.to],
    ...[tenant?.tenant ?? '', tenant?.displayName ?? '', row.relyingParty ?? '', row.item],
    ...[row.quantity ?? '', money(row.unitPrice), money(row.amount), currency],
  ];
  return csvOf(COLUMNS, [
    ...tenants.flatMap((tenant) => tenantRows(tenant).map((row) => cells(row, tenant))),
    cells({ record: 'invoice', item: 'net', amount: total }),
    cells({ record: 'invoice', item: 'gross', amount: gross }),
  ]);
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

/** The list of stored invoices, as CSV. */
export const invoiceListCsv = ({ invoices }: InvoiceListAnswer): string =>
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
      ...[entry.number, entry.kind, entry.tenants.join(' '), entry.date],
      ...[decimalText(entry.total, entry.currency), entry.currency, entry.cancels ?? ''],
      ...[entry.digest, entry.issuedAt, entry.issuedBy],
    ]),
  );
