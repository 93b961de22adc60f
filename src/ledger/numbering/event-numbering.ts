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

/** Most commits are done by then; those that are not are found by looking again. */
const SETTLE_MS = 300;
const EVERY_MS = 1_000;
/** Events of one step: small enough that logins which share the connection do not notice. */
const STEP = 1_000;
/** What each run looks at again: the newest slices, and by turns the others, all of them in a minute. */
const NEWEST_SLICES = 2;
const TURN_SLICES = 3;
const TURNS = GRACE_MS / SLICE_MS / TURN_SLICES;

const DAY_MS = 86_400_000;
const DISCARD_EVERY_MS = 10 * 60_000;
const DISCARD_SLICES = 12;

/**
 * Gives the ledger's events their numbers, which readers and webhooks follow. An event's id says when
 * the instance that wrote it thought it to be, and may appear behind later ones: so the order is that in
 * which this job finds them. It goes forward along the ids, and looks again at the last quarter of an
 * hour: where a stretch has more events than numbers, those without one are looked for. What is
 * numbered and how far moves in one unit, by compare-and-set; the job can stop anywhere.
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
   * Numbers all events that there are, whoever holds the lease.
   *
   * @throws the driver's error; what was numbered until then stays so
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

  /** Numbers what was written since, up to a time. */
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

  /** What lies before the beginning has no numbers: the looks behind must not come that far. */
  private async passOver(progress: Progress, to: number): Promise<void> {
    if (to - progress.upto > GRACE_MS / 2) await this.append(progress, [], to);
  }

  /** Two looks at what lies behind: one at the newest, one at a part of the rest. */
  private async lookAgain(): Promise<void> {
    const { upto } = await this.progress();
    const end = sliceOf(upto) + 1;
    // From the oldest on, so that what comes late is found in its order.
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

  /** Numbers go with their events, a day later. */
  private async discard(): Promise<void> {
    const now = this.clock.now();
    if (now < this.discardAt) return;
    const before = (await this.retention.before()) - DAY_MS;
    while (!this.rounds.stopped && (await this.store.discard(before, DISCARD_SLICES)));
    this.discardAt = now + DISCARD_EVERY_MS;
  }
}

/** Those of whole milliseconds, so that the next step begins with one. */
function whole(events: readonly Found[]): { found: readonly Found[]; upto: number } {
  const times = events.map(({ id }) => timeOf(id));
  const last = times.at(-1) ?? 0;
  const found = events.filter((_, n) => times[n] !== last);
  // Where all are of one, those that are left are found by looking again.
  return found.length > 0 ? { found, upto: last } : { found: events, upto: last + 1 };
}
