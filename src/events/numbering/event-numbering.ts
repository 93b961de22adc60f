import { Injectable } from '@nestjs/common';
import { END_OF_TIME, idFrom, mapKey, timeOfId } from '../../platform/database/row-ids.js';
import { Database } from '../../platform/database/database.js';
import { LeasedJob } from '../../platform/database/jobs/leased-job.js';
import { EventRetention } from '../event-retention.js';
import { MINUTE_MS, DAY_MS } from '../../platform/common/durations.js';
import {
  FAR_MS,
  NUMBERING_GRACE_MS,
  NumberingStore,
  SLICE_MS,
  timeSliceOf,
  type TimeSpan,
} from './numbering-store.js';
import type { NumberingPosition, UnnumberedEvent } from './numbering.statements.js';

/** Most commits finish within this time; events of slower ones are found by searching again. */
const SETTLE_MS = 300;
/** Events of clocks that are ahead by less than this wait for their time, so that they keep their order. */
const AHEAD_MS = 5_000;
const EVERY_MS = 1_000;
/** Few enough that sign-ins on the same connection are not delayed. */
const EVENTS_PER_STATEMENT = 1_000;
const NEWEST_SLICES = 2;
/** Slices per pass. Each run makes one pass near the present and one in a wider span. */
const TURN_SLICES = 3;

const DISCARD_EVERY_MS = 10 * MINUTE_MS;
const DISCARD_SLICES = 12;

/**
 * Assigns numbers to the ledger's events, which readers and webhooks follow, in the order in which it finds them: an
 * event may appear after others with later IDs, since the clocks of instances differ. It proceeds along the IDs. Then
 * it searches each span that has more events than numbers, around the present and up to the last ID. Numbers and
 * progress are stored in one unit, by compare-and-set, so the job can stop at any point.
 */
@Injectable()
export class EventNumbering extends LeasedJob {
  private readonly near = new Sweep();
  private readonly far = new Sweep();
  private discardAt = 0;

  constructor(
    private readonly store: NumberingStore,
    private readonly retention: EventRetention,
    database: Database,
  ) {
    super(database, {
      name: 'event-numbering',
      everyMs: EVERY_MS,
      retryMessage: 'Events are numbered again in a moment',
    });
  }

  /**
   * Numbers all existing events, without regard to the lease.
   *
   * @throws the driver's error; events that were numbered before it keep their numbers
   */
  async catchUp(): Promise<void> {
    const now = this.clock.now();
    await this.forward(() => true);
    const { upto } = await this.progress();
    await this.findIn(spanAround(presentOf(upto, now), upto, FAR_MS), upto);
  }

  protected override async work(): Promise<void> {
    if (!(await this.hold())) return;
    const now = this.clock.now();
    await this.forward((time) => time <= now - SETTLE_MS || time > now + AHEAD_MS);
    await this.lookAgain(now);
    await this.discard();
  }

  /**
   * Numbers the events after the progress, and advances it to the last of them.
   *
   * @param isDue whether events of a time are numbered now; all others are numbered in a later run
   */
  private async forward(isDue: (time: number) => boolean): Promise<void> {
    while (!this.isShuttingDown) {
      const progress = await this.progress();
      const events = await this.store.events(
        idFrom(progress.upto),
        END_OF_TIME,
        EVENTS_PER_STATEMENT,
      );
      const due = events.filter(({ id }) => isDue(timeOfId(id)));
      if (due.length === 0) return;
      const { found, upto } = events.length < EVENTS_PER_STATEMENT ? all(due) : whole(due);
      if ((await this.store.append(progress, found, upto)) && events.length < EVENTS_PER_STATEMENT)
        return;
    }
  }

  /**
   * Searches again before the progress: the newest slices, and alternately some others, so that all near the present
   * are searched within a minute, and those of a clock that was off by an hour within minutes.
   */
  private async lookAgain(now: number): Promise<void> {
    const { upto } = await this.progress();
    const present = presentOf(upto, now);
    const spans = [
      this.far.next(spanAround(present, upto, FAR_MS)),
      this.near.next(spanAround(present, upto, NUMBERING_GRACE_MS)),
      newestBefore(present),
      ...(timeSliceOf(upto) > timeSliceOf(present) ? [newestBefore(upto)] : []),
    ];
    // Starts with the oldest slices, so that late events are found in order.
    for (const span of spans) await this.findIn(span, upto);
  }

