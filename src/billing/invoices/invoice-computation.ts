import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import { DAY_MS } from '../../platform/common/durations.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { seesTenant, type Account } from '../../platform/access/accounts/account.js';
import { Prices } from '../pricing/price-list.js';
import {
  planLines,
  planOf,
  priceListOn,
  totalOf,
  vatOf,
  withTax,
  type Quantities,
} from '../pricing/pricing.js';
import { dateOf, dayOf, firstDayOf } from '../usage/calendar.js';
import { COUNTING_DELAY_MS, RollUp } from '../usage/roll-up.js';
import type { Usage } from '../usage/usage-figures.js';
import {
  UsageReader,
  monthUsageOf,
  type RelyingPartyUsage,
  type TenantUsage,
} from '../usage/usage-reader.js';
import type { PageFacts } from './shown-invoice.answer.js';
import type { Invoice, InvoicedRelyingParty, InvoicedTenant } from './invoice.answer.js';

/** The number of months in the trend, including the invoice's own. */
const TREND_MONTHS = 12;

/** Computes invoices from usage and prices, and stores none. */
@Injectable()
export class InvoiceComputation {
  constructor(
    private readonly reader: UsageReader,
    private readonly rollUp: RollUp,
    private readonly clock: Clock,
    private readonly prices: Prices,
  ) {}

  /** Today's day number, in UTC. */
  today(): number {
    return dayOf(this.clock.now());
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

  /** What the page shows beside the invoice of a day. */
  async pageFacts(day: number, usage: readonly TenantUsage[]): Promise<PageFacts> {
    const parties = usage.flatMap(({ relyingParties }) => relyingParties);
    const ids = new Set(parties.map(({ id }) => id));
    const before = await this.reader.months(ids, day, TREND_MONTHS - 1);
    return {
      today: dateOf(this.today()),
      trend: [...before, monthUsageOf(day, parties)],
      unfinished: this.clock.now() < (day + 1) * DAY_MS + COUNTING_DELAY_MS,
    };
  }

  private async ensureTenant(account: Account, name: string | undefined): Promise<void> {
    if (name === undefined) return;
    if (seesTenant(account, name) && (await this.reader.hadTenant(name))) return;
    throw new ApiError('E0044R', 'tenant.unknown');
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
