import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { DAY_MS } from '../../platform/common/durations.js';
import { usageOf, type Usage } from './usage-figures.js';
import { dateOf, firstDayOf, monthOf, monthsBefore } from './calendar.js';
import { UsageStore } from './usage-store.js';
import {
  MONTHS,
  TENANTS_OF_PERIOD,
  TENANT_EVER,
  USAGE_OF_PERIOD,
  type Period,
} from './usage.statements.js';

export interface RelyingPartyUsage extends Usage {
  readonly id: string;
  readonly domain: string;
}

/** A tenant that existed in a period, even if it is removed now. */
export interface TenantUsage {
  readonly id: Buffer;
  /** Its name, which a later tenant may also have. */
  readonly tenant: string;
  readonly displayName: string;
  readonly isOpen: boolean;
  readonly relyingParties: readonly RelyingPartyUsage[];
}

type Activity = Pick<Usage, 'registrations' | 'authentications' | 'activeUsers'>;

/** The usage of relying parties in a month. */
export interface MonthUsage extends Activity {
  /** `YYYY-MM`. */
  readonly month: string;
}

/** Sums over relying parties for the month of a day. */
export function monthUsageOf(day: number, usage: readonly Activity[]): MonthUsage {
  const sum = (figure: keyof Activity) => usage.reduce((total, one) => total + one[figure], 0);
  return {
    month: dateOf(day).slice(0, 7),
    registrations: sum('registrations'),
    authentications: sum('authentications'),
    activeUsers: sum('activeUsers'),
  };
}

/**
 * Figures of any day: the final counts, plus later events that are counted for this answer only. They
 * are computed from the ledger, never from the tables of users and credentials, and so do not depend
 * on when they are requested.
 */
@Injectable()
export class UsageReader {
  constructor(
    private readonly database: Database,
    private readonly store: UsageStore,
  ) {}

  async hadTenant(name: string): Promise<boolean> {
    return (await this.database.query(TENANT_EVER, { name })).length > 0;
  }

  /**
   * Returns the usage in the month of a day, up to and including that day.
   *
   * @returns the tenants that existed then, by name, and their relying parties, by domain
   */
  async of(day: number): Promise<TenantUsage[]> {
    const period = { begin: firstDayOf(day) * DAY_MS, end: (day + 1) * DAY_MS, day };
    const rows = await this.database.query(USAGE_OF_PERIOD, {
      ...period,
      firstDay: firstDayOf(day),
    });
    const since = await this.since(rows[0]?.upto ?? 0, period);
    const parties = rows.flatMap(({ id, ...row }) =>
      id ? [{ ...row, id: id.toString('hex'), ...usageOf(row, since(id), period) }] : [],
    );
    const tenants = await this.database.query(TENANTS_OF_PERIOD, period);
    return tenants.map(({ id, name, displayName, closedAt }) => ({
      id,
      tenant: name,
      displayName,
      isOpen: closedAt === 0,
      relyingParties: parties.filter(({ tenantId }) => tenantId.equals(id)),
    }));
  }

  /** Sums over some relying parties (hex IDs) for the months before the month of a day, oldest first. */
  async months(relyingParties: ReadonlySet<string>, day: number, n: number): Promise<MonthUsage[]> {
    const first = monthsBefore(day, n);
    const rows = await this.database.query(MONTHS, { from: first, to: firstDayOf(day) });
    const mine = rows.filter(({ relyingPartyId }) =>
      relyingParties.has(relyingPartyId.toString('hex')),
    );
    return Array.from({ length: n }, (_, back) => {
      const begin = monthsBefore(day, n - back);
      return monthUsageOf(
        begin,
        mine.filter((row) => row.month === monthOf(begin)),
      );
    });
  }

  /** The events after the final counts, up to the end of the period. */
  private async since(upto: number, { begin, end, day }: Period) {
    // Events never precede 1970, but dates can: a range must not end before its beginning.
    const to = Math.max(0, end);
    const middle = Math.min(Math.max(upto, begin), to);
    const [before, within, newlyActive] = await Promise.all([
      this.store.tallies(Math.min(upto, middle), middle),
      this.store.tallies(middle, to),
      this.store.newlyActive({ from: middle, to }, monthOf(day), upto),
    ]);
    return (relyingParty: Buffer) => {
      const id = relyingParty.toString('hex');
      return {
        before: before.get(id),
        within: within.get(id),
        newlyActive: newlyActive.get(id) ?? 0,
      };
    };
  }
}
