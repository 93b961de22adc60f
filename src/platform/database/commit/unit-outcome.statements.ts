import { tableOf } from '../entities/table.js';
import { select, sql } from '../statement.js';
import { UnitOutcome } from '../entities/server.entity.js';

const outcomes = tableOf(UnitOutcome);
type ById = Pick<UnitOutcome, 'id'>;

export const INSERT_OUTCOME = sql<UnitOutcome>(`INSERT INTO ${outcomes.row('id', 'isStored')}`);

export const FIND_OUTCOME = select(outcomes.pick('isStored')).from<ById>(
  `${outcomes.from} WHERE ${outcomes.id} = :id`,
);

export const FIND_OLD_OUTCOMES = select(outcomes.pick('id')).from<{
  until: Buffer;
  limit: number;
}>(`
  ${outcomes.from} WHERE ${outcomes.id} < :until
  ORDER BY ${outcomes.id} LIMIT :limit`);

export const DELETE_OUTCOMES = sql<{ ids: readonly Buffer[] }>(
  `DELETE FROM ${outcomes.from} WHERE ${outcomes.id} IN (:...ids)`,
);
