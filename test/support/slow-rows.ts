import { changeRows } from './change-rows.js';

/** Some milliseconds on either database. */
const ON_SQLITE = 'BEGIN SELECT LENGTH(HEX(RANDOMBLOB(400000))); END';
const ON_MARIADB = 'FOR EACH ROW DO SLEEP(0.004)';

/**
 * Lets each row take the database some milliseconds, for tests that kill the server in the middle of thousands: on a busy
 * machine they would otherwise be too late.
 *
 * @param when as in `CREATE TRIGGER`: `DELETE ON users`
 * @returns a function that ends it, for when the server is killed
 */
export async function slowRows(url: string, when: string): Promise<() => Promise<void>> {
  const isSqlite = url.startsWith('sqlite:');
  await changeRows(
    url,
    `CREATE TRIGGER slow_rows BEFORE ${when} ${isSqlite ? ON_SQLITE : ON_MARIADB}`,
  );
  return () => changeRows(url, 'DROP TRIGGER slow_rows');
}
