import type { Prices } from '../config/price-list.js';
import { dateOf, firstDayOf } from './calendar.js';
import { linesOf, planOf, totalOf } from './pricing.js';
import type { Invoice, InvoicedRelyingParty, InvoicedTenant } from './invoice.schema.js';
import type { Quantities } from './pricing.js';
import type { Usage } from './figures.js';
import type { RelyingPartyUsage, TenantUsage } from './usage-reader.js';

/** The invoice of a day: its month, up to and with that day. */
export function invoiceOf(day: number, tenants: readonly TenantUsage[], prices: Prices): Invoice {
  const date = dateOf(day);
  const invoiced = tenants.map(({ tenant, relyingParties }): InvoicedTenant => {
    const lines = linesOf(planOf(prices, tenant, date), quantitiesOf(relyingParties));
    return {
      tenant,
      relyingParties: relyingParties.map(figuresOf),
      lines,
      total: totalOf(lines.map(({ amount }) => amount)),
    };
  });
  return {
    date,
    period: { from: dateOf(firstDayOf(day)), to: date },
    currency: prices.currency,
    tenants: invoiced,
    total: totalOf(invoiced.map(({ total }) => total)),
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
