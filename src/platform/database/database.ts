import type { DatabaseKind } from './columns.js';
import type { Unit } from './commit/unit.js';
import { sql, type Arguments, type Parameters, type Statement } from './statement.js';

const PING = sql('SELECT 1');

export interface CommitOptions {
  /** Part of a long job: other units go first, but every transaction takes some background units too. */
  readonly background?: boolean;
  /**
   * May wait for a row that another instance has locked: on a database server it gets a transaction of its own,
   * so that no sign-in waits with it.
   */
  readonly apart?: boolean;
  /**
   * Whether this very unit is stored, where its own rows show it and its guards refuse it a second time. Where
   * absent, a database server stores a row of `UnitOutcome` along. Such units also interleave (`SharingUnit`).
   */
  readonly isStored?: () => Promise<boolean>;
  /** Called where the connection breaks under the unit, which is then executed again if it is not stored. */
  readonly onConnectionLost?: (() => void) | undefined;
}

/** How busy the connections to the database are, for the metrics. */
export interface PoolUse {
  readonly reading: { readonly busy: number; readonly waiting: number };
  readonly committing: { readonly busy: number; readonly waiting: number };
  /** Units that wait for the transaction under way. */
  readonly queued: number;
}

/**
 * The fast way to the database: prepared statements for reading, units for writing. On SQLite it uses the connection
 * that TypeORM opened.
 *
 * All writes of the service go through `commit`. On SQLite a transaction held open across an `await` would swallow
 * what other requests write meanwhile: so TypeORM's own `save` and `transaction` are not used (the linter refuses
 * them).
 */
export abstract class Database {
  abstract readonly kind: DatabaseKind;

  /**
   * Reads rows; bytes come as Buffers.
   *
   * @throws the driver's error
   */
  abstract query<Params extends Parameters<Params>, Row>(
    statement: Statement<Params, Row>,
    ...params: Arguments<Params>
  ): Promise<Row[]>;
  /**
   * Stores a unit for good before it answers (SQLite `synchronous=FULL`, InnoDB's default). If the connection
   * is lost while committing, the answer is what the database has stored.
   *
   * @returns `false` when a step touched fewer rows than its `guard`; nothing of the unit is stored
   * @throws OutcomeUnknown when the server hangs, or the connection was lost again
   * @throws the driver's error; nothing is stored
   */
  abstract commit(unit: Unit, options?: CommitOptions): Promise<boolean>;

  /** On SQLite, whose statements do not wait, connections are always idle and only `queued` says something. */
  abstract get use(): PoolUse;

  /** Asks the database for anything at all; throws when it is not there. */
  async ping(): Promise<void> {
    await this.query(PING);
  }
}
