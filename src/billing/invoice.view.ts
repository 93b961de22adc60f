import type { Request } from 'express';
import { failureBanner, successBanner, type Banner } from '../platform/pages/banners.js';
import { dayValue, phrase, type Phrase } from '../platform/pages/languages/phrase.js';
import type { PageView } from '../platform/pages/page.view.js';
import { callerOf } from '../platform/access/accounts/account.js';
import { may } from '../platform/access/permissions.js';
import { isCharged } from './electronic/electronic-invoice.js';
import type {
  IssuedDocuments,
  ShownInvoice,
  StoredAnswer,
} from './invoices/shown-invoice.answer.js';
import { itemPhrase } from './pricing/pricing.js';
import type { EstimateAnswer } from './pricing/estimate.answer.js';
import type { InvoiceEntry, InvoiceListAnswer } from './invoices/invoice-list.answer.js';
import { DOCUMENT_KINDS } from './invoices/invoice.entity.js';
import type { NumberedDocument } from './invoices/document-store.js';
import type { Invoice, InvoicedTenant, InvoicedVat } from './invoices/invoice.answer.js';
import { dateOf, monthEndOf, monthsBefore, parseDate } from './usage/calendar.js';

const COMMON = {
  nav: { invoices: true },
  texts: 'invoices',
  styles: ['/assets/uplot/uPlot.min.css', '/static/css/invoice.css'],
} as const;

export const invoiceAddress = (number: number | string): string => `/userapi/invoices/${number}`;

const linked = (number: number | string | undefined) =>
  number === undefined ? undefined : { number: `${number}`, address: invoiceAddress(number) };

const mayIssue = (request: Request) => may(callerOf(request), 'invoices:issue');

/** The file name of an invoice, which describes its content: `invoice-12-acme-2026-01-31`. */
export function invoiceFile({ invoice }: { readonly invoice: Invoice }): string {
  const { kind = 'invoice', number, tenants, date } = invoice;
  const [only, second] = tenants;
  const what = number === undefined ? 'invoice-preview' : `${kind}-${number}`;
  return [what, ...(only && !second ? [only.tenant] : []), date].join('-');
}

/** Says what the page's form has stored. */
export function issuedBanner({ invoice, stored, foundStored }: IssuedDocuments): Banner {
  const count = stored.length;
  if (count === 0) return failureBanner(phrase('invoices:done.nothing'));
  if (count === foundStored) return failureBanner(phrase('invoices:done.found', { count }));
  if (foundStored > 0) {
    const values = { count: count - foundStored, before: foundStored };
    return successBanner(phrase('invoices:done.partly', values));
  }
  if (stored[0]?.kind !== 'statement') {
    return successBanner(phrase('invoices:done.stored', { count }));
  }
  const date = dayValue(dateOf(monthEndOf(parseDate(invoice.date) ?? 0)));
  return successBanner(phrase('invoices:done.statements', { count, date }));
}

/** Says what the page's form has cancelled. */
export const cancelledBanner = ({ isNew }: NumberedDocument): Banner =>
  isNew
    ? successBanner(phrase('invoices:done.credited'))
    : failureBanner(phrase('invoices:done.found', { count: 1 }));

export function invoicePage({ invoice, page, invoiced, logo }: ShownInvoice, request: Request) {
  return {
    ...pageOf(invoice),
    logo,
    ...page,
    months: page && monthChoices(invoice.date, page.today),
    storing: storingText(invoice.date, page?.unfinished ?? false),
    invoiced,
    invoicesOfMonth: `/userapi/invoices?month=${invoice.date.slice(0, 7)}&kind=invoice`,
    mayIssue: invoice.number === undefined && invoice.tenants.length > 0 && mayIssue(request),
  };
}

/** The number of months before the current one that the page offers. */
const OFFERED_MONTHS = 12;

/** The current month so far, and the months before it; the shown day comes first if it is none of their last ones. */
function monthChoices(shown: string, today: string) {
  const now = parseDate(today) ?? 0;
  const ends = Array.from({ length: OFFERED_MONTHS }, (_, n) => dateOf(monthsBefore(now, n) - 1));
  const days = [...new Set([...(ends.includes(shown) ? [] : [shown]), today, ...ends])];
  return days.map((date) => ({
    date,
    /** Whether it is not the last day of its month. */
    isPart: !ends.includes(date),
    selected: date === shown,
  }));
}

/** The button that stores: invoices of a month that is over, else statements. */
const storingText = (date: string, unfinished: boolean): Phrase => {
  const day = parseDate(date) ?? 0;
  return day === monthEndOf(day) && !unfinished
    ? phrase('invoices:issue.invoices', { month: dayValue(date) })
    : phrase('invoices:issue.statements', { date: dayValue(date) });
};

/** Sums of the charges by currency; statements charge nothing. */
function sumsOf(entries: readonly InvoiceEntry[]) {
  const charges = entries.filter(({ kind }) => kind !== 'statement');
  return [...Map.groupBy(charges, ({ currency }) => currency)].map(([currency, some]) => ({
    currency,
    net: some.reduce((sum, { total }) => sum + total, 0),
    gross: some.reduce((sum, { gross }) => sum + gross, 0),
  }));
}

export function storedInvoicePage(
  { invoice, creditNote, row, logo }: StoredAnswer,
  request: Request,
) {
  const isInvoice = invoice.kind === 'invoice' && creditNote === undefined;
  return {
    ...pageOf(invoice),
    logo,
    mayIssue: false,
    mayCancel: isInvoice && mayIssue(request),
    creditNote: linked(creditNote),
    /** SHA-256 of the stored bytes and, if present, of the electronic document. */
    digest: row.digest.toString('hex'),
    xmlDigest: row.xmlDigest?.toString('hex'),
    noXml: row.xmlDigest === null ? whyNoXml(invoice) : undefined,
  };
}

