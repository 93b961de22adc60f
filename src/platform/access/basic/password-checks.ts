import { availableParallelism } from 'node:os';
import { Injectable } from '@nestjs/common';
import { addressGroup, wideAddressGroup } from '../../common/network/address-group.js';
import { RoundRobin } from '../../common/round-robin.js';
import { ApiError } from '../../errors/api-error.js';

/** Parallel checks: one core stays free for sign-ins with keys. */
const AT_ONCE = Math.max(1, Math.min(4, availableParallelism() - 1));
/** Waiting checks of one address (IPv6: a /64) and of a whole /48. */
const PLACES = 8;
const PLACES_OF_SITE = 32;

interface QueuedCheck {
  readonly address: string;
  start(): void;
}

/**
 * Deriving a key by scrypt takes a core for a tenth of a second, and anyone can cause it, so only a few run in
 * parallel. Each network has a few waiting places, and the networks take turns: one network's queue never fills
 * another's, and a newcomer waits for one check of each other network.
 */
@Injectable()
export class PasswordChecks {
  private running = 0;
  private readonly networks = new RoundRobin<QueuedCheck>();

  /** @throws ApiError E0040R if this network has too many waiting checks */
  async run<T>(address: string | undefined, check: () => Promise<T>): Promise<T> {
    await this.turn(address);
    try {
      return await check();
    } finally {
      // Passes the slot to the next in line, or frees it.
      const next = this.networks.take();
      if (next) next.start();
      else this.running -= 1;
    }
  }

  private async turn(ip: string | undefined): Promise<void> {
    if (this.running < AT_ONCE) {
      this.running += 1;
      return;
    }
    const address = addressGroup(ip);
    const network = wideAddressGroup(ip);
    const waiting = this.networks.of(network);
    const own = waiting.filter((other) => other.address === address).length;
    if (own >= PLACES || waiting.length >= PLACES_OF_SITE) {
      throw ApiError.tooMany(1);
    }
    await new Promise<void>((start) => this.networks.add(network, { address, start }));
  }
}
