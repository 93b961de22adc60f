import BetterSqlite3 from 'better-sqlite3';
import { runSql } from './databases.js';

/** Some milliseconds on either database. */
const ON_SQLITE = 'BEGIN SELECT LENGTH(HEX(RANDOMBLOB(100000))); END';
const ON_MARIADB = 'FOR EACH ROW DO SLEEP(0.002)';

/**
 * Lets each row take the database some milliseconds, for tests that kill the server in the middle of thousands: on a busy
 * machine they would otherwise be too late.
 *
 * @param when as in `CREATE TRIGGER`: `DELETE ON users`
 */
export async function slowRows(url: string, when: string): Promise<void> {
  const trigger = `CREATE TRIGGER slow_rows BEFORE ${when}`;
  if (!url.startsWith('sqlite:')) return runSql(url, `${trigger} ${ON_MARIADB}`);
  const connection = new BetterSqlite3(url.slice('sqlite:'.length));
  try {
    connection.exec(`${trigger} ${ON_SQLITE}`);
  } finally {
    connection.close();
  }
}
