import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { RecurringJob } from '../../platform/common/recurring-job.js';
import { Database } from '../../platform/database/database.js';
import { isClockWrong } from '../../platform/database/server-facts.js';
import { EventRetention } from '../../events/event-retention.js';
import { MINUTE_MS } from '../../platform/common/durations.js';
import { addToDay, sumOf, type CountedSlice, type UsageDay } from './usage-figures.js';
import { UsageStore } from './usage-store.js';
import { dayOf, monthOf, monthsBefore } from './calendar.js';

/**
 * The minimum age of an event for the final count, in milliseconds. An event is stamped by the instance that
 * commits it; clock differences and late commits together must exceed this before an event is missed.
 */
export const COUNTING_DELAY_MS = 15 * MINUTE_MS;

const FIRST_RUN_MS = 5_000;
const EVERY_MS = 60_000;
/** Events and rows that are processed at once: few enough that sign-ins on the same connection are not delayed. */
const PACE = { slice: 2_000, unit: 500, pauseMs: 5 };

/**
 * Counts the ledger's events in slices, oldest first: the progress and the figures are stored together, by
 * compare-and-set. So it can stop at any point, run twice and on any number of instances, and continues
 * after an outage. It has no lease: a holder whose clock is wrong counts nothing, and would keep the others from it. Afterwards it deletes old events, and once a day old ceremony counts.
 */
@Injectable()
export class RollUp extends RecurringJob implements OnApplicationBootstrap {
  private running: Promise<void> | undefined;
  private lastDailyRun: number | undefined;
  /** Tests count in smaller steps, and without pauses. */
  pace: Readonly<typeof PACE> = PACE;
  /** The measured cost of a slice and of each event in it; guesses before the first slice. */
  private readonly cost = { sliceMs: 12, eventMs: 0.03 };

  constructor(
    private readonly store: UsageStore,
    private readonly database: Database,
    private readonly retention: EventRetention,
  ) {
    super({ everyMs: EVERY_MS, retryMessage: 'Usage is counted again in a minute' });
  }

  onApplicationBootstrap(): void {
    this.start(FIRST_RUN_MS);
  }

  /** Also waits for a count that a call has begun. */
  override async onModuleDestroy(): Promise<void> {
    await Promise.allSettled([this.running, super.onModuleDestroy()]);
  }

  /**
   * Counts all events that are old enough, unless this clock is wrong. Concurrent callers share one run.
   *
   * @throws the driver's error; figures counted before it are stored
   */
  catchUp(): Promise<void> {
    this.running ??= this.run().finally(() => (this.running = undefined));
    return this.running;
  }

  /** The estimated time to count n events of m days, in milliseconds. */
  expectedMs(events: number, days: number): number {
    if (events === 0) return 0;
    const slices = Math.max(Math.min(days, events), events / this.pace.slice);
    return slices * this.cost.sliceMs + events * this.cost.eventMs;
  }

  /** Deletes events that are counted and older than the retention, and the active users of past months. */
  async discard(): Promise<void> {
    const { unit } = this.pace;
    const counted = await this.store.upto();
    const before = Math.min(counted, await this.retention.before());
    if (before <= 0) return;
    while (!this.isShuttingDown && (await this.retention.deleteEvents(before, unit))) {
      await this.pause();
    }
    // One month more than needed: a reader may be at the previous position of the count.
    const month = monthsBefore(dayOf(counted), 1);
    while (!this.isShuttingDown && (await this.store.deleteActive(month, unit))) {
      await this.pause();
    }
  }

  /** Fills in the tenant of days that instances of the previous version counted. */
  async fillInTenants(): Promise<void> {
    for (const relyingParty of await this.store.relyingParties()) {
      if (this.isShuttingDown) return;
      if (await this.store.fillInTenant(relyingParty)) await this.pause();
    }
  }

  protected override async work(): Promise<void> {
    await this.catchUp();
    await this.discard();
    await this.daily();
  }

  /** Runs daily, and at the first run, since the previous version may have counted until just now. */
  private async daily(): Promise<void> {
    const today = dayOf(this.clock.now());
    if (this.lastDailyRun === today) return;
    await this.fillInTenants();
    await this.retention.deleteCeremonyCounts();
    this.lastDailyRun = today;
  }

  private async run(): Promise<void> {
    // A clock that is ahead would count before events of other instances have come: they would never be counted.
    if (await isClockWrong(this.database)) return;
    // The last row of each relying party, correct as long as no other instance counts in between.
    const rows = new Map<string, UsageDay>();
    for (let next = 0; !this.isShuttingDown; await this.pause()) {
      const old = this.clock.now() - COUNTING_DELAY_MS;
      const slice = await this.store.nextSlice(old, this.pace.slice);
      if (!slice) return;
      if (slice.from !== next) rows.clear();
      if (await this.count(slice, rows)) next = slice.to;
    }
  }

  /** @returns `false` if another instance was faster */
  private async count(slice: CountedSlice, rows: Map<string, UsageDay>): Promise<boolean> {
    const began = performance.now();
    if (slice.from === 0) await this.store.begin();
    const { from, to, day } = slice;
    const newlyActive = await this.store.newlyActive(slice, monthOf(day), from);
    const tallies = await this.store.tallies(from, to);
    const days = new Map<string, { row: UsageDay; exists: boolean }>();
    // During a move, an event at the predecessor counts as activity at the successor.
    for (const id of new Set([...tallies.keys(), ...newlyActive.counts.keys()])) {
      const tally = tallies.get(id) ?? sumOf();
      const previous = rows.get(id) ?? (await this.store.lastDay(id));
      const row = addToDay(previous, { day, tally, newlyActive: newlyActive.counts.get(id) ?? 0 });
      days.set(id, { row, exists: previous?.day === day });
    }
    if (!(await this.store.count(slice, days, newlyActive.users))) return false;
    for (const [id, { row }] of days) rows.set(id, row);
    const { events } = sumOf(...tallies.values());
    this.learn(performance.now() - began + this.pace.pauseMs, events);
    return true;
  }

  /** Large slices reveal the cost of an event, small ones the cost of a slice. */
  private learn(ms: number, events: number): void {
    const { cost } = this;
    const blend = (known: number, seen: number) => 0.9 * known + 0.1 * Math.max(0, seen);
    if (events * 2 > this.pace.slice) {
      cost.eventMs = blend(cost.eventMs, (ms - cost.sliceMs) / events);
    } else cost.sliceMs = blend(cost.sliceMs, ms - events * cost.eventMs);
  }

  private pause(): Promise<void> {
    return pause(this.pace.pauseMs);
  }
}
