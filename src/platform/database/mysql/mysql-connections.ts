import type { Pool, PoolConnection, ResultSetHeader, RowDataPacket } from 'mysql2';
import { codedError } from '../../errors/driver-errors.js';
import type { SqlValue } from '../commit/unit.js';
import { isAnswer, isReadOnly, mysqlFailureOf } from './mysql-failure.js';

/** Result of one statement: its rows, or how many rows it changed. */
export type MysqlResult = RowDataPacket[] | ResultSetHeader;

/** The server's answer: one result, or one for each of several statements that were sent at once. */
type Answer = MysqlResult | MysqlResult[];

/**
 * Sends a statement and waits for its answer until the deadline, and for half a second at least.
 *
 * @throws mysql2's error, or one with its code PROTOCOL_SEQUENCE_TIMEOUT when the time is over
 */
export type Ask = <T extends Answer>(sql: string, params: readonly SqlValue[]) => Promise<T>;

/**
 * A pool of mysql2 with time limits: for the server's answers (mysql2 waits forever by default) and for the
 * wait for a connection. A statement that timed out is not cancelled by mysql2, and the next one on its
 * connection would wait for it, so that connection is destroyed.
 */
export class MysqlConnections {
  private lent = 0;
  /** Functions that refuse the callers who wait for a connection. */
  private readonly waiting = new Set<(reason: unknown) => void>();

  constructor(private readonly pool: Pool) {}

  get use(): { readonly busy: number; readonly waiting: number } {
    return { busy: this.lent, waiting: this.waiting.size };
  }

  /**
   * Lends a connection to some work.
   *
   * @param deadline when all waiting ends, by the clock of `performance.now()`
   * @throws the error of the work, or the reason why there is no connection
   */
  async lend<T>(deadline: number, work: (ask: Ask) => Promise<T>): Promise<T> {
    const connection = await this.acquire(deadline);
    this.lent += 1;
    let sound = true;
    try {
      return await work(async (sql, params) => {
        try {
          return await send(connection, { sql, params, deadline });
        } catch (error) {
          sound &&= isAnswer(error) && !isReadOnly(error);
          if (mysqlFailureOf(error) === 'silent') this.refuseAll(error);
          throw error;
        }
      });
    } finally {
      this.lent -= 1;
      if (sound) connection.release();
      else connection.destroy();
    }
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.pool.end(() => resolve()));
  }

  private acquire(deadline: number): Promise<PoolConnection> {
    return new Promise((resolve, reject) => {
      let settled = false;
      const settle = () => {
        settled = true;
        clearTimeout(timer);
        this.waiting.delete(refuse);
      };
      const refuse = (reason: unknown) => {
        settle();
        reject(reason);
      };
      const timer = whenOver(deadline, () => {
        if (settled) return;
        refuse(codedError('POOL_EXHAUSTED', 'No connection to the database came free in time.'));
      });
      this.waiting.add(refuse);
      this.pool.getConnection((error, connection) => {
        if (settled) {
          if (!error) connection.release();
        } else if (error) refuse(error);
        else {
          settle();
          resolve(connection);
        }
      });
    });
  }

  /** Refuses all callers who wait for a connection: a server that stopped answering will not serve them either. */
  private refuseAll(reason: unknown): void {
    for (const refuse of [...this.waiting]) refuse(reason);
  }
}

/**
 * Calls back after a deadline and one more look at arrived data: a process that was busy until then has not
 * read the answers that wait for it. mysql2's own time limit does not look.
 */
const whenOver = (deadline: number, refuse: () => void): NodeJS.Timeout =>
  setTimeout(() => setImmediate(refuse), Math.max(0, deadline - performance.now()));

/**
 * Minimum time for the server's answer, even if the deadline is over: if the process was too busy to read the first
 * answers of a transaction in time, the next statements would otherwise fail at once.
 */
const LEAST_MS = 500;

/** mysql2's own promises capture a stack for each query, which costs half as much as the query. */
function send<T extends Answer>(
  connection: PoolConnection,
  { sql, params, deadline }: { sql: string; params: readonly SqlValue[]; deadline: number },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = whenOver(Math.max(deadline, performance.now() + LEAST_MS), () =>
      reject(codedError('PROTOCOL_SEQUENCE_TIMEOUT', 'The database did not answer in time.')),
    );
    connection.query(sql, [...params], (error, result) => {
      clearTimeout(timer);
      if (error) reject(error);
      else resolve(result as Answer as T);
    });
  });
}
