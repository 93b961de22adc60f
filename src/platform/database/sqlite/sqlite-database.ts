import type BetterSqlite3 from 'better-sqlite3';
import { BoundedMap } from '../../common/caching.js';
import { CommitQueue } from '../commit/commit-queue.js';
import { Database, type CommitOptions, type PoolUse } from '../database.js';
import type { BoundStatement } from '../statement.js';
import { Execution, type SharingUnit, type Unit } from '../commit/unit.js';
import { traceStep } from '../../telemetry/tracing.js';

const SYSTEM = { 'db.system.name': 'sqlite' };
/** How long reads may block one turn of the event loop; then the next read waits for another turn. */
const MAX_MS = 10;
/** More than the server has statements of its own; each takes about 6 KB. */
const MAX_STATEMENTS = 1_000;

/**
 * SQLite through better-sqlite3, which is synchronous: a transaction is one uninterrupted call, and code that
 * awaits one read after the other would block the event loop.
 */
export class SqliteDatabase extends Database {
  readonly kind = 'sqlite';
  private readonly statements = new BoundedMap<BetterSqlite3.Statement>(MAX_STATEMENTS);
  private readonly queue: CommitQueue;
  /** When the first read of this turn of the event loop began; `undefined` before it. */
  private reading: number | undefined;

  constructor(private readonly connection: BetterSqlite3.Database) {
    super();
    const transaction = connection.transaction((units: readonly SharingUnit[]) =>
      this.executeAll(units),
    );
    this.queue = new CommitQueue((units) => transaction.immediate(units));
  }

  protected async read({ sql, params }: BoundStatement): Promise<unknown[]> {
    if (this.isTooLong()) await new Promise((resolve) => setImmediate(resolve));
    return this.prepare(sql).all(...params);
  }

  commit(unit: Unit, options?: CommitOptions): Promise<boolean> {
    return traceStep('database commit', SYSTEM, () => this.queue.commit(unit, options));
  }

  override get use(): PoolUse {
    const idle = { busy: 0, waiting: 0 };
    return { reading: idle, committing: idle, queued: this.queue.length };
  }

  private isTooLong(): boolean {
    const now = performance.now();
    if (this.reading === undefined) {
      this.reading = now;
      setImmediate(() => (this.reading = undefined));
    }
    return now - this.reading > MAX_MS;
  }

  private executeAll(units: readonly SharingUnit[]): boolean[] {
    const execution = new Execution(units);
    for (let trip = execution.nextRoundTrip(); trip; trip = execution.nextRoundTrip()) {
      const { steps, readings } = trip;
      const touched = steps.map(({ sql, params }) => this.prepare(sql).run(...params).changes);
      for (const { sql, params, take } of readings) take(this.prepare(sql).all(...params));
      execution.accept(touched);
    }
    return execution.applied;
  }

  /**
   * Statements are prepared once: there are few texts, since lists are padded to few lengths, and values are bound. The
   * limit is for a text that contains a value after all.
   */
  private prepare(sql: string): BetterSqlite3.Statement {
    let statement = this.statements.get(sql);
    if (!statement) {
      statement = this.connection.prepare(forSqlite(sql));
      this.statements.set(sql, statement);
    }
    return statement;
  }
}

/**
 * SQLite reads the values when it plans a join, and plans it again for each new value: 25 µs of the 30 that a sign-in's
 * read took. It does not read a value after a plus sign, which changes no value.
 *
 * It also keeps a copy of each page that a statement changes, in case only this statement has to be undone: 12 µs of a
 * registration. `OR FAIL` saves the copies; a statement that fails undoes the whole transaction anyway.
 */
export const forSqlite = (sql: string): string =>
  sql.replaceAll(/\?/g, '+?').replace(/^\s*(INSERT|UPDATE)\b(?! OR)/, '$1 OR FAIL');
