import { csvOf } from '../presentation/csv.js';
import { answerOf } from './invoice.answer.js';
import type { InvoiceAnswer } from './invoice.answer.js';
import type { InvoiceListAnswer, InvoicedRelyingParty, InvoicedTenant } from './invoice.schema.js';

type Cell = string | number;

/** One table for all: figures, lines and totals, told apart by the first column. */
const COLUMNS = [
  'record',
  'number',
  'from',
  'to',
  'tenant',
  'relyingParty',
  'item',
  'quantity',
  'unitPrice',
  'amount',
  'currency',
];

/** An invoice as CSV; amounts in the currency's minor unit. */
export function invoiceCsv({ invoice }: InvoiceAnswer): string {
  const { number = '', period, currency, tenants, total } = invoice;
  const row = (record: string, ...rest: readonly Cell[]): Cell[] => [
    record,
    number,
    period.from,
    period.to,
    ...rest,
    currency,
  ];
  return csvOf(COLUMNS, [
    ...tenants.flatMap((tenant) =>
      tenantRows(tenant).map(([record = '', ...rest]) => row(`${record}`, ...rest)),
    ),
    row('invoice', '', '', 'total', '', '', total),
  ]);
}

/** The stored answer of an invoice as CSV. */
export const storedInvoiceCsv = (body: string): string => invoiceCsv(answerOf(body));

function tenantRows({ tenant, relyingParties, lines, total }: InvoicedTenant): Cell[][] {
  return [
    ...relyingParties.flatMap((party) =>
      figuresOf(party).map(([item, n]) => ['usage', tenant, party.relyingParty, item, n, '', '']),
    ),
    ...lines.map(({ item, quantity, unitPrice, amount }) => [
      'line',
      tenant,
      '',
      item,
      quantity,
      unitPrice,
      amount,
    ]),
    ['tenant', tenant, '', 'total', '', '', total],
  ];
}

const figuresOf = (party: InvoicedRelyingParty): (readonly [string, number])[] => [
  ['users', party.users],
  ['credentials enabled', party.credentials.enabled],
  ['credentials disabled', party.credentials.disabled],
  ['registrations', party.registrations],
  ['authentications', party.authentications],
  ['active users', party.activeUsers],
];

/** The list of numbered invoices as CSV. */
export const invoiceListCsv = ({ invoices }: InvoiceListAnswer): string =>
  csvOf(
    ['number', 'date', 'currency', 'total', 'digest', 'issuedAt', 'issuedBy'],
    invoices.map((entry) => [
      entry.number,
      entry.date,
      entry.currency,
      entry.total,
      entry.digest,
      entry.issuedAt,
      entry.issuedBy,
    ]),
  );
