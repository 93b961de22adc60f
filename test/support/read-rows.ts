import BetterSqlite3 from 'better-sqlite3';
import { createConnection } from 'mysql2/promise';

/** Reads a database directly, whatever the state of the server. */
export async function readRows<Row>(url: string, sql: string): Promise<Row[]> {
  if (url.startsWith('sqlite:')) {
    const connection = new BetterSqlite3(url.slice('sqlite:'.length), { readonly: true });
    try {
      return connection.prepare(sql).all() as Row[];
    } finally {
      connection.close();
    }
  }
  const connection = await createConnection(url);
  try {
    const [rows] = await connection.query(sql);
    return rows as Row[];
  } finally {
    await connection.end();
  }
}

/** @param from a table, and a condition if not all of its rows count */
export async function readCount(url: string, from: string): Promise<number> {
  const [row] = await readRows<{ n: number }>(url, `SELECT COUNT(*) AS n FROM ${from}`);
  return Number(row?.n);
}
