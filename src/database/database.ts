import type { DatabaseKind } from './columns.js';
import type { Unit, Value } from './commit/unit.js';

/** A statement that is asked often. Rows come as plain objects; bytes as Buffers. */
export interface Query<Row> {
  all(...params: readonly Value[]): Promise<Row[]>;
}

export interface QueryOptions {
  /** What it may take on a database server, in ms (2500); long for what only jobs ask. */
  readonly patienceMs?: number;
  /** Finds few rows by a key, quickly: to a database server it may go together with others. */
  readonly small?: boolean;
}

export interface CommitOptions {
  /** Part of a long job: others go first, and it still comes to its turn. */
  readonly background?: boolean;
}

/** How much of the way to the database is taken, for the metrics. */
export interface PoolUse {
  readonly reading: { readonly busy: number; readonly waiting: number };
  readonly committing: { readonly busy: number; readonly waiting: number };
  /** Units that wait for the transaction under way. */
  readonly queued: number;
}

/**
 * The lean way to the database, for what every login needs: kept statements for reading, units for
 * writing. It speaks to the connection that TypeORM opened, with the SQL that the entities imply.
 *
 * All writing of the service passes `commit`. On SQLite there is one connection, and a transaction
 * held open across an `await` would swallow what other requests write meanwhile: so no transaction
 * outlives one turn of the event loop there, and TypeORM's own `save` and `transaction` are not
 * used (the linter refuses them).
 */
export abstract class Database {
  abstract readonly kind: DatabaseKind;

  /** @param sql one of a fixed set of texts: each is kept for the life of the process */
  abstract query<Row>(sql: string, options?: QueryOptions): Query<Row>;

  /**
   * Stores a unit for good before it answers (SQLite `synchronous=FULL`, InnoDB's default).
   *
   * @returns `false` when a step touched fewer rows than its `guard`; nothing of the unit is stored
   * @throws OutcomeUnknown when the connection broke while committing: it may be stored or not
   * @throws the driver's error; nothing is stored
   */
  abstract commit(unit: Unit, options?: CommitOptions): Promise<boolean>;

  /** Idle on SQLite, whose statements do not wait; only what is queued tells there. */
  abstract get use(): PoolUse;

  /** Asks the database for anything at all; throws when it is not there. */
  async ping(): Promise<void> {
    await this.query('SELECT 1').all();
  }
}
