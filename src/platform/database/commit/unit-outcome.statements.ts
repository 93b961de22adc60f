import { tableOf } from '../entities/table.js';
import { sql } from '../statement.js';
import { UnitOutcome } from '../entities/server.entity.js';

const outcome = tableOf(UnitOutcome);
type ById = Pick<UnitOutcome, 'id'>;

export const INSERT_OUTCOME = sql<UnitOutcome>(`INSERT INTO ${outcome.row('id', 'isStored')}`);

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
