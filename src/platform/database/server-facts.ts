import type { Database } from './database.js';
import { computed, forEachKind, type DatabaseKind, type Expression } from './entities/table.js';
import { sql, type NoParams } from './statement.js';

/**
 * Expressions for the time of the database, in milliseconds since 1970, which is the same for instances whose clocks
 * differ. SQLite uses the clock of this machine: NULL.
 */
export const DATABASE_TIME: Readonly<Record<DatabaseKind, Expression<number | null>>> = {
  sqlite: computed('NULL'),
  mysql: computed("TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000"),
};

const ASK = forEachKind((kind) =>
  sql<NoParams, { version: string; time: number | null }>(
    `SELECT ${kind === 'sqlite' ? 'sqlite_version()' : 'VERSION()'} AS version,
      ${DATABASE_TIME[kind]} AS time`,
  ),
);

/** @throws the driver's error if the database does not answer */
export async function serverFacts(database: Database) {
  const [row] = await database.query(ASK[database.kind]);
  return {
    version: row?.version ?? '',
    /** Its time, in milliseconds since 1970; `undefined` if it uses the clock of this machine. */
    now: row?.time ?? undefined,
  };
}

/** The maximum difference between this machine's clock and the database's before work that a wrong clock would spoil. */
const MAX_CLOCK_ERROR_MS = 60_000;

/** Whether this machine's clock is not the database's. Tests move `Clock` instead. */
export async function isClockWrong(database: Database): Promise<boolean> {
  const { now } = await serverFacts(database);
  return now !== undefined && Math.abs(Date.now() - now) > MAX_CLOCK_ERROR_MS;
}

const sizeOf = (kind: DatabaseKind, table: string) =>
  sql<NoParams, { n: number | null }>(
    kind === 'sqlite'
      ? `SELECT (SELECT MAX(rowid) FROM ${table}) - (SELECT MIN(rowid) FROM ${table}) + 1 AS n`
      : `SELECT table_rows AS n FROM information_schema.tables
         WHERE table_schema = DATABASE() AND table_name = '${table}'`,
  );

/**
 * The approximate number of rows of a table, from figures that the database has without counting.
 *
 * @param table name of the table; it becomes part of the SQL, so it must never come from a request
 */
export async function tableSize(database: Database, table: string): Promise<number> {
  const [row] = await database.query(sizeOf(database.kind, table));
  return row?.n ?? 0;
}
