import { setTimeout as pause } from 'node:timers/promises';
import type { Pool, ResultSetHeader, RowDataPacket } from 'mysql2';
import { CommitQueue, OutcomeUnknown } from '../commit/commit-queue.js';
import { Database, type CommitOptions, type PoolUse } from '../database.js';
import { tableOf } from '../entities/table.js';
import {
  DATABASE_PATIENCE_MS,
  sql,
  type BoundStatement,
  type StatementOptions,
} from '../statement.js';
import { falseIfTaken } from '../commit/unique-violation.js';
import { FIND_OUTCOME, INSERT_OUTCOME } from '../commit/unit-outcome.statements.js';
import { UnitOutcome } from '../entities/server.entity.js';
import { PartialUnit, Execution, type SharingUnit, type Unit } from '../commit/unit.js';
import { newId } from '../row-ids.js';
import { traceStep } from '../../telemetry/tracing.js';
import { isAnswer, mysqlFailureOf } from './mysql-failure.js';
import { MysqlConnections, type Ask, type MysqlResult } from './mysql-connections.js';
import { mergeIdenticalReads, JoinedReads } from './joined-reads.js';

const SYSTEM = { 'db.system.name': 'mysql' };
/** No retry begins later than this after the first attempt, since a caller is waiting. */
const LAST_TRY_MS = 700;
const MAX_TRIES = 4;

/**
 * The first and the last statements of a transaction, and the session variables with which they work. Because of a
 * change at another node, Galera may undo a transaction between two statements that were sent together. It executes the
 * rest of them, and may report that at the end or never. Without `autocommit` the rest is a transaction of its own; it
 * has no such savepoint, so it is not committed. The first statement drops what such a transaction may have left.
 */
export const TRANSACTIONS_ONLY = { autocommit: '0' };
const BEGIN = ['ROLLBACK', 'SAVEPOINT whole'];
const END = ['RELEASE SAVEPOINT whole', 'COMMIT'];

/** Waits for a commit in progress, and changes nothing if there is a row. */
const INSERT_MISSING_OUTCOME = sql<UnitOutcome>(
  `INSERT IGNORE INTO ${tableOf(UnitOutcome).row('id', 'isStored')}`,
);

/** Times of some work in milliseconds, from its beginning. */
interface Patience {
  readonly patienceMs: number;
  /** After which no retry begins. */
  readonly lastTryMs: number;
}

/** Pools of mysql2; `joined` and `committing` may send several statements at once. */
export interface ConnectionPools {
  readonly reading: Pool;
  readonly joined: Pool;
  readonly committing: Pool;
}

/**
 * MySQL and MariaDB through mysql2. Several statements at once are sent only for steps and small reads, which
 * have fixed texts and values that the driver escapes.
 */
export class MysqlDatabase extends Database {
  readonly kind = 'mysql';
  private readonly reading: MysqlConnections;
  private readonly joined: MysqlConnections;
  private readonly committing: MysqlConnections;
  private readonly small = new JoinedReads((sql, params) =>
    this.lend(this.joined, DATABASE_PATIENCE_MS, (ask) => ask(sql, params)),
  );
  private readonly queue = new CommitQueue((units) => this.persist(units));
  private readonly ownTransactions = new CommitQueue((units) => this.persist(units));

