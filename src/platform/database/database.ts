import type { DatabaseKind } from './entities/table.js';
import type { Unit } from './commit/unit.js';
import {
  sql,
  type BoundStatement,
  type StatementArguments,
  type StatementOptions,
  type Parameters,
  type Statement,
} from './statement.js';

const PING = sql('SELECT 1');

export interface CommitOptions {
  /** Part of a long job: other units take precedence, but every transaction includes some background units. */
  readonly background?: boolean;
  /**
   * May wait for a row that another instance has locked: on a database server it shares no transaction with sign-ins,
   * only with other such units, so that none waits with it.
   */
  readonly ownTransaction?: boolean;
  /**
   * Whether exactly this unit is stored, if its own rows show it and its conditions refuse it a second time. If absent,
   * a database server also stores a row of `UnitOutcome`. Such units also interleave (`SharingUnit`).
   */
  readonly isStored?: () => Promise<boolean>;
  /** Called if the connection breaks during the unit, which is then executed again if it is not stored. */
  readonly onConnectionLost?: (() => void) | undefined;
}

/** How busy the connections to the database are, for the metrics. */
export interface PoolUse {
  readonly reading: { readonly busy: number; readonly waiting: number };
  readonly committing: { readonly busy: number; readonly waiting: number };
  readonly queued: number;
}

/**
 * The fast access to the database: prepared statements for reads, units for writes. On SQLite it uses the connection
 * that TypeORM opened.
 *
 * All writes of the service use `commit` or `store`. On SQLite, a transaction held open across an `await` would include
 * what other requests write in the meantime, so TypeORM's own `save` and `transaction` are not used (the linter refuses
 * them).
 */
export abstract class Database {
  abstract readonly kind: DatabaseKind;

  /**
   * Reads rows; bytes are returned as Buffers.
   *
   * @throws the driver's error
   */
  query<Params extends Parameters<Params>, Row>(
    statement: Statement<Params, Row>,
    ...[params]: StatementArguments<Params>
  ): Promise<Row[]> {
    const bound = statement.bind(params ?? ({} as Params));
    return this.read(bound, statement.options) as Promise<Row[]>;
  }

  protected abstract read(bound: BoundStatement, options: StatementOptions): Promise<unknown[]>;

  /**
   * Stores a unit durably before it resolves (SQLite `synchronous=FULL`, InnoDB's default). If the connection
   * is lost while committing, the result is what the database has stored.
   *
   * @returns `false` if a step touched fewer rows than it must change; nothing of the unit is stored then
   * @throws OutcomeUnknown if the server hangs, or the connection was lost again
   * @throws the driver's error; nothing is stored
   */
  abstract commit(unit: Unit, options?: CommitOptions): Promise<boolean>;

  /**
   * As `commit`, for a unit without a condition. The linter refuses to ignore what `commit` returns.
   *
   * @throws Error if a condition refused the unit
   */
  async store(unit: Unit, options?: CommitOptions): Promise<void> {
    if (await this.commit(unit, options)) return;
    throw new Error('The unit has a condition that was not met: commit() returns the outcome.');
  }

  /** On SQLite, whose statements do not wait, connections are always idle and only `queued` is meaningful. */
  abstract get use(): PoolUse;

  async ping(): Promise<void> {
    await this.query(PING);
  }
}
