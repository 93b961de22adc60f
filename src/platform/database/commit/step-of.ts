import type { FindOptionsWhere, ObjectLiteral, QueryDeepPartialEntity, Repository } from 'typeorm';
import type { Step, SqlValue } from './unit.js';

/** The common interface of TypeORM's builders of INSERT, UPDATE and DELETE. */
interface Statement {
  getQueryAndParameters(): [string, SqlValue[]];
}

/** Turns a query builder's statement into a step, so that writes of entities use the commit queue too. */
function stepOf(statement: Statement): Step {
  const [sql, params] = statement.getQueryAndParameters();
  return { sql, params };
}

export const insertStep = <E extends ObjectLiteral>(
  repository: Repository<E>,
  row: QueryDeepPartialEntity<E>,
): Step => stepOf(repository.createQueryBuilder().insert().values(row));

export const updateStep = <E extends ObjectLiteral>(
  repository: Repository<E>,
  found: FindOptionsWhere<E>,
  changes: QueryDeepPartialEntity<E>,
): Step => stepOf(repository.createQueryBuilder().update(changes).where(found));

export const deleteStep = <E extends ObjectLiteral>(
  repository: Repository<E>,
  found: FindOptionsWhere<E>,
): Step => stepOf(repository.createQueryBuilder().delete().where(found));

/** The step as a condition of its unit, like `Statement.mustChange` for SQL: if it touches no row, nothing is stored. */
export const mustChange = (step: Step): Step => ({ ...step, mustChange: true });
