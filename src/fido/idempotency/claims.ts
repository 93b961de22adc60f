import type { RedisLink } from '../../platform/database/redis-link.js';

/** How long a claim lasts at most, in case the instance that holds it dies. */
export const CLAIM_MS = 10_000;
const PREFIX = 'servicefido:claims:';

/**
 * The calls that are under way, so that a repeat of one can wait for it. A claim only saves work; nothing
 * else relies on it.
 */
export interface Claims {
  /** @returns `false` where another call has claimed it and has not released it */
  claim(name: string): Promise<boolean>;
  release(name: string): Promise<void>;
}

/** Claims of this process. They need no end of their own, since its calls all end. */
export class MemoryClaims implements Claims {
  private readonly names = new Set<string>();

  async claim(name: string): Promise<boolean> {
    if (this.names.has(name)) return false;
    this.names.add(name);
    return true;
  }

  async release(name: string): Promise<void> {
    this.names.delete(name);
  }
}

/** Claims of all instances. */
export class RedisClaims implements Claims {
  constructor(private readonly link: RedisLink) {}

  claim(name: string): Promise<boolean> {
    return this.link.ask(async (epoch) => {
      const { client } = this.link;
      return (await client.set(keyOf(epoch, name), '', 'PX', CLAIM_MS, 'NX')) === 'OK';
    });
  }

  async release(name: string): Promise<void> {
    await this.link.ask((epoch) => this.link.client.unlink(keyOf(epoch, name)));
  }
}

const keyOf = (epoch: string, name: string) => `${PREFIX}${epoch}:${name}`;
