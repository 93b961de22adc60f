import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../src/platform/database/database.js';
import type { Statement } from '../../src/platform/database/statement.js';

/** The additional duration of each statement. */
export const SLOW_MS = 10;

/** Reads from the same database, but slowly, and counts the statements. */
export class SlowReading {
  /** The number of statements: in total, at the moment, and at most at a time. */
  asked = 0;
  now = 0;
  most = 0;

  constructor(private readonly quick: Database) {}

  get database(): Database {
    return { query: this.query.bind(this) } as Database;
  }

  private async query<Row>(statement: Statement<object, Row>, params: object): Promise<Row[]> {
    this.asked += 1;
    this.most = Math.max(this.most, (this.now += 1));
    await pause(SLOW_MS);
    this.now -= 1;
    return this.quick.query(
      statement as Statement<{ any: number }, Row>,
      params as { any: number },
    );
  }
}
