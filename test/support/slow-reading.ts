import { setTimeout as pause } from 'node:timers/promises';
import type { Value } from '../../src/platform/database/commit/unit.js';
import type { Database, Query, QueryOptions } from '../../src/platform/database/database.js';

/** How long each statement takes more. */
export const SLOW_MS = 10;

/** Reads from the same database, but slowly, and counts what is asked. */
export class SlowReading {
  /** Statements in all, at the moment, and at most at a time. */
  asked = 0;
  now = 0;
  most = 0;

  constructor(private readonly quick: Database) {}

  get database(): Database {
    return { query: this.query.bind(this) } as unknown as Database;
  }

  private query<Row>(sql: string, options?: QueryOptions): Query<Row> {
    const query = this.quick.query<Row>(sql, options);
    return {
      all: async (...params: readonly Value[]) => {
        this.asked += 1;
        this.most = Math.max(this.most, (this.now += 1));
        await pause(SLOW_MS);
        this.now -= 1;
        return query.all(...params);
      },
    };
  }
}
