import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CredentialReader } from '../../src/users/credentials/credential-reader.js';
import { dataSourceOptions } from '../../src/platform/database/data-source.js';
import { Database } from '../../src/platform/database/database.js';
import { MIGRATIONS_LOCK, migrate } from '../../src/platform/database/migrate.js';
import { MIGRATIONS } from '../../src/platform/database/migrations/index.js';
import { Reading, type Step, type Unit } from '../../src/platform/database/commit/unit.js';
import { ResumingQueryRunner } from '../../src/platform/database/mysql/resuming-query-runner.js';
import { sql } from '../../src/platform/database/statement.js';
import { EVERY_DATABASE, createDatabase } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { registerWithId } from '../support/chosen-id.js';
import { countOf, relyingPartyOf, rowsOf, secretOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

/** `secrets` is a table of a name, which is unique, and a value: handy to write to. */
const insert = (name: string, value = 'value'): Step => ({
  sql: 'INSERT INTO secrets (name, value) VALUES (?, ?)',
  params: [name, value],
});
const update = (name: string, value: string, mustChange: boolean | number = true): Step => ({
  sql: 'UPDATE secrets SET value = ? WHERE name = ?',
  params: [value, name],
  mustChange,
});

/** Far more than the database does during five short ones, however it divides its time between two connections. */
const MANY_READS = 4000;

/** The drivers' codes for a duplicate key. The class cannot be compared: SQLite's errors are of another realm. */
const DUPLICATE = expect.stringMatching(/^(?:SQLITE_CONSTRAINT_.*|ER_DUP_ENTRY)$/);

describe.each(EVERY_DATABASE)('the database %s', (on) => {
  let server: TestServer;
  let database: Database;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    database = server.get(Database);
  });
  afterAll(() => server.stop());

  it('serves others while one caller reads continuously', async () => {
    const large = sql(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
       SELECT COUNT(*) AS pairs FROM n a, n b WHERE a.i + b.i > 0`,
    );
    const small = sql('SELECT 1 AS one');
    let reads = 0;
    let isServed = false;
    const job = async () => {
      for (; reads < MANY_READS && !isServed; reads += 1) await database.query(large);
    };
    const caller = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      for (let n = 0; n < 5; n += 1) await database.query(small);
      isServed = true;
    };
    await Promise.all([job(), caller()]);
    expect(reads).toBeLessThan(MANY_READS);
  });

  it.each([false, true])('returns whole numbers as numbers (small: %s)', async (small) => {
    const numbers = `SELECT MAX(n) AS largest, COUNT(*) AS count, CAST(SUM(n) AS SIGNED) AS sum
      FROM (SELECT ${Number.MAX_SAFE_INTEGER} AS n) few`;
    const expected = [{ largest: Number.MAX_SAFE_INTEGER, count: 1, sum: Number.MAX_SAFE_INTEGER }];
    expect(await database.query(sql(numbers, { small }))).toEqual(expected);
    expect(await server.get(DataSource).query(numbers)).toEqual(expected);
  });

  it('answers in time even if the process was too busy to read the answer', async () => {
    const asked = [sql('SELECT 1 AS one'), sql('SELECT 1 AS one', { small: true })];
    const unit = [insert('while-busy'), update('while-busy', 'stored')];
    await Promise.all(asked.map((statement) => database.query(statement)));
    const stored = database.commit(unit);
    // Units gather for some turns of the event loop before they are sent.
    for (let n = 0; n < 12; n += 1) await new Promise((resolve) => setImmediate(resolve));
    const answers = [stored, ...asked.map((statement) => database.query(statement))];
    await new Promise((resolve) => setImmediate(resolve));
    for (const end = Date.now() + 3_000; Date.now() < end;);
    expect(await Promise.all(answers)).toEqual([true, [{ one: 1 }], [{ one: 1 }]]);
  });

  it('stores a unit of several round trips if the process was too busy to read the first answer', async () => {
    // Each step takes the server some time, so that the process is busy during the first one.
    const wait = on === 'SQLite' ? '' : ' AND SLEEP(0.1) = 0';
    const { sql, ...rest } = update('while-busy-twice', 'stored');
    const slow = { sql: `${sql}${wait}`, ...rest };
    const stored = database.commit([insert('while-busy-twice'), slow, slow]);
    for (let n = 0; n < 12; n += 1) await new Promise((resolve) => setImmediate(resolve));
    for (const end = Date.now() + 3_000; Date.now() < end;);
    expect(await stored).toBe(true);
  });

  it('returns its own rows to each of many small reads', async () => {
    await database.commit(['red', 'blue'].map((name) => insert(`small-${name}`, name)));
    const values = sql<{ name: string }, { value: string }>(
      'SELECT value FROM secrets WHERE name = :name',
      { small: true },
    );
    const pairs = sql<{ values: readonly string[] }>(
      'SELECT name, value FROM secrets WHERE value IN (:...values)',
      { small: true },
    );
    const names = ['red', 'none', 'blue', "'; DROP TABLE secrets; --", '?'];
    for (const many of [1, 2, 100]) {
      const asked = Array.from({ length: many }, (_, n) => names[n % names.length] ?? '');
      const [rows, both] = await Promise.all([
        Promise.all(asked.map((name) => database.query(values, { name: `small-${name}` }))),
        many > 1 ? database.query(pairs, { values: ['red', 'blue'] }) : undefined,
      ]);
      expect(rows).toEqual(
        asked.map((name) => (name === 'red' || name === 'blue' ? [{ value: name }] : [])),
      );
      expect(both ?? [1, 2]).toHaveLength(2);
    }
  });

  describe('the group commit', () => {
    it('stores all units that arrive together', async () => {
      const units = Array.from({ length: 200 }, (_, n): Unit => [insert(`together-${n}`)]);
      const applied = await Promise.all(units.map((unit) => database.commit(unit)));
      expect(applied).toEqual(Array(200).fill(true));
      expect(await countOf(server, "secrets WHERE name LIKE 'together-%'")).toBe(200);
    });

    it('stores a unit before it answers', async () => {
      expect(await database.commit([insert('answered')])).toBe(true);
      expect(await secretOf(server, 'answered')).toBe('value');
    });

    it('runs waiting units before a long job, and then lets the job continue', async () => {
      const order: string[] = [];
      const store = async (name: string, background: boolean) => {
        await database.commit([insert(name)], { background });
        order.push(name);
      };
      const names = (kind: string, n: number) =>
        Array.from({ length: n }, (_, i) => `${kind}-${i}`);
      const job = names('job', 100);
      const callers = names('caller', 100);
      await Promise.all([
        ...job.map((name) => store(name, true)),
        ...callers.map((name) => store(name, false)),
      ]);
      const lastCaller = Math.max(...callers.map((name) => order.indexOf(name)));
      const before = order.slice(0, lastCaller).filter((name) => name.startsWith('job'));
      expect(before.length).toBeGreaterThan(0);
      expect(before.length).toBeLessThan(50);
      expect(order).toHaveLength(200);
    });

    it('rolls back a unit with a step that must change more rows than exist', async () => {
      await database.commit([insert('two-a', 'two'), insert('two-b', 'two')]);
      const both = (mustChange: number): Step => ({
        sql: 'UPDATE secrets SET value = ? WHERE name IN (?, ?, ?)',
        params: ['changed', 'two-a', 'two-b', 'two-c'],
        mustChange,
      });
      expect(await database.commit([both(3)])).toBe(false);
      expect(await secretOf(server, 'two-a')).toBe('two');
      expect(await database.commit([both(2)])).toBe(true);
      expect(await secretOf(server, 'two-b')).toBe('changed');
    });

    it('stores units of one turn in order of arrival', async () => {
      await database.commit([insert('order', '0')]);
      const conditional = (n: number): Step => ({
        sql: 'UPDATE secrets SET value = ? WHERE name = ? AND value = ?',
        params: [`${n + 1}`, 'order', `${n}`],
        mustChange: true,
      });
      const steps = Array.from({ length: 100 }, (_, n) => database.commit([conditional(n)]));
      expect(await Promise.all(steps)).toEqual(Array(100).fill(true));
      expect(await secretOf(server, 'order')).toBe('100');
    });

    it('returns false for a unit whose condition matches no row, and stores nothing of it', async () => {
      expect(await database.commit([update('missing', 'x'), insert('after-condition')])).toBe(
        false,
      );
      expect(await secretOf(server, 'after-condition')).toBeUndefined();
    });

    it('throws from store() if the unit has a condition that was not met', async () => {
      const unit = [insert('in-store'), update('missing', 'x')];
      await expect(database.store(unit)).rejects.toThrow('a condition that was not met');
      expect(await secretOf(server, 'in-store')).toBeUndefined();
      await database.store([insert('in-store')]);
      expect(await secretOf(server, 'in-store')).toBe('value');
    });

    it('rolls back the writes of a unit whose condition failed', async () => {
      const unit = [insert('half-done'), update('missing', 'x')];
      expect(await database.commit(unit)).toBe(false);
      expect(await secretOf(server, 'half-done')).toBeUndefined();
    });

    it('allows a step without a condition to match no row', async () => {
      expect(await database.commit([update('missing', 'x', false), insert('no-condition')])).toBe(
        true,
      );
      expect(await secretOf(server, 'no-condition')).toBe('value');
    });

    it('throws the driver’s error and stores nothing of the unit', async () => {
      await database.commit([insert('taken')]);
      const unit = [insert('before-error'), insert('taken')];
      await expect(database.commit(unit)).rejects.toMatchObject({ code: DUPLICATE });
      expect(await secretOf(server, 'before-error')).toBeUndefined();
    });

    it('protects other units from an error, a failed condition or a partial unit', async () => {
      await database.commit([insert('occupied')]);
      const kinds: Record<string, (n: number) => Unit> = {
        good: (n) => [insert(`neighbour-${n}`), update(`neighbour-${n}`, 'updated')],
        error: (n) => [insert(`neighbour-${n}`), insert('occupied')],
        missed: (n) => [update('missing', 'x'), insert(`neighbour-${n}`)],
        halfDone: (n) => [insert(`neighbour-${n}`), update('missing', 'x')],
      };
      const names = Object.keys(kinds);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 200 }, (_, n) => {
          const kind = kinds[names[n % names.length] ?? ''];
          return database.commit(kind?.(n) ?? []);
        }),
      );
      const summaries = outcomes.map((outcome) =>
        outcome.status === 'fulfilled' ? outcome.value : 'thrown',
      );
      expect(summaries).toEqual(
        Array.from({ length: 200 }, (_, n) => [true, 'thrown', false, false][n % 4]),
      );
      const sql = "SELECT name, value FROM secrets WHERE name LIKE 'neighbour-%'";
      const rows = await rowsOf<{ name: string; value: string }>(server, sql);
      const good = Array.from({ length: 50 }, (_, n) => `neighbour-${4 * n}`);
      expect(rows.map(({ name }) => name).sort()).toEqual(good.sort());
      expect(rows.every(({ value }) => value === 'updated')).toBe(true);
    });

    it('returns the results of each unit, but none of a refused one', async () => {
      const echoOf = (n: number) =>
        new Reading<{ value: string }>('SELECT value FROM secrets WHERE name = ?', [`echo-${n}`]);
      const [alone, ...along] = Array.from({ length: 21 }, (_, n) => echoOf(n));
      await database.commit([insert('echo-0', 'alone'), ...(alone ? [alone] : [])]);
      expect(alone?.rows).toEqual([{ value: 'alone' }]);
      const stored = along.map((reading, n) => {
        const name = `echo-${n + 1}`;
        const first = n % 2 === 0 ? insert(name) : update('missing', 'x');
        const unit = [first, update(name, `left by ${n}`), reading, insert(`behind-${name}`)];
        return database.commit(unit);
      });
      expect(await Promise.all(stored)).toEqual(along.map((_, n) => n % 2 === 0));
      expect(along.map(({ rows }) => rows)).toEqual(
        along.map((_, n) => (n % 2 === 0 ? [{ value: `left by ${n}` }] : undefined)),
      );
    });

    it('the group commit gives a row to one of many units', async () => {
      await database.commit([insert('prize', 'free')]);
      const grab = (n: number): Step => ({
        sql: "UPDATE secrets SET value = ? WHERE name = 'prize' AND value = 'free'",
        params: [`${n}`],
        mustChange: true,
      });
      const tries = Array.from({ length: 100 }, (_, n) => database.commit([grab(n)]));
      expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
    });

    it('the group commit continues after an error', async () => {
      await database.commit([insert('stored-before')]);
      await expect(database.commit([insert('stored-before')])).rejects.toMatchObject({
        code: DUPLICATE,
      });
      expect(await database.commit([insert('afterwards')])).toBe(true);
    });
  });

  describe('the comparison of user names', () => {
    it.each([
      ['a', 'A'],
      ['straße', 'strasse'],
      ['é', 'e'],
      ['ｋ', 'k'],
      ['ﬁ', 'fi'],
      ['İ', 'i'],
      ['a b', 'a  b'],
      ['user', 'user0'],
      ['%', '_'],
      ['😀', '😁'],
      ['1', '01'],
    ])('distinguishes the user names %j and %j', async (one, other) => {
      const client = new FidoClient(server.url);
      expect((await client.register(one)).status).toBe(200);
      expect((await client.beginAuthentication(other)).status).toBe(403);
      const second = new FidoClient(server.url);
      expect((await second.register(other)).status).toBe(200);
      expect((await client.signIn(one)).body['username']).toBe(one);
      expect((await second.signIn(other)).body['username']).toBe(other);
    });

    it('treats both ways of writing é as one user name', async () => {
      const client = new FidoClient(server.url);
      expect((await client.register('caf\u0065\u0301')).body['username']).toBe('caf\u00e9');
      expect((await client.signIn('caf\u00e9')).status).toBe(200);
      expect((await client.signIn('caf\u0065\u0301')).status).toBe(200);
    });

    it('pads no user name with blanks', async () => {
      await new FidoClient(server.url).register('padded');
      const rp = relyingPartyOf(server, 'localhost');
      const reader = server.get(CredentialReader);
      expect(await reader.findUser(rp, 'padded')).toBeDefined();
      for (const near of ['padded ', 'padded\u0000', ' padded', 'padde', 'padded\t']) {
        expect(await reader.findUser(rp, near)).toBeUndefined();
      }
    });
  });

  describe('the comparison of credential IDs', () => {
    const filled = (length: number, ...tail: number[]) =>
      Buffer.concat([Buffer.alloc(length, 0x41), Buffer.from(tail)]);

    it.each([
      ['a trailing zero', filled(16), filled(16, 0)],
      ['a trailing blank', filled(17), filled(17, 0x20)],
      ['upper and lower case', Buffer.from('ABCDEFGHIJKLMNOP'), Buffer.from('abcdefghijklmnop')],
      ['bytes that are not UTF-8', filled(18, 0xff), filled(18, 0xfe)],
      ['1023 bytes, equal in the first 1000', filled(1023), filled(1000, ...Array(23).fill(0x42))],
      ['a single byte', Buffer.from([0]), Buffer.from([1])],
    ])('distinguishes credential IDs with %s', async (title, one, other) => {
      const first = new FidoClient(server.url);
      const second = new FidoClient(server.url);
      expect((await registerWithId(first, `one: ${title}`, one)).status).toBe(200);
      expect((await registerWithId(second, `other: ${title}`, other)).status).toBe(200);
      expect((await first.signIn(`one: ${title}`)).body['signCount']).toBe(2);
      expect((await second.signIn(`other: ${title}`)).body['signCount']).toBe(2);
      const again = await registerWithId(new FidoClient(server.url), `third: ${title}`, one);
      expect(again).toMatchObject({ status: 400, body: { errorCode: 'E0036R' } });
    });
  });

  it('stores signature counters up to 2^32 - 1', async () => {
    const client = new FidoClient(server.url);
    await client.register('counter');
    const signedIn = await client.signIn('counter', { signCount: 2 ** 32 - 1 });
    expect(signedIn.body['signCount']).toBe(2 ** 32 - 1);
    expect((await client.signIn('counter', { signCount: 5 })).body.errorCode).toBe('E0035R');
  });
});

describe('SQLite', () => {
  it('SQLite uses write-ahead logging and syncs every commit', async () => {
    const server = await TestServer.start({ on: 'SQLite' });
    try {
      expect(await rowsOf(server, 'PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }]);
      expect(await rowsOf(server, 'PRAGMA synchronous')).toEqual([{ synchronous: 2 }]);
      expect(await rowsOf(server, 'PRAGMA foreign_keys')).toEqual([{ foreign_keys: 1 }]);
    } finally {
      await server.stop();
    }
  });
});

describe.each(EVERY_DATABASE)('migrations on %s', (on) => {
  const executed = async (dataSource: DataSource) =>
    (await dataSource.query<{ name: string }[]>('SELECT name FROM migrations ORDER BY id')).map(
      ({ name }) => name,
    );

  async function withSources(count: number, use: (sources: DataSource[]) => Promise<void>) {
    const database = await createDatabase(on);
    const sources = Array.from(
      { length: count },
      () => new DataSource(dataSourceOptions(database.url)),
    );
    try {
      for (const source of sources) await source.initialize();
      await use(sources);
    } finally {
      for (const source of sources) if (source.isInitialized) await source.destroy();
      await database.remove();
    }
  }

  it('the migrations run once and do nothing the second time', () =>
    withSources(1, async ([source]) => {
      if (!source) return;
      await migrate(source);
      const first = await executed(source);
      expect(first).toEqual(MIGRATIONS.map(({ name }) => name));
      await migrate(source);
      expect(await executed(source)).toEqual(first);
    }));

  it('the migrations refuse a database changed by a newer version', () =>
    withSources(1, async ([source]) => {
      if (!source) return;
      await migrate(source);
      await source.query(
        "INSERT INTO migrations (timestamp, name) VALUES (9999999999999, 'FromTheFuture9999999999999')",
      );
      await expect(migrate(source)).rejects.toThrow(/newer version/);
    }));

  if (on === 'MariaDB') {
    it('the migrations continue after a crash between a statement and its record', () =>
      withSources(1, async ([source]) => {
        if (!source) return;
        await migrate(source);
        // Some of the baseline's tables are made, and it is not recorded.
        await source.query('DELETE FROM migrations');
        await source.query('DROP TABLE invoices');
        await migrate(source);
        expect(await executed(source)).toEqual(MIGRATIONS.map(({ name }) => name));
        expect(await source.query('SELECT * FROM invoices')).toEqual([]);
        expect(await source.query('SELECT * FROM directory_version')).toHaveLength(1);
      }));

    it('one of several simultaneous instances runs the migrations', () =>
      withSources(4, async (sources) => {
        await Promise.all(sources.map((source) => migrate(source)));
        for (const source of sources) {
          expect(await executed(source)).toEqual(MIGRATIONS.map(({ name }) => name));
        }
      }));

    it('an instance waits for another that runs the migrations, and reports it', () =>
      withSources(2, async ([source, other]) => {
        if (!source || !other) return;
        const log = jest.spyOn(Logger, 'log').mockImplementation(() => undefined);
        const runner = other.createQueryRunner();
        await runner.query(`SELECT GET_LOCK(${MIGRATIONS_LOCK}, 0)`);
        const waiting = migrate(source, { lockWaitSeconds: 1 });
        await eventually(() => expect(log.mock.calls.length).toBeGreaterThanOrEqual(2));
        expect(log).toHaveBeenCalledWith(
          expect.stringMatching(/^Another instance changes/),
          'Database',
        );
        expect(await source.query('SHOW TABLES')).toEqual([]);
        await runner.query(`SELECT RELEASE_LOCK(${MIGRATIONS_LOCK})`);
        await runner.release();
        await waiting;
        expect(await executed(source)).toEqual(MIGRATIONS.map(({ name }) => name));
        log.mockRestore();
      }));

    it('the migrations stop when the connection that excludes other instances is lost', () =>
      withSources(2, async ([source, other]) => {
        if (!source || !other) return;
        const { query } = ResumingQueryRunner.prototype;
        let tables = 0;
        // Kills it between two tables, since a fast migration ends before somebody beside it can.
        const killing = jest
          .spyOn(ResumingQueryRunner.prototype, 'query')
          .mockImplementation(async function (this: ResumingQueryRunner, statement, ...more) {
            if (statement.startsWith('CREATE TABLE')) tables += 1;
            if (tables === 4) {
              tables = Infinity;
              const [{ id }] = await other.query(`SELECT IS_USED_LOCK(${MIGRATIONS_LOCK}) AS id`);
              await other.query(`KILL ${Number(id)}`);
            }
            return query.call(this, statement, ...more) as Promise<unknown>;
          });
        await expect(migrate(source)).rejects.toThrow(/and with it the lock/);
        killing.mockRestore();
        expect(tables).toBe(Infinity);
        expect(await executed(other)).toEqual([]);
        await migrate(other);
        expect(await executed(other)).toEqual(MIGRATIONS.map(({ name }) => name));
      }));
  }
});