  /** Numbers the unnumbered events in a span of whole slices, as far as it is before the progress. */
  private async findIn({ from, to }: TimeSpan, upto: number): Promise<void> {
    const span = { from, to: Math.min(to, upto) };
    if (this.isShuttingDown || span.from >= span.to || (await this.store.missing(span)) <= 0)
      return;
    if (to - from === SLICE_MS) return this.findInSlice(span);
    const slices = (to - from) / SLICE_MS;
    const middle = from + Math.ceil(slices / 2) * SLICE_MS;
    await this.findIn({ from, to: middle }, upto);
    await this.findIn({ from: middle, to }, upto);
  }

  private async findInSlice(slice: TimeSpan): Promise<void> {
    while (!this.isShuttingDown) {
      const progress = await this.progress();
      const late = await this.lateIn(slice);
      if (late.length === 0) return;
      // Search again: there may be more, or another instance was faster.
      await this.store.append(progress, late, progress.upto);
    }
  }

  private async lateIn({ from, to }: TimeSpan): Promise<readonly UnnumberedEvent[]> {
    const numbered = await this.store.numbered(timeSliceOf(from));
    for (let after = idFrom(from); ;) {
      const events = await this.store.events(after, to, EVENTS_PER_STATEMENT);
      const late = events.filter(({ id }) => !numbered.has(mapKey(id)));
      const last = events.at(-1);
      if (late.length > 0 || !last || events.length < EVENTS_PER_STATEMENT) return late;
      after = last.id;
    }
  }

  private async progress(): Promise<NumberingPosition> {
    for (;;) {
      const progress = await this.store.progress();
      if (progress) return progress;
      await this.store.begin(this.clock.now() - NUMBERING_GRACE_MS - SLICE_MS);
    }
  }

  /** Deletes numbers a day after their events may be deleted. */
  private async discard(): Promise<void> {
    const now = this.clock.now();
    if (now < this.discardAt) return;
    const before = (await this.retention.before()) - DAY_MS;
    while (!this.isShuttingDown && (await this.store.discard(before, DISCARD_SLICES)));
    this.discardAt = now + DISCARD_EVERY_MS;
  }
}

/** The time at which most events appear: now, or the time of the last one if that is earlier. */
const presentOf = (upto: number, now: number): number => Math.min(upto, now);

/** The slices from some time before the present to the same time after it, or to the progress. */
function spanAround(present: number, upto: number, ms: number): TimeSpan {
  const slice = timeSliceOf(present);
  const last = timeSliceOf(upto);
  const around = ms / SLICE_MS;
  return {
    from: (slice - around) * SLICE_MS,
    to: (Math.min(slice + around, last) + 1) * SLICE_MS,
  };
}

/** Iterates over a span slice by slice, oldest first, and repeats. The span may move. */
class Sweep {
  private position = 0;

  next({ from, to }: TimeSpan): TimeSpan {
    const begin = this.position < from || this.position >= to ? from : this.position;
    this.position = Math.min(begin + TURN_SLICES * SLICE_MS, to);
    return { from: begin, to: this.position };
  }
}

function newestBefore(time: number): TimeSpan {
  const end = timeSliceOf(time) + 1;
  return { from: (end - NEWEST_SLICES) * SLICE_MS, to: end * SLICE_MS };
}

interface Part {
  readonly found: readonly UnnumberedEvent[];
  readonly upto: number;
}

const all = (events: readonly UnnumberedEvent[]): Part => ({
  found: events,
  upto: lastTimeOf(events) + 1,
});

/** Drops the events of the last millisecond, of which there may be more, so that the next step begins with it. */
function whole(events: readonly UnnumberedEvent[]): Part {
  const last = lastTimeOf(events);
  const found = events.filter(({ id }) => timeOfId(id) !== last);
  // If all belong to one millisecond, the remaining ones are found by searching again.
  return found.length > 0 ? { found, upto: last } : all(events);
}

function lastTimeOf(events: readonly UnnumberedEvent[]): number {
  const last = events.at(-1);
  return last ? timeOfId(last.id) : 0;
}
