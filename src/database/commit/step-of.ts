import type { FindOptionsWhere, ObjectLiteral, QueryDeepPartialEntity, Repository } from 'typeorm';
import type { Step, Value } from './unit.js';

/** What TypeORM's builders of INSERT, UPDATE and DELETE have in common. */
interface Statement {
  getQueryAndParameters(): [string, Value[]];
}

/**
 * The statement of a query builder, to go into a unit: so what an entity says passes the commit queue.
 *
 * @param guard how many rows it must touch (`true`: one), as a step's
 */
export function stepOf(statement: Statement, guard: boolean | number = false): Step {
  const [sql, params] = statement.getQueryAndParameters();
  return { sql, params, guard };
}

export const insertStep = <E extends ObjectLiteral>(
  repository: Repository<E>,
  row: QueryDeepPartialEntity<E>,
): Step => stepOf(repository.createQueryBuilder().insert().values(row));

/** Changes the rows that are as `found` says. */
export const updateStep = <E extends ObjectLiteral>(
  repository: Repository<E>,
  found: FindOptionsWhere<E>,
  changes: QueryDeepPartialEntity<E>,
  guard: boolean | number = false,
): Step => stepOf(repository.createQueryBuilder().update(changes).where(found), guard);

export const deleteStep = <E extends ObjectLiteral>(
  repository: Repository<E>,
  found: FindOptionsWhere<E>,
): Step => stepOf(repository.createQueryBuilder().delete().where(found));
