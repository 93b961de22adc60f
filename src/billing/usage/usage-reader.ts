import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import { DAY_MS, HOUR_MS } from '../../platform/common/durations.js';
import { Database } from '../../platform/database/database.js';
import { scope, type ScopeOwner } from '../../platform/database/scope.js';
import { mapKey } from '../../platform/database/row-ids.js';
import { sumOf, usageOf, type Usage } from './usage-figures.js';
import { dateOf, dayOf, firstDayOf, monthOf, monthsBefore } from './calendar.js';
import { UsageStore } from './usage-store.js';
import {
  DAYS_OF,
  DAYS_SINCE,
  MONTHS,
  TENANTS_OF_PERIOD,
  TENANT_EVER,
  USAGE_OF_PERIOD,
  type DayRow,
  type PeriodRow,
  type RelyingPartyPeriodRow,
  type UsagePeriod,
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

/** What the last answer took and read, for estimates. */
export interface UsageRun {
  readonly ms: number;
  readonly relyingParties: number;
  /** Events without a final count, which it counted. */
  readonly young: number;
}

type Activity = Pick<Usage, 'registrations' | 'authentications' | 'activeUsers'>;

/** The usage of relying parties in a month. */
export interface MonthUsage extends Activity {
  /** `YYYY-MM`. */
  readonly month: string;
}

/** The usage of relying parties on a day. */
export interface DayUsage {
  /** `YYYY-MM-DD`, UTC. */
  readonly date: string;
  readonly registrations: number;
  readonly authentications: number;
}

/** How far back an answer counts uncounted events: earlier there may be too many. */
const MAX_BEHIND_MS = 2 * HOUR_MS;

const hasRelyingParty = (row: PeriodRow): row is RelyingPartyPeriodRow => row.id !== null;

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
  /** The last run of `of` in this process. */
  lastRun: UsageRun | undefined;

  constructor(
    private readonly database: Database,
    private readonly store: UsageStore,
    private readonly clock: Clock,
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
    const began = performance.now();
    const period = { begin: firstDayOf(day) * DAY_MS, end: (day + 1) * DAY_MS, day };
    const rows = await this.database.query(USAGE_OF_PERIOD, {
      ...period,
      firstDay: firstDayOf(day),
    });
    const { young, since } = await this.since(rows[0]?.upto ?? 0, period);
    const parties = rows.filter(hasRelyingParty).map((row) => ({
      ...row,
      id: mapKey(row.id),
      ...usageOf(row, since(row.id), period),
    }));
    const tenants = await this.database.query(TENANTS_OF_PERIOD, period);
    this.lastRun = { ms: performance.now() - began, relyingParties: parties.length, young };
    return tenants.map(({ id, name, displayName, closedAt }) => ({
      id,
      tenant: name,
      displayName,
      isOpen: closedAt === 0,
      relyingParties: parties.filter(({ tenantId }) => tenantId.equals(id)),
    }));
  }

  /** Sums over some relying parties (`mapKey` of their IDs) for the months before the month of a day, oldest first. */
  async months(relyingParties: ReadonlySet<string>, day: number, n: number): Promise<MonthUsage[]> {
    const first = monthsBefore(day, n);
    const rows = await this.database.query(MONTHS, { from: first, to: firstDayOf(day) });
    const mine = rows.filter(({ relyingPartyId }) => relyingParties.has(mapKey(relyingPartyId)));
    return Array.from({ length: n }, (_, back) => {
      const begin = monthsBefore(day, n - back);
      return monthUsageOf(
        begin,
        mine.filter((row) => row.month === monthOf(begin)),
      );
    });
  }

  /**
   * The usage of the last days, for pages: sums over some relying parties (`mapKey` of their IDs), oldest day first,
   * today last.
   * If the count is hours behind, the figures of uncounted days are still too low.
   */
  lastDays(days: number, relyingParties: ReadonlySet<string>): Promise<DayUsage[]> {
    return this.sum(days, relyingParties, (day) => this.database.query(DAYS_SINCE, { day }));
  }

  /** As `lastDays`, for one relying party. */
  lastDaysOf(rp: ScopeOwner, days: number): Promise<DayUsage[]> {
    const rows = (day: number) => this.database.query(DAYS_OF, { ...scope(rp), day });
    return this.sum(days, new Set([mapKey(rp.id)]), rows);
  }

  /**
   * The events after the final counts, up to the end of the period: those before the period, and those within it.
   *
   * ```text
   * counted up to         before             within
   * 28 October            28 to 31 October   1 to 30 November     for the period of November
   * 12 November           none               12 to 30 November
   * 3 December            none               none
   * ```
   */
  private async since(upto: number, { begin, end, day }: UsagePeriod) {
    // Events never precede 1970, but dates can: a range must not end before its beginning.
    const to = Math.max(0, end);
    const middle = Math.min(Math.max(upto, begin), to);
    const [before, within, newlyActive] = await Promise.all([
      this.store.tallies(Math.min(upto, middle), middle),
      this.store.tallies(middle, to),
      this.store.newlyActive({ from: middle, to }, monthOf(day), upto),
    ]);
    const since = (relyingParty: Buffer) => {
      const id = mapKey(relyingParty);
      return {
        before: before.get(id),
        within: within.get(id),
        newlyActive: newlyActive.counts.get(id) ?? 0,
      };
    };
    return { young: sumOf(...before.values(), ...within.values()).events, since };
  }

  private async sum(
    days: number,
    relyingParties: ReadonlySet<string>,
    rowsSince: (day: number) => Promise<DayRow[]>,
  ): Promise<DayUsage[]> {
    const today = dayOf(this.clock.now());
    const first = today - days + 1;
    const sums = Array.from({ length: days }, () => ({ registrations: 0, authentications: 0 }));
    const add = (day: number, more: Pick<DayRow, 'registrations' | 'authentications'>) => {
      const sum = sums[day - first];
      if (!sum) return;
      sum.registrations += more.registrations;
      sum.authentications += more.authentications;
    };
    for (const { relyingPartyId, day, ...row } of await rowsSince(first)) {
      if (relyingParties.has(mapKey(relyingPartyId))) add(day, row);
    }
    for (const [id, tally, day] of await this.uncounted(today)) {
      if (relyingParties.has(id)) add(day, tally);
    }
    return sums.map((sum, n) => ({ date: dateOf(first + n), ...sum }));
  }

  /** The uncounted events of today and yesterday. */
  private async uncounted(today: number) {
    const upto = await this.store.upto();
    const midnight = today * DAY_MS;
    const now = this.clock.now();
    // If nothing is counted yet, the ledger is young; if `upto` is long ago, there have been no events
    // since.
    const from = upto === 0 ? midnight : Math.max(upto, now - MAX_BEHIND_MS);
    const end = (today + 1) * DAY_MS;
    const parts = [
      { from: Math.min(from, midnight), to: midnight, day: today - 1 },
      { from: Math.max(from, midnight), to: end, day: today },
    ];
    const tallies = await Promise.all(
      parts.map(async ({ from: start, to, day }) =>
        [...(await this.store.tallies(start, to))].map(([id, tally]) => [id, tally, day] as const),
      ),
    );
    return tallies.flat();
  }
}
