import { Column, Entity, PrimaryColumn } from 'typeorm';
import { FLAG, fixedBytes } from '../entities/column-types.js';
import { tableOf } from '../entities/table.js';
import { sql } from '../statement.js';

/**
 * Whether a unit is stored. On a database server each unit inserts its row, so that a process that lost the answer to
 * the commit can look it up. If there is no row, that process inserts one without `isStored`: then the primary key
 * refuses the unit, should it still arrive.
 */
@Entity('unit_outcomes')
export class UnitOutcome {
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  @Column(FLAG)
  isStored!: boolean;
}

const outcome = tableOf(UnitOutcome);
type ById = Pick<UnitOutcome, 'id'>;
const row = outcome.row('id', 'isStored');

export const INSERT_OUTCOME = sql<UnitOutcome>(`INSERT INTO ${row}`);

/** For MySQL and MariaDB. Waits for a commit in progress, and changes nothing if there is a row. */
export const INSERT_MISSING_OUTCOME = sql<UnitOutcome>(`INSERT IGNORE INTO ${row}`);

export const FIND_OUTCOME = sql<ById, { isStored: number }>(
  `SELECT ${outcome.select('isStored')} FROM ${outcome.from} WHERE ${outcome.id} = :id`,
);

export const FIND_OLD_OUTCOMES = sql<{ until: Buffer; limit: number }, ById>(
  `SELECT ${outcome.id} FROM ${outcome.from} WHERE ${outcome.id} < :until
  ORDER BY ${outcome.id} LIMIT :limit`,
);

export const DELETE_OUTCOMES = sql<{ ids: readonly Buffer[] }>(
  `DELETE FROM ${outcome.from} WHERE ${outcome.id} IN (:...ids)`,
);
