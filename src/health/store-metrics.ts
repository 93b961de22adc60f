import { Inject, Injectable, Optional } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import { RedisLink } from '../platform/database/redis-link.js';
import { gauge } from '../platform/telemetry/metrics.js';

const CONNECTIONS = gauge({
  name: 'servicefido_database_connections',
  help: 'Connections at work, and callers waiting for one, by pool',
  labelNames: ['pool', 'state'],
});
const QUEUED = gauge({
  name: 'servicefido_commits_queued',
  help: 'Changes that wait for the transaction before',
});
const REDIS = gauge({
  name: 'servicefido_redis_connected',
  help: '1 while the session store is connected',
  // With several workers the lowest value counts: 0 if one of them is cut off.
  aggregator: 'min',
});

/** Measures the load of the connections to the database and to the session store. */
@Injectable()
export class StoreMetrics {
  constructor(
    private readonly database: Database,
    @Optional() @Inject(RedisLink) private readonly link: RedisLink | null,
  ) {}

  /** Sets the metrics, for a scrape. */
  measure(): void {
    const { reading, committing, queued } = this.database.use;
    for (const [pool, { busy, waiting }] of Object.entries({ reading, committing })) {
      CONNECTIONS.set({ pool, state: 'busy' }, busy);
      CONNECTIONS.set({ pool, state: 'waiting' }, waiting);
    }
    QUEUED.set(queued);
    if (this.link) REDIS.set(this.link.connected ? 1 : 0);
  }
}
