import { Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { idFrom, timeOf } from '../../database/columns.js';
import { Leases } from '../../database/leases/leases.js';
import type { LeasedRounds } from '../../database/leases/leased-rounds.js';
import { EventRetention } from '../retention/event-retention.js';
import { GRACE_MS, NumberingStore, SLICE_MS, sliceOf } from './numbering-store.js';
import type { Found, Progress, Span } from './numbering-store.js';
import { countNumbered } from './numbering-metrics.js';

/** Most commits are done after this time; events of slower ones are found by looking again. */
const SETTLE_MS = 300;
const EVERY_MS = 1_000;
/** Events of one step: small enough that logins which share the connection do not notice. */
const STEP = 1_000;
/**
 * Slices that each run looks at again: the newest, and in turn some of the others, all of them within a
 * minute.
 */
const NEWEST_SLICES = 2;
const TURN_SLICES = 3;
const TURNS = GRACE_MS / SLICE_MS / TURN_SLICES;

const DAY_MS = 86_400_000;
const DISCARD_EVERY_MS = 10 * 60_000;
const DISCARD_SLICES = 12;

/**
 * Gives the ledger's events their numbers, which readers and webhooks follow. An event's ID holds the time by
 * the clock of the instance that wrote it, so an event may appear after others with later IDs. Numbers
 * therefore follow the order in which this job finds events. It goes forward along the IDs, and looks again
 * at the last quarter of an hour: where a span has more events than numbers, it searches for those without
 * one. Numbers and progress are stored in one unit, by compare-and-set, so the job can stop anywhere.
 */
@Injectable()
export class EventNumbering implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly rounds: LeasedRounds;
  private turn = 0;
  private discardAt = 0;

  constructor(
    private readonly store: NumberingStore,
    private readonly clock: Clock,
    private readonly retention: EventRetention,
    leases: Leases,
  ) {
    this.rounds = leases.rounds('event-numbering', {
      ...{ everyMs: EVERY_MS, work: () => this.work() },
      ...{ again: 'Events are numbered again in a moment', context: 'Ledger' },
    });
  }

  onApplicationBootstrap(): void {
    this.rounds.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.rounds.stop();
  }

  /**
   * Numbers all present events, no matter which process holds the lease.
   *
   * @throws the driver's error; events that were numbered until then keep their numbers
   */
  async catchUp(): Promise<void> {
    await this.forward(this.clock.now());
    for (let turn = 0; turn < TURNS; turn += 1) await this.lookAgain();
  }

  private async work(): Promise<void> {
    if (!(await this.rounds.hold())) return;
    await this.forward(this.clock.now() - SETTLE_MS);
    await this.lookAgain();
    await this.discard();
  }

  /** Numbers the events that were written since the last time, up to a time. */
  private async forward(to: number): Promise<void> {
    while (!this.rounds.stopped) {
      const progress = await this.progress();
      if (progress.upto >= to) return;
      const events = await this.store.events(idFrom(progress.upto), to, STEP);
      if (events.length === 0) return this.passOver(progress, to);
      const { found, upto } = events.length < STEP ? { found: events, upto: to } : whole(events);
      if ((await this.append(progress, found, upto)) && upto === to) return;
    }
  }

  /**
   * Moves progress on while there are no events: events before numbering began have no numbers, so looking
   * again must not reach back that far.
   */
  private async passOver(progress: Progress, to: number): Promise<void> {
    if (to - progress.upto > GRACE_MS / 2) await this.append(progress, [], to);
  }

  /** Looks again at two spans before the progress: the newest slices, and a part of the others. */
  private async lookAgain(): Promise<void> {
    const { upto } = await this.progress();
    const end = sliceOf(upto) + 1;
    // Starts with the oldest slices, so that late events are found in their order.
    const oldest = end - (TURNS - this.turn) * TURN_SLICES;
    this.turn = (this.turn + 1) % TURNS;
    for (const [first, count] of [
      [oldest, TURN_SLICES],
      [end - NEWEST_SLICES, NEWEST_SLICES],
    ] as const) {
      const span = { from: first * SLICE_MS, to: Math.min((first + count) * SLICE_MS, upto) };
      if (span.from < span.to && (await this.store.missing(span)) > 0) await this.findIn(span);
    }
  }

  private async findIn({ from, to }: Span): Promise<void> {
    for (let start = from; start < to && !this.rounds.stopped; start += SLICE_MS) {
      await this.findInSlice({ from: start, to: Math.min(start + SLICE_MS, to) });
    }
  }

  private async findInSlice({ from, to }: Span): Promise<void> {
    const progress = await this.progress();
    const numbered = await this.store.numbered(sliceOf(from));
    for (let behind = idFrom(from); ;) {
      const events = await this.store.events(behind, to, STEP);
      const late = events.filter(({ id }) => !numbered.has(id.toString('latin1')));
      if (late.length > 0) {
        await this.append(progress, late, progress.upto);
        return;
      }
      const last = events.at(-1);
      if (!last || events.length < STEP) return;
      behind = last.id;
    }
  }

  /** @returns `false` when another instance was faster */
  private async append(progress: Progress, found: readonly Found[], upto: number) {
    const stored = await this.store.append(progress, found, upto);
    if (stored) countNumbered(found.length);
    return stored;
  }

  private async progress(): Promise<Progress> {
    for (;;) {
      const progress = await this.store.progress();
      if (progress) return progress;
      await this.store.begin(this.clock.now() - GRACE_MS - SLICE_MS);
    }
  }

  /** Deletes numbers a day after their events may go. */
  private async discard(): Promise<void> {
    const now = this.clock.now();
    if (now < this.discardAt) return;
    const before = (await this.retention.before()) - DAY_MS;
    while (!this.rounds.stopped && (await this.store.discard(before, DISCARD_SLICES)));
    this.discardAt = now + DISCARD_EVERY_MS;
  }
}

/**
 * Drops the events of the last millisecond, of which there may be more, so that the next step begins with it.
 */
function whole(events: readonly Found[]): { found: readonly Found[]; upto: number } {
  const times = events.map(({ id }) => timeOf(id));
  const last = times.at(-1) ?? 0;
  const found = events.filter((_, n) => times[n] !== last);
  // Where all belong to one millisecond, the remaining ones are found by looking again.
  return found.length > 0 ? { found, upto: last } : { found: events, upto: last + 1 };
}
