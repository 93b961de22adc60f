import { DataSource } from 'typeorm';
import { Database } from '../../src/platform/database/database.js';
import type { TestServer } from './test-server.js';

interface RefusedRows {
  /** As in `CREATE TRIGGER`: `UPDATE ON users`. */
  readonly when: string;
  /** A condition of SQL about `OLD` or `NEW`. */
  readonly row: string;
}

/** Lets the database refuse these rows while a call runs. */
export async function refusingRows<T>(
  server: TestServer,
  { when, row }: RefusedRows,
  call: () => Promise<T>,
): Promise<T> {
  const source = server.get(DataSource);
  const trigger =
    server.get(Database).kind === 'sqlite'
      ? `WHEN ${row} BEGIN SELECT RAISE(ABORT, 'no'); END`
      : `FOR EACH ROW IF ${row} THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no'; END IF`;
  await source.query(`CREATE TRIGGER refuses_rows BEFORE ${when} ${trigger}`);
  try {
    return await call();
  } finally {
    await source.query('DROP TRIGGER refuses_rows');
  }
}
