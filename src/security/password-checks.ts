import { availableParallelism } from 'node:os';
import { Injectable } from '@nestjs/common';
import { ApiError } from '../errors/api-error.js';
import { addressGroup } from '../common/address-group.js';

/** One core stays free for those who sign in with keys. */
const AT_ONCE = Math.max(1, Math.min(4, availableParallelism() - 1));
const MAX_WAITING = 64;
const MAX_WAITING_OF_NETWORK = 32;

const RETRY = { headers: { 'Retry-After': '1' } };

/**
 * Deriving a key by scrypt takes a core for a tenth of a second, and anyone can ask for it. So few
 * are derived at a time, and those that wait are few: in all, and of each network.
 */
@Injectable()
export class PasswordChecks {
  private running = 0;
  private readonly waiting: { readonly network: string; start(): void }[] = [];

  /** @throws ApiError E0040R when this network, E0052R when everybody has too many that wait */
  async run<T>(address: string | undefined, check: () => Promise<T>): Promise<T> {
    await this.turn(addressGroup(address));
    try {
      return await check();
    } finally {
      // The turn passes on to the next in line, or is given back.
      const next = this.waiting.shift();
      if (next) next.start();
      else this.running -= 1;
    }
  }

  private async turn(network: string): Promise<void> {
    if (this.running < AT_ONCE) {
      this.running += 1;
      return;
    }
    if (this.waiting.length >= MAX_WAITING) throw new ApiError('E0052R', undefined, RETRY);
    const ofNetwork = this.waiting.filter((other) => other.network === network).length;
    if (ofNetwork >= MAX_WAITING_OF_NETWORK) throw new ApiError('E0040R', undefined, RETRY);
    await new Promise<void>((resolve) => this.waiting.push({ network, start: resolve }));
  }
}