const whyNoXml = (invoice: Invoice): Phrase =>
  isCharged(invoice)
    ? phrase('invoices:noXml.recipient', {
        tenant: invoice.tenants[0]?.displayName ?? invoice.tenants[0]?.tenant ?? '',
      })
    : phrase('invoices:noXml.nothing');

function pageOf(invoice: Invoice) {
  const sheet = sheetOf(invoice);
  const title =
    sheet.number === undefined
      ? phrase('invoices:titleUpTo', { date: dayValue(sheet.date) })
      : sheet.title;
  return {
    ...COMMON,
    title,
    libraries: ['/assets/uplot/uPlot.iife.min.js'],
    scripts: ['/static/js/invoice.js'],
    sheet,
  };
}

function sheetOf(invoice: Invoice) {
  const { number, kind = 'invoice', date, tenants, total, gross = total } = invoice;
  const named = phrase(`invoices:kinds.${kind}`);
  return {
    ...invoice,
    ...invoice.period,
    cancels: linked(invoice.cancels),
    title:
      number === undefined
        ? named
        : phrase('invoices:numbered', { kind: named, number: `${number}` }),
    isStatement: kind === 'statement',
    tenants: tenants.map(tenantView),
    grand: tenants.length > 1 ? { net: total, gross } : undefined,
    total: gross,
    /** The address to which parameters are appended. */
    address: number === undefined ? `/userapi/invoice?date=${date}&` : `${invoiceAddress(number)}?`,
    file: invoiceFile({ invoice }),
  };
}

/** The stored documents, and the tenants by which they can be filtered. */
interface InvoiceList extends InvoiceListAnswer {
  readonly tenants?: readonly { readonly name: string; readonly displayName: string }[];
}

export function invoiceListPage(
  { invoices, next, lost = [], tenants = [] }: InvoiceList,
  { query }: Request,
) {
  const filter = new URLSearchParams();
  for (const name of ['month', 'tenant', 'kind'] as const) {
    const value = query[name];
    if (typeof value === 'string' && value !== '') filter.set(name, value);
  }
  const kind = filter.get('kind');
  const tenant = filter.get('tenant');
  const displayNames = new Map(tenants.map(({ name, displayName }) => [name, displayName]));
  const addressWith = (name: string, value: string) =>
    `?${new URLSearchParams([...filter, [name, value]])}`;
  return {
    ...COMMON,
    styles: ['/static/css/audit.css'],
    title: phrase('invoices:list.title'),
    invoices: invoices.map((entry) => entryView(entry, displayNames)),
    sums: sumsOf(invoices),
    month: filter.get('month'),
    tenants: tenants.map(({ name, displayName }) => ({
      name,
      label: displayName === name ? name : `${displayName} (${name})`,
      selected: name === tenant,
    })),
    kinds: DOCUMENT_KINDS.map((name) => ({
      name,
      label: phrase(`invoices:kinds.${name}`),
      selected: name === kind,
    })),
    isFiltered: filter.size > 0,
    spreadsheet: addressWith('format', 'spreadsheet'),
    older: next === undefined ? undefined : addressWith('before', `${next}`),
    /** Numbers of lost documents; empty if there are none. */
    lost: lost.join(', '),
  };
}

function entryView(entry: InvoiceEntry, displayNames: ReadonlyMap<string, string>) {
  const { kind, cancels, cancelledBy, total, lastMonth, number, xmlDigest, currency } = entry;
  const named = phrase(`invoices:kinds.${kind}`);
  const change = lastMonth === undefined ? undefined : total - lastMonth;
  const isCharge = kind !== 'statement' && total !== 0;
  return {
    ...entry,
    tenants: entry.tenants.map((name) => displayNames.get(name) ?? name),
    cancelledBy: linked(cancelledBy),
    kind: cancels ? phrase('invoices:kindOf', { kind: named, number: `${cancels}` }) : named,
    month: entry.date.slice(0, 7),
    change: change === undefined ? undefined : { amount: change, currency, isMore: change > 0 },
    xml: xmlDigest === undefined ? undefined : `${invoiceAddress(number)}?format=xml`,
    /** Where the page says why there is no electronic invoice. */
    needs: xmlDigest === undefined && isCharge ? `${invoiceAddress(number)}#no-xml` : undefined,
    csv: `${invoiceAddress(number)}?format=spreadsheet`,
  };
}

export function estimatePage({ estimateMs, basis }: EstimateAnswer): PageView {
  const title = phrase('invoices:estimate.title');
  return { ...COMMON, title, estimateMs, ...basis } as PageView;
}

function tenantView(invoiced: InvoicedTenant) {
  const { tenant, displayName = tenant, relyingParties, lines, total, vat } = invoiced;
  return {
    tenant,
    displayName,
    total,
    /** Its name in the interface, if the display name differs. */
    id: displayName === tenant ? undefined : tenant,
    relyingParties: relyingParties.map(({ credentials, ...figures }) => ({
      ...figures,
      ...credentials,
    })),
    lines: lines.map((line) => ({ ...line, item: itemPhrase(line.item) })),
    vat: vat && { label: vatLabel(vat), amount: vat.amount },
    gross: invoiced.gross ?? total,
  };
}

const vatLabel = ({ rate, note = '' }: InvoicedVat): Phrase =>
  rate === undefined
    ? phrase('invoices:vat.note', { note })
    : phrase('invoices:vat.rate', { rate: Number(rate) });
