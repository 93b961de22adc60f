import { Inject, Injectable } from '@nestjs/common';
import type { ChangingCall } from '../../audit/audited.js';
import { Clock } from '../../platform/common/clock.js';
import type { Prices } from '../pricing/price-list.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { seesTenant, type Account } from '../../platform/access/accounts/account.js';
import { dateOf, dayOf, firstDayOf } from '../usage/calendar.js';
import {
  BILLING_PRICES,
  planLines,
  planOf,
  priceListOn,
  totalOf,
  vatOf,
  withTax,
  type Quantities,
} from '../pricing/pricing.js';
import { electronicXml } from '../electronic/electronic.js';
import type { IssuedDocuments, PageFacts } from '../invoice.answer.js';
import { COUNTING_DELAY_MS, RollUp } from '../usage/roll-up.js';
import type { Usage } from '../usage/usage-figures.js';
import {
  UsageReader,
  monthUsageOf,
  type RelyingPartyUsage,
  type TenantUsage,
} from '../usage/usage-reader.js';
import { DAY_MS } from '../../platform/common/durations.js';
import { numberText, type DocumentNumber } from './document-series.js';
import { DocumentStore, parseStoredInvoice, type NumberedDocument } from './document-store.js';
import { creditNoteOf, draftOf, type Draft } from './drafts.js';
import type {
  Invoice,
  InvoicedRelyingParty,
  InvoicedTenant,
  StoredInvoice,
} from './invoice.schema.js';
import { StoredInvoices } from './stored-invoices.js';

/** The number of months in the trend, including the invoice's own. */
const TREND_MONTHS = 12;

/** Computes invoices on request, stores them, each for one tenant, and cancels them. */
@Injectable()
export class InvoiceService {
  constructor(
    private readonly reader: UsageReader,
    private readonly rollUp: RollUp,
    private readonly clock: Clock,
    @Inject(BILLING_PRICES) private readonly prices: Prices,
    private readonly documents: DocumentStore,
    private readonly stored: StoredInvoices,
  ) {}

  /** Today's day number, in UTC. */
  today(): number {
    return dayOf(this.clock.now());
  }

  /**
   * Computes the invoice of a day, for the tenants that the account may see.
   *
   * @param forPage whether to add the data that the page shows beside it
   * @returns the invoice, and that data or `undefined`
   */
  async computeInvoice(
    day: number,
    account: Account,
    { tenant, forPage }: { tenant: string | undefined; forPage: boolean },
  ): Promise<{ invoice: Invoice; page: PageFacts | undefined }> {
    const usage = await this.usage(day, account, tenant);
    const page = forPage ? await this.pageFacts(day, usage) : undefined;
    return { invoice: this.invoiceOf(day, usage), page };
  }

  /** Computes the invoice of a day: for its month, up to and including that day. */
  invoiceOf(day: number, tenants: readonly TenantUsage[]): Invoice {
    const date = dateOf(day);
    const priceList = priceListOn(this.prices, date);
    const invoiced = tenants.map(({ tenant, displayName, relyingParties }): InvoicedTenant => {
      const lines = planLines(planOf(priceList, tenant), quantitiesOf(relyingParties));
      const total = totalOf(lines.map(({ amount }) => amount));
      return {
        tenant,
        displayName,
        relyingParties: relyingParties.map(figuresOf),
        lines,
        total,
        ...withTax(total, vatOf(tenant, this.prices.booking, priceList)),
      };
    });
    return {
      date,
      period: { from: dateOf(firstDayOf(day)), to: date },
      currency: this.prices.currency,
      tenants: invoiced,
      total: totalOf(invoiced.map(({ total }) => total)),
      gross: totalOf(invoiced.map(({ total, gross = total }) => gross)),
    };
  }

  /**
   * Returns the usage of one or all tenants that the account may see. An account limited to tenants
   * sees no removed tenant: a current one may have the same name.
   *
   * @throws ApiError E0044R for a tenant that never existed, or that the account may not see
   */
  async usage(day: number, account: Account, tenant?: string): Promise<TenantUsage[]> {
    await this.ensureTenant(account, tenant);
    // After an outage, first counts the final figures of old events, a few at a time.
    await this.rollUp.catchUp();
    const tenants = await this.reader.of(day);
    return tenants.filter(
      ({ tenant: name, isOpen }) =>
        (tenant === undefined || name === tenant) &&
        seesTenant(account, name) &&
        (isOpen || account.tenants === undefined),
    );
  }