  constructor(pools: ConnectionPools) {
    super();
    this.reading = new MysqlConnections(pools.reading);
    this.joined = new MysqlConnections(pools.joined);
    this.committing = new MysqlConnections(pools.committing);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.reading, this.joined, this.committing].map((pool) => pool.close()));
  }

  protected read(
    { sql, params }: BoundStatement,
    { patienceMs = DATABASE_PATIENCE_MS, small }: StatementOptions,
  ): Promise<RowDataPacket[]> {
    return small
      ? this.small.all(sql, params)
      : this.lend(this.reading, patienceMs, (ask) => ask(sql, params));
  }

  commit(unit: Unit, options: CommitOptions = {}): Promise<boolean> {
    return traceStep('database commit', SYSTEM, () =>
      options.isStored
        ? this.commitRecognizable(unit, options, options.isStored)
        : this.commitWithOutcome(unit, options),
    );
  }

  override get use(): PoolUse {
    const reading = this.reading.use;
    const joined = this.joined.use;
    return {
      reading: {
        busy: reading.busy + joined.busy,
        waiting: reading.waiting + joined.waiting,
      },
      committing: this.committing.use,
      queued: this.queue.length + this.ownTransactions.length,
    };
  }

  /** Executes the unit once more if the connection is lost: it then finds what its first attempt has stored. */
  private async commitRecognizable(
    unit: Unit,
    options: CommitOptions,
    isStored: () => Promise<boolean>,
  ): Promise<boolean> {
    try {
      return await this.enqueue(unit, options);
    } catch (error) {
      if (!(error instanceof OutcomeUnknown) || error.hangs) throw error;
    }
    return (await falseIfTaken(this.enqueue(unit, options))) || (await isStored());
  }

  private async commitWithOutcome(unit: Unit, options: CommitOptions): Promise<boolean> {
    const id = newId();
    try {
      return await this.enqueue(withOutcome(unit, id), options);
    } catch (error) {
      if (!(error instanceof OutcomeUnknown) || error.hangs) throw error;
      if (await this.isStored(id, error)) return true;
    }
    return this.enqueue(withOutcome(unit, newId()), options);
  }

  private enqueue(unit: Unit, options: CommitOptions): Promise<boolean> {
    return (options.ownTransaction ? this.ownTransactions : this.queue).commit(unit, options);
  }

  /**
   * Whether a unit with this outcome is stored; if not, it never will be. The commit may still be in progress, and the
   * wait for its lock ends after a second: the look-up is retried until the patience is over.
   *
   * @throws lost if the server does not answer
   */
  private async isStored(id: Buffer, lost: OutcomeUnknown): Promise<boolean> {
    const insert = INSERT_MISSING_OUTCOME.step({ id, isStored: false });
    const find = FIND_OUTCOME.bind({ id });
    try {
      const lookUp = async (ask: Ask) => {
        // As at the beginning of a transaction.
        await ask('ROLLBACK', []);
        await ask(insert.sql, insert.params);
        const [outcome] = await ask<RowDataPacket[]>(find.sql, find.params);
        await ask('COMMIT', []);
        return Boolean(outcome?.['isStored']);
      };
      return await this.withTries(
        { patienceMs: DATABASE_PATIENCE_MS, lastTryMs: DATABASE_PATIENCE_MS },
        (deadline) => this.committing.lend(deadline, lookUp),
      );
    } catch {
      throw lost;
    }
  }

  private lend<T>(
    connections: MysqlConnections,
    patienceMs: number,
    work: (ask: Ask) => Promise<T>,
  ): Promise<T> {
    return this.withTries({ patienceMs, lastTryMs: LAST_TRY_MS }, (deadline) =>
      connections.lend(deadline, work),
    );
  }

  private persist(units: readonly SharingUnit[]): Promise<boolean[]> {
    return this.lend(this.committing, DATABASE_PATIENCE_MS, (ask) => transaction(ask, units));
  }

  /**
   * Retries work that certainly had no effect: rolled back because of other transactions' locks, never executed, or
   * interrupted before the commit was sent. Pauses are random, so that two that collided do not collide again.
   */
  private async withTries<T>(
    { patienceMs, lastTryMs }: Patience,
    work: (deadline: number) => Promise<T>,
  ): Promise<T> {
    const began = performance.now();
    for (let tries = 1; ; tries += 1) {
      try {
        return await work(began + patienceMs);
      } catch (error) {
        const kind = error instanceof OutcomeUnknown ? 'refused' : mysqlFailureOf(error);
        const vain = kind === 'refused' || kind === 'silent';
        // Conflicts with others end soon; a server that is away may come back at any moment.
        const enough = kind === 'rolled-back' && tries === MAX_TRIES;
        const restMs = 10 + Math.random() * 90;
        if (vain || enough || performance.now() + restMs - began > lastTryMs) throw error;
        await pause(restMs);
      }
    }
  }
}

/** The row is inserted last, so that others wait for it no longer than for the commit. */
const withOutcome = (unit: Unit, id: Buffer): Unit => [
  ...unit,
  INSERT_OUTCOME.step({ id, isStored: true }),
];

/** @throws OutcomeUnknown if the connection failed after the commit was sent */
async function transaction(ask: Ask, units: readonly SharingUnit[]): Promise<boolean[]> {
  const progress = { committing: false };
  try {
    return await executeAll(ask, units, progress);
  } catch (error) {
    const failure = mysqlFailureOf(error);
    if (failure === 'lost') for (const { onConnectionLost } of units) onConnectionLost?.();
    if (progress.committing && (failure === 'lost' || failure === 'silent')) {
      throw new OutcomeUnknown(error, failure === 'silent');
    }
    if (!(error instanceof PartialUnit) && !isAnswer(error)) throw error;
    const conflict = await undo(ask);
    // Statements that ran after Galera had undone the first ones may have failed because of that.
    throw failure === 'refused' ? (conflict ?? error) : error;
  }
}

/** @returns the conflict if the server had undone the transaction before */
async function undo(ask: Ask): Promise<unknown> {
  const rollBack = () => ask('ROLLBACK', []);
  try {
    await ask('RELEASE SAVEPOINT whole;ROLLBACK', []);
    return undefined;
  } catch (conflict) {
    // Galera may answer this with the conflict once more.
    await rollBack()
      .catch(rollBack)
      .catch(() => undefined);
    return mysqlFailureOf(conflict) === 'rolled-back' ? conflict : undefined;
  }
}

/** The transaction begins with the first round trip and ends with the last. */
async function executeAll(
  ask: Ask,
  units: readonly SharingUnit[],
  progress: { committing: boolean },
): Promise<boolean[]> {
  const execution = new Execution(units);
  let begin = BEGIN;
  for (let trip = execution.nextRoundTrip(); trip; trip = execution.nextRoundTrip()) {
    const { steps, final } = trip;
    const readings = mergeIdenticalReads(trip.readings);
    const sent = [...steps, ...readings];
    const statements = [...begin, ...sent.map(({ sql }) => sql), ...(final ? END : [])];
    const params = sent.flatMap((step) => step.params);
    progress.committing = final;
    const answer = await ask<MysqlResult | MysqlResult[]>(statements.join(';'), params);
    const results = statements.length === 1 ? [answer as MysqlResult] : (answer as MysqlResult[]);
    const touched = results.slice(begin.length);
    const read = results.slice(begin.length + steps.length);
    readings.forEach(({ take }, n) => take(read[n] as RowDataPacket[]));
    execution.accept(steps.map((_, n) => matched(touched[n])));
    begin = [];
  }
  if (!progress.committing) {
    progress.committing = true;
    await ask(END.join(';'), []);
  }
  return execution.applied;
}

/**
 * How many rows a step touched. mysql2 requests FOUND_ROWS, so this counts the rows that WHERE matched,
 * changed or not.
 */
const matched = (result: MysqlResult | undefined): number =>
  (result as ResultSetHeader | undefined)?.affectedRows ?? 0;
