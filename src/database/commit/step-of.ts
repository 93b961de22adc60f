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
