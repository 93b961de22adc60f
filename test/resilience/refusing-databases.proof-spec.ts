import { randomBytes } from 'node:crypto';
import BetterSqlite3 from 'better-sqlite3';
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import { PrivateInstance } from '../../scripts/lib/services/private-instance.mjs';
import { AdminClient } from '../support/admin-client.js';
import type { Answer } from '../support/client.js';
import { createDatabaseAt } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { limit } from '../support/harness.js';
import { describeWith } from '../support/needs.js';
import { countOf, rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';
import { jsonLinesOf, postImport } from '../support/transfer.js';

/** What an answer may take. */
const IN_TIME_MS = limit(3000);

const AWAY = { status: 503, body: { errorCode: 'E0052R' } };
const FULL = { status: 507, body: { errorCode: 'E0051R' } };

describeWith('mariadbd and redis-server')('a MariaDB that refuses', () => {
  let maria: PrivateInstance;
  let server: TestServer;
  let root: Connection;
  let client: FidoClient;
  let serial = 0;
  const newName = () => `user-${(serial += 1)}`;

  beforeAll(async () => {
    // All tables share one file that cannot grow beyond its bounds, as on a small disk.
    maria = await PrivateInstance.mariadb([
      '--innodb-file-per-table=0',
      '--innodb-data-file-path=ibdata1:12M:autoextend:max:48M',
      '--innodb-autoextend-increment=1',
    ]);
    await maria.start();
    root = await createConnection({ uri: maria.url, multipleStatements: true });
    const database = await createDatabaseAt(maria.url);
    const url = new URL(database.url);
    // The administrator may do what the server refuses to others.
    await root.query(
      `CREATE USER app@'127.0.0.1'; GRANT ALL ON ${url.pathname.slice(1)}.* TO app@'127.0.0.1'`,
    );
    url.username = 'app';
    server = await TestServer.start({ database: { ...database, url: url.href } });
    client = new FidoClient(server.url);
    await client.register('resident');
  });
  afterAll(async () => {
    await server.stop();
    root.destroy();
    await maria.remove();
  });

  it('answers 503 without storing the counter while MariaDB is read-only, and recovers at once', async () => {
    const counter = () => rowsOf(server, 'SELECT sign_count, last_used_at FROM credentials');
    const before = await counter();
    await root.query('SET GLOBAL read_only = 1');
    expect(await timed(client.signIn('resident'))).toMatchObject(AWAY);
    expect(await timed(new FidoClient(server.url).register(newName()))).toMatchObject(AWAY);
    expect(await counter()).toEqual(before);
    await root.query('SET GLOBAL read_only = 0');
    expect((await client.signIn('resident')).status).toBe(200);
  });

  it('answers 503 while MariaDB has no free connection, and recovers', async () => {
    const most = 10;
    await root.query(`SET GLOBAL max_connections = ${most}`);
    const others: Connection[] = [];
    const connectionsOfServer = async () => {
      // No connection has the number 0: the server alone may have taken all of them.
      const ours = [0, ...others.map(({ threadId }) => threadId)].join();
      const [rows] = await root.query<RowDataPacket[]>(
        `SELECT id FROM information_schema.processlist WHERE user = 'app' AND id NOT IN (${ours})`,
      );
      return rows.map(({ id }) => Number(id));
    };
    // One is the administrator's. A job of the server may take one that was just freed, and one that was killed still
    // counts for a moment.
    while (others.length < most - 1) {
      for (const id of await connectionsOfServer())
        await root.query(`KILL ${id}`).catch(() => undefined);
      const taken = await createConnection(server.database.url).catch(() => undefined);
      if (taken) others.push(taken);
    }
    expect(await timed(client.signIn('resident'))).toMatchObject(AWAY);
    await Promise.all(others.map((other) => other.end()));
    await eventually(async () => expect((await client.signIn('resident')).status).toBe(200));
    await root.query('SET GLOBAL max_connections = 151');
  });

  it('answers 503 to the sign-in of a locked row, and to no other', async () => {
    const other = new FidoClient(server.url);
    await other.register('neighbour');
    const mine = client;
    const theirs = other;
    const ready = mine.assert(await mine.beginAuthentication('resident'));
    const [key] = await rowsOf<{ id: Buffer }>(
      server,
      `SELECT c.id FROM credentials c JOIN users u ON u.id = c.user_id
       WHERE u.username = 'resident'`,
    );
    // By its ID: in a search of the few rows there are, MariaDB could lock all of them.
    await root.query(
      `USE ${new URL(server.database.url).pathname.slice(1)}; START TRANSACTION;
       SELECT * FROM credentials WHERE id = ? FOR UPDATE`,
      [key?.id],
    );
    const [blocked, free] = await Promise.all([
      timed(mine.completeAuthentication(ready)),
      timed(theirs.signIn('neighbour')),
    ]);
    await root.query('ROLLBACK');
    expect(blocked).toMatchObject(AWAY);
    expect(free.status).toBe(200);
    expect((await mine.signIn('resident')).status).toBe(200);
  });

  it('answers 507 while MariaDB has no space, still reads, and recovers', async () => {
    await root.query('CREATE DATABASE filler; USE filler; CREATE TABLE t (b LONGBLOB)');
    for (const size of [1_000_000, 100_000, 10_000, 1_000]) {
      const fill = `INSERT INTO t VALUES (REPEAT('x', ${size}))`;
      for (let full = false; !full;) full = await root.query(fill).then(() => false, () => true); // prettier-ignore
    }
    const refused = await eventually(async () => {
      const answer = await timed(new FidoClient(server.url).register(newName()));
      expect(answer).toMatchObject(FULL);
      return answer;
    });
    expect(refused.body['credentialId']).toBeUndefined();
    expect((await client.beginAuthentication('resident')).status).toBe(200);
    // MariaDB cannot even drop a table now: it gets a larger disk.
    await maria.end('SIGTERM');
    maria.args.push('--innodb-data-file-path=ibdata1:12M:autoextend:max:96M');
    await maria.start();
    await eventually(async () => {
      expect((await new FidoClient(server.url).register(newName())).status).toBe(200);
    });
  });
});

/** An import of many units: while one waits, the server reads no further. */
const MANY_USERS = jsonLinesOf([
  { type: 'header', format: 'servicefido-users', version: 1, relyingParty: 'localhost' },
  ...Array.from({ length: 3000 }, (_, n) => ({
    type: 'user',
    username: `mover-${n}`,
    userHandle: randomBytes(32).toString('base64url'),
    keys: [],
  })),
  { type: 'end', users: 3000, keys: 0 },
]);

describe('an SQLite file that refuses', () => {
  let server: TestServer;
  let client: FidoClient;
  beforeEach(async () => {
    server = await TestServer.start();
    client = new FidoClient(server.url);
    await client.register('resident');
  });
  afterEach(() => server.stop());

  it('answers 507 while SQLite has no space, still reads, and recovers', async () => {
    const [{ page_count: pages = 0 } = {}] = await rowsOf<{ page_count: number }>(
      server,
      'PRAGMA page_count',
    );
    await rowsOf(server, `PRAGMA max_page_count = ${pages + 2}`);
    const answers: Answer[] = [];
    await eventually(async () => {
      answers.push(await new FidoClient(server.url).register(`filler-${answers.length}`));
      expect(answers.at(-1)).toMatchObject(FULL);
    });
    for (const { status } of answers) expect([200, 507]).toContain(status);
    expect((await client.beginAuthentication('resident')).status).toBe(200);
    expect((await client.get('/health/live')).status).toBe(200);

    await rowsOf(server, 'PRAGMA max_page_count = 1000000');
    expect((await new FidoClient(server.url).register('newcomer')).status).toBe(200);
    const acknowledged = answers.filter(({ status }) => status === 200).length;
    expect(await countOf(server, 'users')).toBe(acknowledged + 2);
  });

  it('answers 507 to an import for which SQLite has no space', async () => {
    const [{ page_count: pages = 0 } = {}] = await rowsOf<{ page_count: number }>(
      server,
      'PRAGMA page_count',
    );
    await rowsOf(server, `PRAGMA max_page_count = ${pages + 20}`);
    const admin = new AdminClient(server.url, 'localhost');
    expect(await postImport(admin, MANY_USERS)).toMatchObject(FULL);
    await rowsOf(server, 'PRAGMA max_page_count = 1000000');
    expect(await postImport(admin, MANY_USERS)).toMatchObject({ status: 200 });
  });

  it('answers 503 while another program locks SQLite, changes nothing, and recovers', async () => {
    const other = new BetterSqlite3(server.database.url.slice('sqlite:'.length));
    other.exec('BEGIN IMMEDIATE');
    const before = await server.snapshot();
    expect(await timed(new FidoClient(server.url).register('waiting'))).toMatchObject(AWAY);
    const admin = new AdminClient(server.url, 'localhost');
    expect(await postImport(admin, MANY_USERS)).toMatchObject(AWAY);
    expect(await server.snapshot()).toBe(before);
    other.exec('ROLLBACK');
    other.close();
    expect((await new FidoClient(server.url).register('waiting')).status).toBe(200);
    expect(await postImport(admin, MANY_USERS)).toMatchObject({ status: 200 });
  });
});

async function timed(asked: Promise<Answer>) {
  const began = performance.now();
  const answer = await asked;
  expect(performance.now() - began).toBeLessThan(IN_TIME_MS);
  return answer;
}