  /**
   * Stores the invoice of a tenant, even if it charges nothing; without a tenant, the invoices of all
   * tenants that are charged.
   *
   * @throws ApiError E0045R as `electronicXml`, before anything is stored
   */
  async issue(call: ChangingCall, day: number, tenant?: string): Promise<IssuedDocuments> {
    const usage = await this.usage(day, call.account, tenant);
    const drafts: { draft: Draft; found: Invoice | undefined }[] = [];
    for (const one of usage) {
      const invoice = this.invoiceOf(day, [one]);
      const isCharged = invoice.tenants.some(({ lines }) => lines.length > 0);
      if (!isCharged && tenant === undefined) continue;
      const draft = draftOf(invoice, {
        day,
        tenantId: one.id,
        booking: this.prices.booking,
        now: this.clock.now(),
        cancelled: await this.documents.cancelled(one.id, invoice.date),
      });
      const found = await this.documents.find(draft);
      // Refuses an incomplete draft before any is stored. Any number will do: the real one is not known yet.
      if (!found) electronicXml({ ...draft.invoice, number: 1 });
      drafts.push({ draft, found });
    }
    const documents: NumberedDocument[] = [];
    // Sequentially: each number is one more than the last.
    for (const { draft, found } of drafts) {
      const document = found && { invoice: found, isNew: false };
      documents.push(document ?? (await this.documents.store(call, draft)));
    }
    const [only] = tenant !== undefined && documents.length === 1 ? documents : [];
    const invoice = only?.invoice ?? this.invoiceOf(day, usage);
    const foundStored = documents.filter(({ isNew }) => !isNew).length;
    const numbers = documents.map((one) => one.invoice.number).join(', ');
    // For the row of a call that has stored no document.
    call.about({ target: invoice.date, tenant, detail: { numbers } });
    return { invoice, stored: documents.map((one) => storedOf(one.invoice)), foundStored };
  }

  /**
   * Stores the credit note of an invoice; a second call returns the first one.
   *
   * @throws ApiError E0044R if there is no such number; E0045R for a statement or a credit note
   */
  async cancel(
    call: ChangingCall,
    number: DocumentNumber,
    reason: string,
  ): Promise<NumberedDocument> {
    const row = await this.stored.find(call.account, number);
    if (!row) throw new ApiError('E0044R', 'invoice.unknown');
    const { kind, tenantId } = row;
    if (kind !== 'invoice') throw new ApiError('E0045R', 'invoice.notInvoice');
    if (tenantId === null) throw new ApiError('E0045R', 'invoice.several');
    const invoice = { ...parseStoredInvoice(row.body), number: numberText(row) };
    const draft = creditNoteOf(invoice, { tenantId, reason, now: this.clock.now() });
    return this.documents.store(call, draft);
  }

  private async ensureTenant(account: Account, name: string | undefined): Promise<void> {
    if (name === undefined) return;
    if (seesTenant(account, name) && (await this.reader.hadTenant(name))) return;
    throw new ApiError('E0044R', 'tenant.unknown');
  }

  private async pageFacts(day: number, usage: readonly TenantUsage[]): Promise<PageFacts> {
    const parties = usage.flatMap(({ relyingParties }) => relyingParties);
    const ids = new Set(parties.map(({ id }) => id));
    const before = await this.reader.months(ids, day, TREND_MONTHS - 1);
    return {
      today: dateOf(this.today()),
      trend: [...before, monthUsageOf(day, parties)],
      unfinished: this.clock.now() < (day + 1) * DAY_MS + COUNTING_DELAY_MS,
    };
  }
}

function figuresOf(usage: RelyingPartyUsage): InvoicedRelyingParty {
  const { domain, users, enabled, disabled, registrations, authentications, activeUsers } = usage;
  return {
    relyingParty: domain,
    users,
    credentials: { enabled, disabled },
    registrations,
    authentications,
    activeUsers,
  };
}

function quantitiesOf(relyingParties: readonly RelyingPartyUsage[]): Quantities {
  const sum = (figure: keyof Usage) =>
    relyingParties.reduce((total, usage) => total + usage[figure], 0);
  return {
    base: 1,
    relyingParties: relyingParties.length,
    users: sum('users'),
    credentials: sum('enabled') + sum('disabled'),
    activeUsers: sum('activeUsers'),
    registrations: sum('registrations'),
    authentications: sum('authentications'),
  };
}

const storedOf = ({ tenants, kind = 'invoice', number = '', total }: Invoice): StoredInvoice => ({
  tenant: tenants[0]?.tenant ?? '',
  kind,
  number,
  total,
});
