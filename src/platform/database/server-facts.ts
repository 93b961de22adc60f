import type { Database } from './database.js';
import { eachKind } from './entities/table.js';
import { sql } from './statement.js';
import type { NoParams } from './statement.js';

/** What a database reports about itself. */
interface ServerFacts {
  readonly version: string;
  /** Its time, in milliseconds since 1970; `undefined` where it uses the clock of this machine. */
  readonly now: number | undefined;
}

const ASK = eachKind((kind) =>
  sql<NoParams, { version: string; time: number | null }>(
    kind === 'sqlite'
      ? 'SELECT sqlite_version() AS version, NULL AS time'
      : 'SELECT VERSION() AS version, CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED) AS time',
  ),
);

/** @throws the driver's error where the database does not answer */
export async function serverFacts(database: Database): Promise<ServerFacts> {
  const [row] = await database.query(ASK[database.kind]);
  return { version: row?.version ?? '', now: row?.time ?? undefined };
}
