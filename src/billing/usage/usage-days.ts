import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import { Database } from '../../platform/database/database.js';
import { scope, type ScopeOwner } from '../../platform/database/scope.js';
import { HOUR_MS, DAY_MS } from '../../platform/common/durations.js';
import { dateOf, dayOf } from './calendar.js';
import { UsageStore } from './usage-store.js';
import { DAYS_OF, DAYS_SINCE, type DayRow } from './usage.statements.js';

/** The usage of relying parties on a day. */
export interface DayUsage {
  /** `YYYY-MM-DD`, UTC. */
  readonly date: string;
  readonly registrations: number;
  readonly authentications: number;
}

/** How far back an answer counts uncounted events: earlier there may be too many. */
const MAX_BEHIND_MS = 2 * HOUR_MS;

/** The usage of the last days, for pages: the final counts and the last minutes. */
@Injectable()
export class UsageDays {
  constructor(
    private readonly database: Database,
    private readonly store: UsageStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Sums over some relying parties (hex IDs), oldest day first, today last. If the count is hours behind,
   * the figures of uncounted days are still too low.
   */
  last(days: number, relyingParties: ReadonlySet<string>): Promise<DayUsage[]> {
    return this.sum(days, relyingParties, (day) => this.database.query(DAYS_SINCE, { day }));
  }

  /** As `last`, for one relying party. */
  ofOne(rp: ScopeOwner, days: number): Promise<DayUsage[]> {
    const rows = (day: number) => this.database.query(DAYS_OF, { ...scope(rp), day });
    return this.sum(days, new Set([rp.id.toString('hex')]), rows);
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
      if (relyingParties.has(relyingPartyId.toString('hex'))) add(day, row);
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
