import type { Request } from 'express';
import type { BillingItem } from '../config/price-list.js';
import type { PageView } from '../presentation/page.view.js';
import { ANYBODY, accountOf } from '../security/account.js';
import { may } from '../security/permissions.js';
import type { InvoiceAnswer, StoredAnswer } from './invoice.answer.js';
import type { Kind } from './invoice.entity.js';
import { invoiceFile } from './invoice.file.js';
import type { EstimateAnswer } from './estimate.schema.js';
import type { InvoiceListAnswer } from './invoice-list.schema.js';
import type { Invoice, InvoiceParty, InvoicedTenant } from './invoice.schema.js';
import { moneyText } from './pricing.js';
import type { MonthUsage } from './usage-reader.js';

/** Figures as they are read, by name. */
type Texts = Readonly<Record<string, string>>;

interface SheetView {
  readonly title: string;
  readonly number: number | string | undefined;
  readonly isStatement: boolean;
  readonly date: string;
  readonly from: string;
  readonly to: string;
  readonly issuedOn: string | undefined;
  readonly dueOn: string | undefined;
  readonly terms: string | undefined;
  readonly issuer: InvoiceParty | undefined;
  readonly recipient: InvoiceParty | undefined;
  readonly cancels: number | undefined;
  readonly reason: string | undefined;
  readonly tenants: readonly TenantView[];
  /** Over several tenants. */
  readonly grand: Texts | undefined;
  readonly total: string;
  /** Where it is, and what its file is called. */
  readonly address: string;
  readonly file: string;
}

interface InvoiceView extends PageView {
  readonly sheet: SheetView;
  /** The last date that can be asked for. */
  readonly today?: string;
  readonly unfinished?: boolean;
  readonly trend?: readonly MonthView[] | undefined;
  readonly mayIssue: boolean;
  readonly mayCancel?: boolean;
  readonly creditNote?: number | undefined;
}

interface MonthView {
  readonly month: string;
  readonly text: Texts;
  readonly raw: Readonly<Record<string, number>>;
}

interface TenantView {
  readonly tenant: string;
  readonly displayName: string;
  /** Where its name does not say so. */
  readonly id: string | undefined;
  readonly relyingParties: readonly Texts[];
  readonly lines: readonly Texts[];
  readonly total: string;
  readonly vat: Texts | undefined;
  readonly gross: string;
}

interface InvoiceListView extends PageView {
  readonly invoices: readonly object[];
  readonly next: number | string | undefined;
}

const count = new Intl.NumberFormat('en');
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
const dayText = (date: string) => day.format(new Date(date));

const COMMON = {
  nav: { invoices: true },
  styles: ['/assets/uplot/uPlot.min.css', '/static/css/invoice.css'],
} as const;

const TITLES: Readonly<Record<Kind, string>> = {
  invoice: 'Invoice',
  statement: 'Statement',
  'credit-note': 'Credit note',
};

/** Where something stored is. */
export const addressOf = (number: number | string): string => `/userapi/invoices/${number}`;

const mayIssue = (request: Request) => may(accountOf(request) ?? ANYBODY, 'invoices:issue');

/** The page of a computed invoice: all numbers are written out for reading. */
export function invoicePage({ invoice, page }: InvoiceAnswer, request: Request): InvoiceView {
  return {
    ...pageOf(invoice),
    ...page,
    trend: page?.trend.map(monthView),
    mayIssue: invoice.number === undefined && mayIssue(request),
  };
}

/** The page of a stored one. */
export function storedInvoicePage(
  { invoice, creditNote }: StoredAnswer,
  request: Request,
): InvoiceView {
  const isInvoice = invoice.kind === 'invoice' && creditNote === undefined;
  return {
    ...pageOf(invoice),
    mayIssue: false,
    mayCancel: isInvoice && mayIssue(request),
    creditNote,
  };
}

