import type { Pool, PoolConnection, ResultSetHeader, RowDataPacket } from 'mysql2/promise';
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

/** MySQL and MariaDB through the mysql2 pool that TypeORM opened. */
export class MysqlDatabase extends Database {
  readonly kind = 'mysql';
  private readonly queue = new CommitQueue((units) => this.persist(units));

  constructor(private readonly pool: Pool) {
    super();
  }

  query<Row>(sql: string): Query<Row> {
    return {
      all: async (...params: Value[]) => {
        const [rows] = await this.pool.query<RowDataPacket[]>({ sql, timeout: TIMEOUT_MS }, params);
        return rows as Row[];
      },
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
    const connection = await this.pool.getConnection();
    try {
      await this.run(connection, 'START TRANSACTION');
      const applied = await this.playAll(connection, units);
      await this.run(connection, 'COMMIT');
      connection.release();
      return applied;
    } catch (error) {
      await this.abandon(connection, error);
      throw error;
    }
  }

  private async playAll(connection: PoolConnection, units: readonly Unit[]): Promise<boolean[]> {
    const game = play(units);
    let move = game.next();
    while (!move.done) {
      const { sql, params } = move.value;
      move = game.next(await this.run(connection, sql, params));
    }
    return move.value;
  }

  /** mysql2 asks for FOUND_ROWS: `affectedRows` counts rows matched, so conditions stand in WHERE. */
  private async run(
    connection: PoolConnection,
    sql: string,
    params: readonly Value[] = [],
  ): Promise<number> {
    const [result] = await connection.query<ResultSetHeader>({ sql, timeout: TIMEOUT_MS }, [
      ...params,
    ]);
    return result.affectedRows;
  }

  /** A connection that timed out or broke still carries the old statement: it is not used again. */
  private async abandon(connection: PoolConnection, error: unknown): Promise<void> {
    const answered = error instanceof HalfDone || (error instanceof Error && 'sqlState' in error);
    if (!answered) return connection.destroy();
    try {
      await this.run(connection, 'ROLLBACK');
      connection.release();
    } catch {
      connection.destroy();
    }
  }
}
