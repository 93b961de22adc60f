import type { Prices } from '../../platform/config/files/price-list.js';
import { dateOf, firstDayOf } from '../usage/calendar.js';
import {
  planLines,
  planOf,
  priceListOn,
  totalOf,
  vatOf,
  withTax,
  type Quantities,
} from '../pricing/pricing.js';
import type { Usage } from '../usage/usage-figures.js';
import type { RelyingPartyUsage, TenantUsage } from '../usage/usage-reader.js';
import type { Invoice, InvoicedRelyingParty, InvoicedTenant } from './invoice.schema.js';

/** Computes the invoice of a day: for its month, up to and including that day. */
export function invoiceOf(day: number, tenants: readonly TenantUsage[], prices: Prices): Invoice {
  const date = dateOf(day);
  const list = priceListOn(prices, date);
  const invoiced = tenants.map(({ tenant, displayName, relyingParties }): InvoicedTenant => {
    const lines = planLines(planOf(list, tenant), quantitiesOf(relyingParties));
    const total = totalOf(lines.map(({ amount }) => amount));
    return {
      tenant,
      displayName,
      relyingParties: relyingParties.map(figuresOf),
      lines,
      total,
      ...withTax(total, vatOf(tenant, prices.booking, list)),
    };
  });
  return {
    date,
    period: { from: dateOf(firstDayOf(day)), to: date },
    currency: prices.currency,
    tenants: invoiced,
    total: totalOf(invoiced.map(({ total }) => total)),
    gross: totalOf(invoiced.map(({ total, gross = total }) => gross)),
  };
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
