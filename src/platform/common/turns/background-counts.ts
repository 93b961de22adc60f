import { hash } from 'node:crypto';
import { setImmediate as yieldToEventLoop, setTimeout as pause } from 'node:timers/promises';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../clock.js';
import { takeTurn, type Reader } from './read-turns.js';

/** A number of matches; not `exact` if there are more, or if counting took longer than an answer waits. */
export interface MatchCount {
  readonly total: number;
  readonly exact: boolean;
}

/** What to count: `slices` yields the matches of each part, a few milliseconds of work. */
interface Countable {
  /** Names the count among those of all lists: the list, and all that selects its rows. */
  readonly key: readonly [list: string, ...conditions: unknown[]];
  readonly slices: () => AsyncGenerator<number, void>;
  /** Counting ends when there are more. */
  readonly most?: number;
  /** How long the answer waits for the end. */
  readonly waitMs?: number;
}

/** A count in progress. */
interface Count {
  /** Counted so far. */
  n: number;
  done: boolean;
  /** A caller did not wait for the end: counting continues, and its result is kept for a while. */
  long: boolean;
  /** A caller did not wait for the end, and too many counts continue already: it stops here. */
  givenUp: boolean;
  readonly most: number;
  readonly finished: Promise<void>;
}

/** Programs wait this long; users of a page wait longer. */
const WAIT_MS = 30;
export const PAGE_WAIT_MS = 250;
const KEPT_MS = 30_000;
const MAX_KEPT = 200;
/** Maximum number of counts that continue without a waiting caller. */
const MAX_LONG = 4;
/** Counts without a waiting caller share the turns of a single caller. */
const COUNTS: Reader = { caller: 'counts', hasLeft: () => false };

/**
 * Counts matches while a page is read. A million rows take longer than a page may: the answer then shows the count so
 * far, while counting continues in slices. A long count is kept for half a minute. An equal one joins a count in
 * progress; a few counts continue after their last caller has left.
 */
@Injectable()
export class BackgroundCounts implements OnModuleDestroy {
  /** The results of long counts. */
  private readonly kept = new LRUCache<string, { n: number; at: number }>({ max: MAX_KEPT });
  private readonly underWay = new Map<string, Count>();
  private isShuttingDown = false;

  constructor(private readonly clock: Clock) {}

  /** Ends the counts in progress. */
  onModuleDestroy(): void {
    this.isShuttingDown = true;
  }

  async of({ key, slices, most = Infinity, waitMs = WAIT_MS }: Countable): Promise<MatchCount> {
    const name = hash('sha256', JSON.stringify(key));
    const kept = this.kept.get(name);
    if (kept && this.clock.now() - kept.at < KEPT_MS) return countOf(kept.n, most);
    const count = this.underWay.get(name) ?? this.start(name, slices, most);
    await within(waitMs, count.finished);
    if (count.done) return countOf(count.n, most);
    this.leave(name, count);
    return { total: Math.min(kept?.n ?? count.n, most), exact: false };
  }

  private start(name: string, slices: Countable['slices'], most: number): Count {
    const count: Count = {
      n: 0,
      done: false,
      long: false,
      givenUp: false,
      most,
      finished: Promise.resolve()
        .then(() => this.run(slices(), count))
        .finally(() => this.forget(name, count)),
    };
    // Waiting callers receive the error.
    count.finished.catch(() => undefined);
    this.underWay.set(name, count);
    return count;
  }

  /** Called when the last caller stops waiting. */
  private leave(name: string, count: Count): void {
    if (count.long || count.givenUp) return;
    const others = [...this.underWay.values()].filter(({ long }) => long);
    count.long = others.length < MAX_LONG;
    count.givenUp = !count.long;
    if (count.givenUp) this.forget(name, count);
  }

  private forget(name: string, count: Count): void {
    if (count.done && count.long) this.kept.set(name, { n: count.n, at: this.clock.now() });
    if (this.underWay.get(name) === count) this.underWay.delete(name);
  }

  private async run(slices: AsyncGenerator<number, void>, count: Count): Promise<void> {
    try {
      while (count.n <= count.most) {
        if (this.isShuttingDown || count.givenUp) return;
        const { done, value } = await counting(count, () => slices.next());
        if (done) break;
        count.n += value;
        // SQLite answers synchronously: other requests run in between.
        await yieldToEventLoop();
      }
      count.done = true;
    } finally {
      await slices.return();
    }
  }
}

const countOf = (n: number, most: number): MatchCount => ({
  total: Math.min(n, most),
  exact: n <= most,
});

/** A count waits for turns as soon as no caller waits for it. */
const counting = <T>({ long }: Count, slice: () => Promise<T>): Promise<T> =>
  long ? takeTurn(COUNTS, slice) : slice();

const within = (ms: number, promise: Promise<void>): Promise<void> =>
  Promise.race([promise, pause(ms, undefined, { ref: false })]);
