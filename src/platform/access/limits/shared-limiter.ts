import { hash } from 'node:crypto';
import type { RateLimiterRedis } from 'rate-limiter-flexible';
import { isWindowOver, type Clock } from '../../common/clock.js';
import { BoundedMap } from '../../common/caching.js';
import { rateLimiter } from '../../database/optional-packages.js';
import type { RedisLink } from '../../database/redis-link.js';

/** A key is reported to Redis each time it has used up one of this many parts of its limit. */
const REPORTS = 20;
/** Keys counted at a time, some 300 bytes each; the ones that called longest ago are dropped. */
const MAX_KEYS = 50_000;
/** Longer keys are counted by their digest, so that a key's length does not affect memory. */
const MAX_KEY_LENGTH = 64;

export interface Limit {
  /** Name of the limit, in its Redis keys and in headers for callers. */
  readonly name: string;
  readonly points: number;
  readonly seconds: number;
}

/** The state of a key after a call. */
export interface LimitState {
  /** Seconds to wait if the limit is used up, else 0. */
  readonly wait: number;
  /** Points left, as far as this instance knows. */
  readonly left: number;
  /** Seconds until the limit is full again. */
  readonly reset: number;
}

interface Count {
  points: number;
  /** End of the window, in milliseconds since 1970. */
  readonly until: number;
}

/**
 * Counts calls by key, each instance in its own memory, so that no call waits. With Redis, the counts of all
 * instances are added up there, a twentieth of the limit at a time: a key may exceed its limit by a twentieth for
 * each instance. Without an answer from Redis, each instance applies the limit alone.
 */
export class SharedLimiter {
  private readonly counts = new BoundedMap<Count>(MAX_KEYS);
  private readonly shared: RateLimiterRedis | undefined;
  private readonly portion: number;

  constructor(
    private readonly limit: Limit,
    private readonly clock: Clock,
    link: RedisLink | null,
  ) {
    const { name, points, seconds } = limit;
    this.portion = Math.max(1, Math.floor(points / REPORTS));
    if (!link) return;
    const { RateLimiterRedis } = rateLimiter();
    this.shared = new RateLimiterRedis({
      storeClient: link.client,
      keyPrefix: `servicefido:limits:${name}`,
      points,
      duration: seconds,
      rejectIfRedisNotReady: true,
    });
  }

  /**
   * Counts one call, which is allowed while anything of the limit is left.
   *
   * @param cost points that the call takes from the limit
   */
  use(name: string, cost = 1): LimitState {
    const key = name.length > MAX_KEY_LENGTH ? hash('sha256', name, 'base64url') : name;
    const now = this.clock.now();
    let count = this.counts.get(key);
    const length = this.limit.seconds * 1000;
    if (!count || isWindowOver(count.until, now, length)) {
      count = { points: 0, until: now + length };
      this.counts.set(key, count);
    }
    const reset = secondsOf(count.until - now);
    if (count.points >= this.limit.points) return { wait: reset, left: 0, reset };
    const portions = Math.floor(count.points / this.portion);
    count.points += cost;
    const more = Math.floor(count.points / this.portion) - portions;
    if (more > 0 && this.shared) void this.report(this.shared, key, more * this.portion);
    return { wait: 0, left: Math.max(0, this.limit.points - count.points), reset };
  }

  private async report(shared: RateLimiterRedis, key: string, points: number): Promise<void> {
    // Without an answer, this instance keeps its own count; the link reports that Redis is down.
    const all = await shared.penalty(key, points).catch(() => undefined);
    if (!all || all.remainingPoints > 0) return;
    const until = this.clock.now() + all.msBeforeNext;
    this.counts.set(key, { points: this.limit.points, until });
  }
}

const secondsOf = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));
