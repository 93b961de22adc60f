import BetterSqlite3 from 'better-sqlite3';
import { runSql } from './databases.js';

/** Executes a statement on a database directly, whatever the state of the server. */
export async function changeRows(url: string, sql: string): Promise<void> {
  if (!url.startsWith('sqlite:')) return runSql(url, sql);
  const connection = new BetterSqlite3(url.slice('sqlite:'.length));
  try {
    connection.exec(sql);
  } finally {
    connection.close();
  }
}
