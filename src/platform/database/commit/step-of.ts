import type { FindOptionsWhere, ObjectLiteral, QueryDeepPartialEntity, Repository } from 'typeorm';
import type { Step, SqlValue } from './unit.js';

/** The common interface of TypeORM's builders of INSERT, UPDATE and DELETE. */
interface Statement {
  getQueryAndParameters(): [string, SqlValue[]];
}

/**
 * Turns a query builder's statement into a step, so that writes of entities use the commit queue too.
 *
 * @param mustChange how many rows it must touch (`true`: one), as in `Step`
 */
function stepOf(statement: Statement, mustChange: boolean | number = false): Step {
  const [sql, params] = statement.getQueryAndParameters();
  return { sql, params, mustChange };
}

export const insertStep = <E extends ObjectLiteral>(
  repository: Repository<E>,
  row: QueryDeepPartialEntity<E>,
): Step => stepOf(repository.createQueryBuilder().insert().values(row));

export const updateStep = <E extends ObjectLiteral>(
  repository: Repository<E>,
  found: FindOptionsWhere<E>,
  changes: QueryDeepPartialEntity<E>,
  mustChange: boolean | number = false,
): Step => stepOf(repository.createQueryBuilder().update(changes).where(found), mustChange);

export const deleteStep = <E extends ObjectLiteral>(
  repository: Repository<E>,
  found: FindOptionsWhere<E>,
  mustChange: boolean | number = false,
): Step => stepOf(repository.createQueryBuilder().delete().where(found), mustChange);