function pageOf(invoice: Invoice): Omit<InvoiceView, 'mayIssue'> {
  const sheet = sheetOf(invoice);
  const title = sheet.number === undefined ? `Invoice up to ${sheet.date}` : sheet.title;
  return { ...COMMON, title, scripts: ['/static/js/invoice.js'], sheet };
}

function sheetOf(invoice: Invoice): SheetView {
  const { number, kind = 'invoice', date, period, currency, tenants, total } = invoice;
  const { issuedOn, dueOn, terms, issuer, recipient, cancels, reason, gross = total } = invoice;
  const totals = { net: moneyText(total, currency), gross: moneyText(gross, currency) };
  return {
    ...{ number, date, terms, issuer, recipient, cancels, reason },
    title: number === undefined ? 'Invoice' : `${TITLES[kind]} ${number}`,
    isStatement: kind === 'statement',
    from: dayText(period.from),
    to: dayText(period.to),
    issuedOn: issuedOn && dayText(issuedOn),
    dueOn: dueOn && dayText(dueOn),
    tenants: tenants.map((tenant) => tenantView(tenant, currency)),
    grand: tenants.length > 1 ? totals : undefined,
    total: totals.gross,
    address: number === undefined ? `/userapi/invoice?date=${date}&` : `${addressOf(number)}?`,
    file: invoiceFile({ invoice }),
  };
}

/** A month's row: written out for people, and raw for the chart, which reads the table. */
function monthView({ month, ...raw }: MonthUsage): MonthView {
  return { month, text: texts(raw), raw };
}

/** The page of all that is stored. */
export function invoiceListPage({ invoices, next }: InvoiceListAnswer): InvoiceListView {
  return {
    ...COMMON,
    title: 'Stored invoices',
    invoices: invoices.map((entry) => ({
      ...entry,
      kind: TITLES[entry.kind],
      total: moneyText(entry.total, entry.currency),
    })),
    next,
  };
}

/** The page of an estimate. */
export function estimatePage({ estimateMs, basis }: EstimateAnswer): PageView {
  const { relyingParties, events, lastRunMs } = basis;
  const figures = texts({ estimateMs, relyingParties, events });
  const last = lastRunMs === null ? undefined : count.format(lastRunMs);
  return { ...COMMON, title: 'How long an invoice takes', ...figures, last } as PageView;
}

/** What the price list charges for, as people say it. */
const WORDS: Readonly<Record<BillingItem, string>> = {
  base: 'Base fee',
  relyingParties: 'Relying parties',
  users: 'Users',
  credentials: 'Keys',
  registrations: 'Registrations',
  authentications: 'Sign-ins',
  activeUsers: 'Active users',
};

/** `activeUsers per 100 (1 to 500)` begins with the name of what is charged for. */
const spoken = (item: string): string =>
  item.replace(/^\w+/, (name) => WORDS[name as BillingItem] ?? name);

function tenantView(invoiced: InvoicedTenant, currency: string): TenantView {
  const { tenant, displayName = tenant, relyingParties, lines, total, vat } = invoiced;
  const money = (amount: number) => moneyText(amount, currency);
  return {
    ...{ tenant, displayName },
    id: displayName === tenant ? undefined : tenant,
    relyingParties: relyingParties.map(({ relyingParty, credentials, ...figures }) => ({
      relyingParty,
      ...texts({ ...figures, ...credentials }),
    })),
    lines: lines.map(({ item, quantity, unitPrice, amount }) => ({
      item: spoken(item),
      quantity: count.format(quantity),
      unitPrice: money(unitPrice),
      amount: money(amount),
    })),
    total: money(total),
    vat: vat && {
      label: vat.rate === undefined ? `VAT: ${vat.note}` : `VAT ${vat.rate} %`,
      amount: money(vat.amount),
    },
    gross: money(invoiced.gross ?? total),
  };
}

const texts = (figures: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(figures).map(([name, n]) => [name, count.format(n)]));
