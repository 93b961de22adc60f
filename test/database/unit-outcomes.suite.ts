import { createConnection } from 'mysql2/promise';
import { Database } from '../../src/platform/database/database.js';
import { newId } from '../../src/platform/database/row-ids.js';
import { OldOutcomes } from '../../src/platform/database/commit/old-outcomes.js';
import type { Step } from '../../src/platform/database/commit/unit.js';
import { EVERY_DATABASE, createDatabase, type TestDatabase } from '../support/databases.js';
import { FaultyProxy } from '../support/faulty-proxy.js';
import { describeWith } from '../support/needs.js';
import { countOf, rowsOf, secretOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

const DAY_MS = 24 * 3_600_000;
const MANY = 450;

const insertOutcome = (id: Buffer): Step => ({
  sql: 'INSERT INTO unit_outcomes (id, is_stored) VALUES (?, 1)',
  params: [id],
});
const insert = (name: string): Step => ({
  sql: 'INSERT INTO secrets (name, value) VALUES (?, ?)',
  params: [name, 'value'],
});
const append = (name: string): Step => ({
  sql: "UPDATE secrets SET value = CONCAT(value, '+') WHERE name = ?",
  params: [name],
  mustChange: true,
});

describe.each(EVERY_DATABASE)('old outcomes of units on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
  });
  afterAll(() => server.stop());

  it('deletes outcomes of units after a day', async () => {
    const now = Date.now();
    server.clock.standAt(now);
    const old = newId(now - DAY_MS - 1);
    const recent = newId(now - DAY_MS + 1);
    const olderOnes = Array.from({ length: MANY }, () => newId(now - 2 * DAY_MS));
    await server.get(Database).commit([old, recent, ...olderOnes].map(insertOutcome));
    await server.get(OldOutcomes).catchUp();
    expect(await countOf(server, 'unit_outcomes WHERE id <= ?', old)).toBe(0);
    expect(await countOf(server, 'unit_outcomes WHERE id = ?', recent)).toBe(1);
  });

  it('an instance whose clock differs from the database’s deletes no outcome', async () => {
    const outcome = newId();
    await server.get(Database).commit([insertOutcome(outcome)]);
    const { now } = Date;
    server.clock.standAt(now() + 2 * DAY_MS);
    Date.now = () => now() + 61_000;
    await server.get(OldOutcomes).catchUp();
    Date.now = now;
    const kept = on === 'SQLite' ? 0 : 1;
    expect(await countOf(server, 'unit_outcomes WHERE id = ?', outcome)).toBe(kept);
  });
});

describeWith('MariaDB')('a unit whose commit is not answered', () => {
  let database: TestDatabase;
  let proxy: FaultyProxy;
  let server: TestServer;
  beforeAll(async () => {
    database = await createDatabase('MariaDB');
    proxy = await FaultyProxy.before(database.url);
    server = await TestServer.start({ database: { ...database, url: proxy.urlOf(database.url) } });
  });
  afterAll(async () => {
    await server.stop();
    await proxy.close();
    await database.remove();
  });

  const commit = (...unit: Step[]) => server.get(Database).commit(unit);

  it.each(['lose-answer', 'lose-question'] as const)(
    'stores a unit once, although it would apply twice (%s)',
    async (fault) => {
      await commit(insert(fault));
      proxy.arm('CONCAT', fault);
      expect(await commit(append(fault))).toBe(true);
      proxy.arm('COMMIT', fault);
      expect(await commit(append(fault))).toBe(true);
      expect(await secretOf(server, fault)).toBe('value++');
    },
  );

  it('does not report a unit as refused by the row that it stored itself', async () => {
    proxy.arm('COMMIT', 'lose-answer');
    const before = proxy.struck;
    expect(await commit(insert('once'))).toBe(true);
    expect(proxy.struck).toBe(before + 1);
  });

  it('a lost unit that was executed again cannot be stored later', async () => {
    const forbidden = 'SELECT id FROM unit_outcomes WHERE is_stored = 0';
    const before = await rowsOf(server, forbidden);
    // A word of this unit, since jobs commit too.
    proxy.arm("'late'", 'lose-question');
    expect(await commit(insert('late'))).toBe(true);
    const added = (await rowsOf<{ id: Buffer }>(server, forbidden)).slice(before.length);
    expect(added).toHaveLength(1);
    const late = added.map(({ id }) => insertOutcome(id));
    await expect(commit(...late)).rejects.toMatchObject({ code: 'ER_DUP_ENTRY' });
  });
});

describeWith('MariaDB')('a unit whose transaction the server undoes in the middle', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on: 'MariaDB' });
  });
  afterAll(() => server.stop());

  /** A Galera node does this between two statements, without an error, if another node has changed one of the rows. */
  const undo: Step = { sql: 'ROLLBACK', params: [] };

  it('leaves nothing behind, and the units beside it are stored', async () => {
    const database = server.get(Database);
    const results = await Promise.allSettled([
      database.commit([insert('first'), undo, insert('second')]),
      database.commit([insert('beside')]),
    ]);
    expect(results).toEqual([
      { status: 'rejected', reason: expect.objectContaining({ code: 'ER_SP_DOES_NOT_EXIST' }) },
      { status: 'fulfilled', value: true },
    ]);
    expect(await database.commit([insert('later')])).toBe(true);
    const rows = await rowsOf<{ name: string }>(
      server,
      "SELECT name FROM secrets WHERE name IN ('first', 'second', 'beside', 'later') ORDER BY name",
    );
    expect(rows.map(({ name }) => name)).toEqual(['beside', 'later']);
  });

  it('an undone unit is not taken for one whose condition failed', async () => {
    const stored = server.get(Database).commit([insert('third'), undo, append('third')]);
    await expect(stored).rejects.toMatchObject({ code: 'ER_SP_DOES_NOT_EXIST' });
  });
});

describeWith('MariaDB')('a unit that waits for the lock of another connection', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on: 'MariaDB' });
  });
  afterAll(() => server.stop());

  /** The database itself holds the lock until the last wait has begun, because this process may be too busy to see it. */
  const holdUntil = (waits: number) =>
    `BEGIN NOT ATOMIC
       DECLARE latest, waiting BIGINT DEFAULT 0;
       DECLARE begun INTEGER DEFAULT 0;
       WHILE begun < ${waits} DO
         DO SLEEP(0.01);
         SET waiting = (SELECT MAX(query_id) FROM information_schema.processlist
           WHERE db = DATABASE() AND info LIKE 'UPDATE secrets SET value = CONCAT%');
         IF waiting > latest THEN SET latest = waiting, begun = begun + 1; END IF;
       END WHILE;
       COMMIT;
     END`;

  it.each([
    ['a second time, after the database has given up the first wait', false, 2],
    ['a third time, if the unit is part of a long job', true, 3],
  ])('a unit waits for a lock %s', async (name, background, waits) => {
    const database = server.get(Database);
    await database.commit([insert(name)]);
    const other = await createConnection(server.database.url);
    await other.query('START TRANSACTION');
    await other.query('SELECT * FROM secrets WHERE name = ? FOR UPDATE', [name]);
    const held = other.query(holdUntil(waits)).finally(() => other.end());
    const stored = database.commit([append(name)], { background });
    const [outcome] = await Promise.allSettled([stored, held]);
    expect(outcome).toEqual({ status: 'fulfilled', value: true });
  });
});
