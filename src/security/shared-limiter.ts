import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { RedisLink } from '../database/redis-link.js';

/** An instance tells the others of a key each time that it has counted this part of its limit. */
const REPORTS = 20;

interface Limit {
  /** Of its keys in Redis. */
  readonly name: string;
  readonly points: number;
  readonly seconds: number;
}

/**
 * Counts calls by key. Each instance counts in its own memory, so that a call waits for nobody, and
 * where there is a Redis it adds up there what all of them counted, a twentieth of the limit at a
 * time: people who are far from their limit cost Redis nothing, and a key gets at most one
 * twentieth for each instance on top. Without an answer from Redis each instance holds the limit
 * alone.
 */
export class SharedLimiter {
  private readonly own: RateLimiterMemory;
  private readonly shared: RateLimiterRedis | undefined;
  private readonly portion: number;

  constructor({ name, points, seconds }: Limit, link: RedisLink | null) {
    this.own = new RateLimiterMemory({ points, duration: seconds });
    this.portion = Math.max(1, Math.floor(points / REPORTS));
    if (!link) return;
    this.shared = new RateLimiterRedis({
      storeClient: link.client,
      keyPrefix: `servicefido:limits:${name}`,
      points,
      duration: seconds,
      rejectIfRedisNotReady: true,
    });
  }

  /**
   * Counts one call.
   *
   * @returns seconds to wait when the limit is used up, else 0
   */
  async count(key: string): Promise<number> {
    try {
      const { consumedPoints } = await this.own.consume(key);
      if (consumedPoints % this.portion === 0) void this.report(key);
      return 0;
    } catch (limit) {
      if (!(limit instanceof RateLimiterRes)) throw limit;
      return Math.max(1, Math.ceil(limit.msBeforeNext / 1000));
    }
  }

  private async report(key: string): Promise<void> {
    // Without an answer this instance's own count goes on; the link says that it is down.
    const all = await this.shared?.penalty(key, this.portion).catch(() => undefined);
    if (!all || all.remainingPoints > 0) return;
    await this.own.block(key, Math.max(1, Math.ceil(all.msBeforeNext / 1000)));
  }
}
