import { hash } from 'node:crypto';
import { setImmediate as yieldToEventLoop, setTimeout as pause } from 'node:timers/promises';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../platform/common/clock.js';
import { withoutTurns, takeTurn, type Reader } from '../../platform/common/turns.js';
import { Database } from '../../platform/database/database.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import type { WalkPage } from '../list/walk.js';
import { nameFormOf } from '../name-forms.js';
import { NAME_SEARCH } from '../user.statements.js';
import { nextBytes, type Pattern } from './pattern.js';
import { UserSearch, comparablePattern, type Criterion, type PageSpan } from './user-search.js';

/** Number of matching users; not `exact` if counting took longer than an answer waits. */
export interface MatchCount {
  readonly total: number;
  readonly exact: boolean;
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
  readonly finished: Promise<void>;
}

const WAIT_MS = 30;
const KEPT_MS = 30_000;
const MAX_KEPT = 200;
/** Maximum number of counts that continue without a waiting caller. */
const MAX_LONG = 4;
const SLICE = 20_000;
/** Counts without a waiting caller share the turns of a single caller. */
const COUNTS: Reader = { caller: 'counts', hasLeft: () => false };
const MAX_BY_DEVICE = 10_000;

/**
 * Pages of matching users, and their number, which is counted at the same time. A million names take longer than a
 * page may: the answer then shows the count so far, while counting continues in slices. A long count is kept for half
 * a minute. An equal search joins a count in progress; a few counts continue after their last caller has left.
 */
@Injectable()
export class CountedSearch implements OnModuleDestroy {
  /** The results of long counts. */
  private readonly kept = new LRUCache<string, { n: number; at: number }>({ max: MAX_KEPT });
  private readonly underWay = new Map<string, Count>();
  private stopped = false;

  constructor(
    private readonly database: Database,
    private readonly search: UserSearch,
    private readonly clock: Clock,
  ) {}

  onModuleDestroy(): void {
    this.stopped = true;
  }

  /** A page of the matching users, and the number of all of them. */
  async page(
    rps: readonly RelyingParty[],
    criterion: Criterion,
    span: PageSpan,
  ): Promise<WalkPage & MatchCount> {
    const [page, { total, exact }] = await Promise.all([
      this.search.page(rps, criterion, span),
      (span.turn ?? withoutTurns)(() => this.of(rps, criterion)),
    ]);
    const shown = page.users.length;
    // A page that contains all of them is more reliable than a count that took too long.
    if (!span.after && !page.next) return { ...page, total: shown, exact: true };
    return { ...page, total: Math.max(total, shown), exact };
  }

  private async of(rps: readonly RelyingParty[], criterion: Criterion): Promise<MatchCount> {
    const { name, device } = criterion;
    if (device) {
      const span = { limit: MAX_BY_DEVICE, budgetMs: WAIT_MS };
      const { users, next } = await this.search.page(rps, criterion, span);
      return { total: users.length, exact: !next };
    }
    const key = hash('sha256', JSON.stringify([rps.map(({ domain }) => domain), name.text]));
    const kept = this.kept.get(key);
    if (kept && this.clock.now() - kept.at < KEPT_MS) return { total: kept.n, exact: true };
    const count = this.underWay.get(key) ?? this.start(key, rps, name);
    await within(WAIT_MS, count.finished);
    if (!count.done) this.leave(key, count);
    return { total: count.done ? count.n : (kept?.n ?? count.n), exact: count.done };
  }

  private start(key: string, rps: readonly RelyingParty[], name: Pattern): Count {
    const count: Count = {
      n: 0,
      done: false,
      long: false,
      givenUp: false,
      finished: Promise.resolve()
        .then(() => this.run(rps, name, count))
        .finally(() => this.forget(key, count)),
    };
    // Waiting callers receive the error.
    count.finished.catch(() => undefined);
    this.underWay.set(key, count);
    return count;
  }

  /** Called when the last caller stops waiting. */
  private leave(key: string, count: Count): void {
    if (count.long || count.givenUp) return;
    const others = [...this.underWay.values()].filter(({ long }) => long);
    count.long = others.length < MAX_LONG;
    count.givenUp = !count.long;
    if (count.givenUp) this.forget(key, count);
  }

  private forget(key: string, count: Count): void {
    if (count.done && count.long) this.kept.set(key, { n: count.n, at: this.clock.now() });
    if (this.underWay.get(key) === count) this.underWay.delete(key);
  }

  private async run(rps: readonly RelyingParty[], pattern: Pattern, count: Count): Promise<void> {
    for (const rp of rps) {
      const name = comparablePattern(rp, pattern);
      let from: Buffer | undefined = name.from;
      while (from) {
        if (this.stopped || count.givenUp) return;
        const begin: Buffer = from;
        from = await counting(count, () => this.slice(rp, name, { from: begin, count }));
        // SQLite answers synchronously: other requests run in between.
        if (from) await yieldToEventLoop();
      }
    }
    count.done = true;
  }

  /** @returns where the next slice begins; `undefined` after the last */
  private async slice(
    rp: RelyingParty,
    name: Pattern,
    { from, count }: { from: Buffer; count: Count },
  ): Promise<Buffer | undefined> {
    const statements = nameFormOf(rp, NAME_SEARCH);
    const range = { relyingPartyId: rp.id, from, to: name.to, most: SLICE };
    const [counted] = await this.database.query(statements.countNames, range);
    const { n, last } = counted ?? { n: 0, last: null };
    if (last === null) return undefined;
    if (name.isRange) count.n += Number(n);
    else {
      const names = await this.database.query(statements.candidateNames, {
        ...range,
        last,
        needle: name.needle,
      });
      count.n += names.filter((one) => name.matches(one.name.toString('utf8'))).length;
    }
    return Number(n) < SLICE ? undefined : nextBytes(last);
  }
}

/** A count waits for turns as soon as no caller waits for it. */
const counting = <T>({ long }: Count, slice: () => Promise<T>): Promise<T> =>
  long ? takeTurn(COUNTS, slice) : slice();

const within = (ms: number, promise: Promise<void>): Promise<void> =>
  Promise.race([promise, pause(ms, undefined, { ref: false })]);
