import type { Pool, PoolConnection, ResultSetHeader, RowDataPacket } from 'mysql2';
import { CommitQueue } from './commit-queue.js';
import { Database } from './database.js';
import type { Query } from './database.js';
import { HalfDone, play } from './unit.js';
import type { Unit, Value } from './unit.js';

/** mysql2 waits for ever by default; a server that hangs must cost seconds. */
const TIMEOUT_MS = 3000;
/** Rolled back for certain, so that playing it again is safe: a deadlock or a Galera conflict. */
const ROLLED_BACK = 'ER_LOCK_DEADLOCK';
const RETRIES = 3;

/** mysql2's own promises capture a stack for each query, which costs half as much as the query. */
function ask<T extends RowDataPacket[] | ResultSetHeader | ResultSetHeader[]>(
  target: Pool | PoolConnection,
  sql: string,
  values: readonly Value[],
): Promise<T> {
  return new Promise((resolve, reject) => {
    target.query<T>({ sql, timeout: TIMEOUT_MS }, [...values], (error, result) =>
      error ? reject(error) : resolve(result),
    );
  });
}

/**
 * MySQL and MariaDB through mysql2: reading through the pool that TypeORM opened, committing through
 * one of its own, which may send several statements at once. Only the fixed texts of steps pass
 * there, their values escaped by the driver.
 */
export class MysqlDatabase extends Database {
  readonly kind = 'mysql';
  private readonly queue = new CommitQueue((units) => this.persist(units));

  constructor(
    private readonly pool: Pool,
    private readonly commits: Pool,
  ) {
    super();
  }

  onApplicationShutdown(): Promise<void> {
    return new Promise((resolve) => this.commits.end(() => resolve()));
  }

  query<Row>(sql: string): Query<Row> {
    return {
      all: async (...params: Value[]) =>
        (await ask<RowDataPacket[]>(this.pool, sql, params)) as Row[],
    };
  }

  commit(unit: Unit): Promise<boolean> {
    return this.queue.commit(unit);
  }

  private async persist(units: readonly Unit[]): Promise<boolean[]> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.transaction(units);
      } catch (error) {
        const again = error instanceof Error && 'code' in error && error.code === ROLLED_BACK;
        if (!again || attempt === RETRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, 10 + Math.random() * 90));
      }
    }
  }

  private async transaction(units: readonly Unit[]): Promise<boolean[]> {
    const connection = await this.connect();
    try {
      const applied = await this.playAll(connection, units);
      connection.release();
      return applied;
    } catch (error) {
      await this.abandon(connection, error);
      throw error;
    }
  }

  private connect(): Promise<PoolConnection> {
    return new Promise((resolve, reject) => {
      this.commits.getConnection((error, connection) =>
        error ? reject(error) : resolve(connection),
      );
    });
  }

  /** Each wave is one round trip; the transaction begins with the first and ends with the last. */
  private async playAll(connection: PoolConnection, units: readonly Unit[]): Promise<boolean[]> {
    const game = play(units);
    let move = game.next();
    let begin = ['START TRANSACTION'];
    let committed = false;
    while (!move.done) {
      const { steps, final } = move.value;
      const end = final ? ['COMMIT'] : [];
      const sql = [...begin, ...steps.map((step) => step.sql), ...end].join(';');
      const params = steps.flatMap((step) => step.params);
      const rows = await this.send(connection, sql, params);
      move = game.next(rows.slice(begin.length, begin.length + steps.length));
      begin = [];
      committed = final;
    }
    if (!committed) await this.send(connection, 'COMMIT');
    return move.value;
  }

  /**
   * The rows that each statement touched. mysql2 asks for FOUND_ROWS, so that these are rows
   * matched: conditions stand in WHERE.
   */
  private async send(
    connection: PoolConnection,
    sql: string,
    params: readonly Value[] = [],
  ): Promise<number[]> {
    const results = await ask<ResultSetHeader | ResultSetHeader[]>(connection, sql, params);
    return [results].flat().map(({ affectedRows }) => affectedRows);
  }

  /** A connection that timed out or broke still carries the old statement: it is not used again. */
  private async abandon(connection: PoolConnection, error: unknown): Promise<void> {
    const answered = error instanceof HalfDone || (error instanceof Error && 'sqlState' in error);
    if (!answered) return connection.destroy();
    try {
      await this.send(connection, 'ROLLBACK');
      connection.release();
    } catch {
      connection.destroy();
    }
  }
}
