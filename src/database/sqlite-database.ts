import type BetterSqlite3 from 'better-sqlite3';
import { CommitQueue } from './commit-queue.js';
import { Database } from './database.js';
import type { CommitOptions, PoolUse, Query } from './database.js';
import { play } from './unit.js';
import type { Unit, Value } from './unit.js';

/** SQLite through better-sqlite3, which is synchronous: a transaction is one uninterrupted call. */
export class SqliteDatabase extends Database {
  readonly kind = 'sqlite';
  private readonly statements = new Map<string, BetterSqlite3.Statement>();
  private readonly queue: CommitQueue;

  constructor(private readonly connection: BetterSqlite3.Database) {
    super();
    const transaction = connection.transaction((units: readonly Unit[]) => this.playAll(units));
    this.queue = new CommitQueue((units) => transaction.immediate(units));
  }

  query<Row>(sql: string): Query<Row> {
    const statement = this.prepare(sql);
    return { all: async (...params: Value[]) => statement.all(...params) as Row[] };
  }

  commit(unit: Unit, options?: CommitOptions): Promise<boolean> {
    return this.queue.commit(unit, options);
  }

  override get use(): PoolUse {
    const idle = { busy: 0, waiting: 0 };
    return { reading: idle, committing: idle, queued: this.queue.length };
  }

  private playAll(units: readonly Unit[]): boolean[] {
    const game = play(units);
    let move = game.next();
    while (!move.done) {
      const { steps } = move.value;
      move = game.next(steps.map(({ sql, params }) => this.prepare(sql).run(...params).changes));
    }
    return move.value;
  }

  /** Statements are kept for good: better-sqlite3 12 on Node 24.19+ aborts when one is collected. */
  private prepare(sql: string): BetterSqlite3.Statement {
    let statement = this.statements.get(sql);
    if (!statement) this.statements.set(sql, (statement = this.connection.prepare(sql)));
    return statement;
  }
}
