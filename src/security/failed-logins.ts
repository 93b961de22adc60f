import { Injectable } from '@nestjs/common';
import { RateLimiterMemory } from 'rate-limiter-flexible';

/**
 * Slows down guessing of administrators' passwords, per address and per account at an address, so
 * that nobody can lock out the right person from elsewhere.
 */
@Injectable()
export class FailedLogins {
  private readonly byAddress = new RateLimiterMemory({ points: 200, duration: 300 });
  private readonly byAccount = new RateLimiterMemory({ points: 50, duration: 300 });

  /** Seconds to wait before the next try; 0 when none. */
  async wait(address: string | undefined, user: string): Promise<number> {
    const states = await Promise.all([
      this.byAddress.get(`${address}`),
      this.byAccount.get(`${address} ${user}`),
    ]);
    const blocked = states.filter((state) => state !== null && state.remainingPoints <= 0);
    return Math.ceil(Math.max(0, ...blocked.map((state) => state?.msBeforeNext ?? 0)) / 1000);
  }

  async add(address: string | undefined, user: string): Promise<void> {
    await Promise.all([
      this.byAddress.penalty(`${address}`),
      this.byAccount.penalty(`${address} ${user}`),
    ]);
  }
}
