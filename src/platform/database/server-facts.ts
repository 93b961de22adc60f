import type { DatabaseKind } from './columns.js';
import type { Database } from './database.js';

/** What a database reports about itself. */
interface ServerFacts {
  readonly version: string;
  /** Its time, in milliseconds since 1970; `undefined` where it uses the clock of this machine. */
  readonly now: number | undefined;
}

const ASK = {
  sqlite: 'SELECT sqlite_version() AS version, NULL AS time',
  mysql: 'SELECT VERSION() AS version, CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED) AS time',
} as const satisfies Record<DatabaseKind, string>;

/** @throws the driver's error where the database does not answer */
export async function serverFacts(database: Database): Promise<ServerFacts> {
  const [row] = await database
    .query<{ version: string; time: number | null }>(ASK[database.kind])
    .all();
  return { version: row?.version ?? '', now: row?.time ?? undefined };
}
