import type { RedisLink } from '../../database/redis-link.js';

/** What a claim lasts at most: an instance that died with it gives it up. */
export const CLAIM_MS = 10_000;
const PREFIX = 'servicefido:claims:';

/** Who is at work on what, so that a twin can wait. A claim saves work; no promise rests on it. */
export interface Claims {
  /** @returns `false` where another call has claimed it and has not released it */
  claim(name: string): Promise<boolean>;
  release(name: string): Promise<void>;
}

/** Of this process, whose calls all end. */
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

/** Of all instances. */
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
