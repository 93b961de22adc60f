import { setImmediate as nextTurn } from 'node:timers/promises';
import BetterSqlite3 from 'better-sqlite3';
import { codedError } from '../../errors/driver-errors.js';
import { SqliteDatabase } from '../sqlite/sqlite-database.js';
import { CommitQueue } from './commit-queue.js';
import type { SharingUnit, Step } from './unit.js';

const JOB = 100;
const insert = (name: string): Step => ({
  sql: 'INSERT INTO work (name) VALUES (?)',
  params: [name],
});

describe('a long job on SQLite', () => {
  it('a long job on SQLite lets a request in between its transactions', async () => {
    const connection = new BetterSqlite3(':memory:');
    connection.exec('CREATE TABLE work (id INTEGER PRIMARY KEY, name TEXT)');
    const database = new SqliteDatabase(connection);
    const job = Array.from({ length: JOB }, (_, n) =>
      database.commit([insert(`job ${n}`)], { background: true }),
    );
    await job[0];
    await nextTurn();
    await database.commit([insert('request')]);
    await Promise.all(job);
    const { id } = connection.prepare("SELECT id FROM work WHERE name = 'request'").get() as {
      id: number;
    };
    expect(id).toBeLessThan(JOB);
    expect(connection.prepare('SELECT count(*) AS n FROM work').get()).toEqual({ n: JOB + 1 });
    connection.close();
  });
});

describe('a statement of several rows on SQLite', () => {
  it('stores no row of a statement if one is refused, but stores the units beside it', async () => {
    const connection = new BetterSqlite3(':memory:');
    connection.exec('CREATE TABLE work (id INTEGER PRIMARY KEY, name TEXT UNIQUE)');
    const database = new SqliteDatabase(connection);
    await database.commit([insert('taken')]);
    const rows = 'INSERT INTO work (name) VALUES (?), (?)';
    const several = database.commit([{ sql: rows, params: ['free', 'taken'] }]);
    const beside = database.commit([insert('beside')]);
    await expect(several).rejects.toThrow('UNIQUE');
    await expect(beside).resolves.toBe(true);
    await expect(
      database.commit([{ sql: 'UPDATE work SET name = ?', params: ['both'] }]),
    ).rejects.toThrow('UNIQUE');
    const names = connection.prepare('SELECT name FROM work ORDER BY id').pluck().all();
    expect(names).toEqual(['taken', 'beside']);
    connection.close();
  });
});

describe('units that are executed one by one after a conflict', () => {
  const conflict = codedError('ER_LOCK_DEADLOCK', 'Deadlock found when trying to get lock');
  const silence = codedError('PROTOCOL_SEQUENCE_TIMEOUT', 'Query inactivity timeout');

  it('fail together if the database stops answering, instead of waiting one after the other', async () => {
    const sent: number[] = [];
    const queue = new CommitQueue((units) => {
      sent.push(units.length);
      throw sent.length === 1 ? conflict : silence;
    });
    const units = ['one', 'two', 'three'].map((name) => queue.commit([insert(name)]));
    const outcomes = await Promise.allSettled(units);
    expect(outcomes).toEqual(Array(3).fill({ status: 'rejected', reason: silence }));
    expect(sent).toEqual([3, 1]);
  });

  it('wait for the result of each condition, which an error of a later step could hide', async () => {
    const taken = codedError('ER_DUP_ENTRY', 'Duplicate entry');
    const sent: (readonly SharingUnit[])[] = [];
    const queue = new CommitQueue((units) => {
      sent.push(units);
      if (units.some(({ isStepwise }) => !isStepwise)) throw taken;
      return [false];
    });
    const condition = { ...insert('condition'), mustChange: true };
    await expect(queue.commit([condition, condition, insert('taken')])).resolves.toBe(false);
    expect(sent).toHaveLength(2);
    await expect(queue.commit([condition, insert('taken')])).rejects.toBe(taken);
    expect(sent).toHaveLength(3);
  });
});
