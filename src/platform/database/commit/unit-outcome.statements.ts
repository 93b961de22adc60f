import { tableOf } from '../entities/table.js';
import { select, sql } from '../statement.js';
import { UnitOutcome } from '../entities/server.entity.js';

const outcome = tableOf(UnitOutcome);
type ById = Pick<UnitOutcome, 'id'>;

export const INSERT_OUTCOME = sql<UnitOutcome>(`INSERT INTO ${outcome.row('id', 'isStored')}`);

export const FIND_OUTCOME = select(outcome.pick('isStored')).from<ById>(
  `${outcome.from} WHERE ${outcome.id} = :id`,
);

export const FIND_OLD_OUTCOMES = select(outcome.pick('id')).from<{ until: Buffer; limit: number }>(`
  ${outcome.from} WHERE ${outcome.id} < :until
  ORDER BY ${outcome.id} LIMIT :limit`);

export const DELETE_OUTCOMES = sql<{ ids: readonly Buffer[] }>(
  `DELETE FROM ${outcome.from} WHERE ${outcome.id} IN (:...ids)`,
);
