import { availableParallelism } from 'node:os';
import { Injectable } from '@nestjs/common';
import { addressGroup, wideAddressGroup } from '../../common/address-group.js';
import { RoundRobin } from '../../common/round-robin.js';
import { ApiError } from '../../errors/api-error.js';

/** Checks at a time: one core stays free for those who sign in with keys. */
const AT_ONCE = Math.max(1, Math.min(4, availableParallelism() - 1));
/** Checks that may wait, of one address (IPv6: a /64) and of a whole /48. */
const PLACES = 8;
const PLACES_OF_SITE = 32;

interface QueuedCheck {
  readonly address: string;
  start(): void;
}

/**
 * Deriving a key by scrypt takes a core for a tenth of a second, and anyone can ask for it, so that only a
 * few are derived at a time. Each network has a few places to wait in, and they are served in turn: one
 * network's queue never fills another's, and a newcomer waits for one check of each other network.
 */
@Injectable()
export class PasswordChecks {
  private running = 0;
  private readonly networks = new RoundRobin<QueuedCheck>();

  /** @throws ApiError E0040R when this network has too many that wait */
  async run<T>(address: string | undefined, check: () => Promise<T>): Promise<T> {
    await this.turn(address);
    try {
      return await check();
    } finally {
      // The turn passes on to the next in line, or is given back.
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
    const [address, network] = [addressGroup(ip), wideAddressGroup(ip)];
    const waiting = this.networks.of(network);
    const own = waiting.filter((other) => other.address === address).length;
    if (own >= PLACES || waiting.length >= PLACES_OF_SITE) {
      throw ApiError.tooMany(1);
    }
    await new Promise<void>((start) => this.networks.add(network, { address, start }));
  }
}
