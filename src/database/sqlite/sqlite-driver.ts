import type { ObjectLiteral, QueryRunner, TableColumn } from 'typeorm';
import { BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver.js';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { BYTE_TYPES } from '../entities/adapt-metadata.js';
import { padded } from '../padded.js';
import { SqliteQueryRunner } from './sqlite-query-runner.js';

/** Wraps a number so that TypeORM binds it instead of writing it into the statement. */
class Bound {
  constructor(readonly value: number) {}
}

/**
 * TypeORM's driver for SQLite, for entities with MySQL's column types and for statements that are kept for
 * good.
 *
 * TypeORM writes numbers into the text: each `createdAt > n` would be a statement of its own, and all of them
 * are kept (10,000 of them take 130 MB; see `dataSourceOptions` on why they are). Here numbers are bound,
 * those of LIMIT and OFFSET too, and lists are padded to few lengths.
 */
export class SqliteDriver extends BetterSqlite3Driver {
  override createQueryRunner(): QueryRunner {
    this.queryRunner ??= new SqliteQueryRunner(this);
    return this.queryRunner;
  }

  override normalizeType(column: Parameters<BetterSqlite3Driver['normalizeType']>[0]): string {
    return BYTE_TYPES.includes(column.type) ? 'blob' : super.normalizeType(column);
  }

  /**
   * Ignores lengths: SQLite holds texts of any length in any column, so migrations that widen one skip
   * SQLite.
   */
  override findChangedColumns(found: TableColumn[], wanted: ColumnMetadata[]): ColumnMetadata[] {
    const lengths = new Map(wanted.map(({ databaseName, length }) => [databaseName, length]));
    const alike = found.map((column) =>
      Object.assign(column.clone(), { length: lengths.get(column.name) ?? column.length }),
    );
    return super.findChangedColumns(alike, wanted);
  }

  override escapeQueryWithParameters(
    sql: string,
    parameters: ObjectLiteral,
  ): [string, ObjectLiteral[]] {
    const named = nameLimits(padNamed(sql));
    const bound = Object.entries({ ...parameters, ...named.limits }).map(bind);
    const [text, values] = super.escapeQueryWithParameters(named.sql, Object.fromEntries(bound));
    return [text, values.map((value) => (value instanceof Bound ? value.value : value))];
  }
}

function bind([name, value]: [string, unknown]): [string, unknown] {
  if (typeof value === 'number') return [name, new Bound(value)];
  return [name, Array.isArray(value) ? padded(value) : value];
}

/** `IN (:a, :b, :c)`, as `In` writes it, becomes `IN (:a, :b, :c, :c)`. */
const padNamed = (sql: string): string =>
  sql.replaceAll(
    /\bIN \((:\w+(?:, :\w+)+)\)/g,
    (_, names: string) => `IN (${padded(names.split(', ')).join(', ')})`,
  );

/** Numbers behind LIMIT and OFFSET become parameters. */
function nameLimits(sql: string): { sql: string; limits: Record<string, number> } {
  const limits: Record<string, number> = {};
  const named = sql.replaceAll(/ (LIMIT|OFFSET) (\d+)\b/g, (_, word: string, digits: string) => {
    const name = `bound_limit_${Object.keys(limits).length}`;
    limits[name] = Number(digits);
    return ` ${word} :${name}`;
  });
  return { sql: named, limits };
}
