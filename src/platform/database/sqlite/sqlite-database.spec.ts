import { jest } from '@jest/globals';
import BetterSqlite3 from 'better-sqlite3';
import { SqliteDatabase } from './sqlite-database.js';

describe('the prepared statements of SQLite', () => {
  it('limits the number of prepared statements, and keeps those in use', async () => {
    const connection = new BetterSqlite3(':memory:');
    connection.exec('CREATE TABLE work (id INTEGER PRIMARY KEY, name TEXT)');
    const prepare = jest.spyOn(connection, 'prepare');
    const database = new SqliteDatabase(connection);
    const run = (sql: string) => database.commit([{ sql, params: [] }]);
    const timesPrepared = (name: string) =>
      prepare.mock.calls.filter(([sql]) => sql.includes(`'${name}'`)).length;
    const inUse = "UPDATE work SET name = 'in use' WHERE id = 1";
    const once = "UPDATE work SET name = 'once' WHERE id = 1";
    await run(once);
    for (let id = 0; id < 1_100; id += 1) {
      await run(inUse);
      // A text that contains a value.
      await run(`UPDATE work SET name = 'other' WHERE id = ${id}`);
    }
    await run(once);
    expect(timesPrepared('in use')).toBe(1);
    expect(timesPrepared('once')).toBe(2);
    connection.close();
  });
});
