import v8 from 'node:v8';
import vm from 'node:vm';
import BetterSqlite3 from 'better-sqlite3';
import { keepPragmas } from '../../src/database/data-source.js';

describe('pragmas of SQLite', () => {
  let database: BetterSqlite3.Database;
  beforeEach(() => {
    database = new BetterSqlite3(':memory:');
    keepPragmas(database);
  });
  afterEach(() => database.close());

  it('leaves no statement of one to the garbage collector, which ends the process on Node 24.19', async () => {
    const prepared: WeakRef<object>[] = [];
    const prepare = database.prepare.bind(database);
    database.prepare = ((sql: string) => {
      const statement = prepare(sql);
      prepared.push(new WeakRef(statement));
      return statement;
    }) as typeof database.prepare;
    database.pragma('foreign_keys = OFF');
    // What a WeakRef was made from stays until the turn of the event loop is over.
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    expect(prepared.map((statement) => statement.deref() !== undefined)).toEqual([true]);
  });

  it('sets and reads pragmas as before', () => {
    database.pragma('foreign_keys = OFF');
    expect(database.pragma('foreign_keys')).toEqual([{ foreign_keys: 0 }]);
    database.pragma('foreign_keys = ON');
    expect(database.pragma('foreign_keys')).toEqual([{ foreign_keys: 1 }]);
  });
});

function collectGarbage(): void {
  v8.setFlagsFromString('--expose-gc');
  vm.runInNewContext('gc')();
}
