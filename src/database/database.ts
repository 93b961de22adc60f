import type { DatabaseKind } from './columns.js';
import type { Unit, Value } from './unit.js';

/** A statement that is asked often. Rows come as plain objects; bytes as Buffers. */
export interface Query<Row> {
  all(...params: readonly Value[]): Promise<Row[]>;
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
  abstract query<Row>(sql: string): Query<Row>;

  /**
   * Stores a unit for good before it answers (SQLite `synchronous=FULL`, InnoDB's default).
   *
   * @returns `false` when a step marked `guard` touched no row; then nothing of the unit is stored
   * @throws the driver's error; nothing is stored, unless the connection broke while committing
   */
  abstract commit(unit: Unit): Promise<boolean>;

  /** Asks the database for anything at all; throws when it is not there. */
  async ping(): Promise<void> {
    await this.query('SELECT 1').all();
  }
}
