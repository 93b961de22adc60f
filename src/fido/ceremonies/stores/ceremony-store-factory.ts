import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/common/clock.js';
import { serverOptions, type ServerOptions } from '../../../platform/config/server-config.js';
import { RedisLink } from '../../../platform/database/redis-link.js';
import type { CeremonyStore } from './ceremony-store.js';
import { MemoryCeremonyStore } from './memory-ceremony-store.js';
import { RedisCeremonyStore } from './redis-ceremony-store.js';

const MIB = 1024 * 1024;

interface StoreSize {
  /** How long an entry waits unless `put` says otherwise. */
  readonly lifeMs: number;
  /** The part of the memory for ceremonies that its entries may take; all of it by default. */
  readonly share?: number;
}

/** Opens stores of entries that wait for a second call: in Redis if there is one, else in the memory of this instance. */
@Injectable()
export class CeremonyStoreFactory {
  constructor(
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
    private readonly clock: Clock,
    @Inject(RedisLink) private readonly link: RedisLink | null,
  ) {}

  open(name: string, { lifeMs, share = 1 }: StoreSize): CeremonyStore {
    const bounds = {
      clock: this.clock,
      lifeMs,
      maxBytes: share * this.options.pendingMemory * MIB,
    };
    return this.link
      ? new RedisCeremonyStore(this.link, { name, ...bounds })
      : new MemoryCeremonyStore(bounds);
  }
}
