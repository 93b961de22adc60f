import type { Request } from 'express';
import type { BillingItem } from '../config/price-list.js';
import type { PageView } from '../presentation/page.view.js';
import { ANYBODY, accountOf } from '../security/account.js';
import { may } from '../security/permissions.js';
import { answerOf } from './invoice.answer.js';
import type { InvoiceAnswer } from './invoice.answer.js';
import type { InvoiceListAnswer, InvoicedTenant } from './invoice.schema.js';
import { moneyText } from './pricing.js';
import type { MonthUsage } from './usage-reader.js';

/** Figures as they are read, by name. */
type Texts = Readonly<Record<string, string>>;

interface InvoiceView extends PageView {
  readonly sheet: {
    readonly number: number | undefined;
    readonly date: string;
    readonly from: string;
    readonly to: string;
    readonly currency: string;
    readonly tenants: readonly TenantView[];
    readonly total: string;
    /** Where its other forms are. */
    readonly address: string;
  };
  readonly today?: string;
  readonly unfinished?: boolean;
  readonly trend: readonly MonthView[] | undefined;
  readonly mayIssue: boolean;
}

interface MonthView {
  readonly month: string;
  readonly text: Texts;
  readonly raw: Readonly<Record<string, number>>;
}

interface TenantView {
  readonly tenant: string;
  readonly relyingParties: readonly Texts[];
  readonly lines: readonly Texts[];
  readonly total: string;
}

interface InvoiceListView extends PageView {
  readonly invoices: readonly object[];
  readonly next: number | undefined;
}

const count = new Intl.NumberFormat('en');
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
const dayText = (date: string) => day.format(new Date(date));

const COMMON = {
  nav: { invoices: true },
  styles: ['/assets/uplot/uPlot.min.css', '/static/css/invoice.css'],
} as const;

/** The page of an invoice: all numbers are written out for reading. */
export function invoicePage({ invoice, page }: InvoiceAnswer, request: Request): InvoiceView {
  const { number, date, period, currency, tenants, total } = invoice;
  const sheet = {
    number,
    date,
    from: dayText(period.from),
    to: dayText(period.to),
    currency,
    tenants: tenants.map((tenant) => tenantView(tenant, currency)),
    total: moneyText(total, currency),
    address: number === undefined ? `/userapi/invoice?date=${date}` : `/userapi/invoices/${number}`,
  };
  return {
    ...COMMON,
    title: number === undefined ? `Invoice up to ${date}` : `Invoice ${number}`,
    scripts: ['/static/js/invoice.js'],
    sheet,
    ...page,
    trend: page?.trend.map(monthView),
    mayIssue: number === undefined && may(accountOf(request) ?? ANYBODY, 'invoices:issue'),
  };
}

/** A month's row: written out for people, and raw for the chart, which reads the table. */
function monthView({ month, ...raw }: MonthUsage): MonthView {
  return { month, text: texts(raw), raw };
}

/** The page of a stored answer. */
export const storedInvoicePage = (body: string, request: Request): PageView =>
  invoicePage(answerOf(body), request);

/** The page of numbered invoices. */
export function invoiceListPage({ invoices, next }: InvoiceListAnswer): InvoiceListView {
  return {
    ...COMMON,
    title: 'Numbered invoices',
    invoices: invoices.map((entry) => ({
      ...entry,
      total: moneyText(entry.total, entry.currency),
    })),
    next,
  };
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

function tenantView(
  { tenant, relyingParties, lines, total }: InvoicedTenant,
  currency: string,
): TenantView {
  return {
    tenant,
    relyingParties: relyingParties.map(({ relyingParty, credentials, ...figures }) => ({
      relyingParty,
      ...texts({ ...figures, ...credentials }),
    })),
    lines: lines.map(({ item, quantity, unitPrice, amount }) => ({
      item: spoken(item),
      quantity: count.format(quantity),
      unitPrice: moneyText(unitPrice, currency),
      amount: moneyText(amount, currency),
    })),
    total: moneyText(total, currency),
  };
}

const texts = (figures: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(figures).map(([name, n]) => [name, count.format(n)]));
