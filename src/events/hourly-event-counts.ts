import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/common/clock.js';
import { Database } from '../platform/database/database.js';
import { mapKey } from '../platform/database/row-ids.js';
import { MINUTE_MS, HOUR_MS } from '../platform/common/durations.js';
import { brokenRule, brokenRuleIn } from '../platform/errors/reasons.js';
import type { EventKind } from './event.entity.js';
import { eventSlices } from './event-slices.js';
import { COUNT_BY_KIND } from './event.statements.js';

export interface EventCount {
  /** The relying party's ID (`mapKey`). */
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

/** The counts of an hour, as far as its events are final. */
interface CountedHour {
  /** Milliseconds since 1970, exclusive. */
  readonly upTo: number;
  readonly counts: readonly EventCount[];
}

/**
 * Counts the events of the last hours. The ledger is never counted as a whole: each hour is a range of its
 * keys, which is counted in slices, and what is final is kept, of an unfinished hour too.
 */
@Injectable()
export class HourlyEventCounts {
  private readonly hours = new Map<number, CountedHour>();
  private readonly underWay = new Map<number, Promise<readonly EventCount[]>>();

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
      counts.push(await this.sharedCountOf(hour, now));
    }
    return counts.flat();
  }

  /** A busy hour has thousands of slices: simultaneous callers share its count. */
  private sharedCountOf(hour: number, now: number): Promise<readonly EventCount[]> {
    const count =
      this.underWay.get(hour) ?? this.countOf(hour, now).finally(() => this.underWay.delete(hour));
    this.underWay.set(hour, count);
    return count;
  }

  private async countOf(hour: number, now: number): Promise<readonly EventCount[]> {
    const begin = hour * HOUR_MS;
    const end = begin + HOUR_MS;
    const { upTo, counts } = this.hours.get(hour) ?? { upTo: begin, counts: [] };
    if (upTo === end) return counts;
    const final = Math.min(end, Math.max(upTo, now - GRACE_MS));
    const known = sumOf([...counts, ...(await this.countSlices(hour, upTo, final))]);
    this.hours.set(hour, { upTo: final, counts: known });
    return final === end ? known : [...known, ...(await this.countSlices(hour, final, end))];
  }

  private async countSlices(hour: number, from: number, to: number): Promise<EventCount[]> {
    const counts: EventCount[] = [];
    for await (const slice of eventSlices(this.database, from, to)) {
      const query = { ...slice, ofRule: brokenRule('%') };
      for (const row of await this.database.query(COUNT_BY_KIND, query)) {
        const { relyingPartyId, rule, n, ...count } = row;
        const relyingParty = mapKey(relyingPartyId);
        counts.push({ ...count, rule: brokenRuleIn(rule), relyingParty, hour, n: Number(n) });
      }
    }
    return sumOf(counts);
  }
}

/** Adds the counts of the same events in several slices. */
function sumOf(counts: readonly EventCount[]): EventCount[] {
  const sums = new Map<string, EventCount>();
  for (const count of counts) {
    const { relyingParty, kind, code, rule } = count;
    const key = [relyingParty, kind, code, rule].join(' ');
    sums.set(key, { ...count, n: count.n + (sums.get(key)?.n ?? 0) });
  }
  return [...sums.values()];
}
