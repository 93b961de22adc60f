import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/common/clock.js';
import { idFrom } from '../platform/database/row-ids.js';
import { Database } from '../platform/database/database.js';
import { MINUTE_MS, HOUR_MS } from '../platform/common/durations.js';
import { brokenRule, brokenRuleIn } from '../platform/errors/reasons.js';
import type { EventKind } from './event.entity.js';
import { COUNT_BY_KIND } from './event.statements.js';

export interface EventCount {
  /** The relying party's ID in hex. */
  readonly relyingParty: string;
  readonly kind: EventKind;
  /** Hours since 1970. */
  readonly hour: number;
  /** The error code of a refusal. */
  readonly code: string | null;
  /** The policy rule that refused. */
  readonly rule: string | undefined;
  readonly n: number;
}

/** The maximum delay of events of an hour, because of other instances' clocks and slow commits. */
const GRACE_MS = 15 * MINUTE_MS;
const KEPT_HOURS = 7 * 24;

/**
 * Counts the events of the last hours. The ledger is never counted as a whole: each hour is a range of its
 * keys, which is counted once when the hour is over, and the result is cached.
 */
@Injectable()
export class HourlyEventCounts {
  private readonly hours = new Map<number, readonly EventCount[]>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** @param n at most 168, a week: the current hour is counted, and this many before it */
  async lastHours(n: number): Promise<EventCount[]> {
    const now = this.clock.now();
    const current = Math.floor(now / HOUR_MS);
    for (const hour of this.hours.keys()) if (hour < current - KEPT_HOURS) this.hours.delete(hour);
    const counts: (readonly EventCount[])[] = [];
    for (let hour = current; hour >= current - n; hour -= 1) {
      counts.push(this.hours.get(hour) ?? (await this.count(hour, now)));
    }
    return counts.flat();
  }

  private async count(hour: number, now: number): Promise<readonly EventCount[]> {
    // SQLite answers synchronously, so other tasks run between two hours.
    await yieldToEventLoop();
    const from = hour * HOUR_MS;
    const to = (hour + 1) * HOUR_MS;
    const hours = { from: idFrom(from), to: idFrom(to), ofRule: brokenRule('%') };
    const rows = await this.database.query(COUNT_BY_KIND, hours);
    const counts = rows.map(({ relyingPartyId, rule, n, ...count }) => ({
      ...count,
      rule: brokenRuleIn(rule),
      relyingParty: relyingPartyId.toString('hex'),
      hour,
      n: Number(n),
    }));
    if (to + GRACE_MS < now) this.hours.set(hour, counts);
    return counts;
  }
}
