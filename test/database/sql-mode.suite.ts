import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import { DataSource } from 'typeorm';
import { PrivateInstance } from '../../scripts/lib/services/private-instance.mjs';
import { sql } from '../../src/platform/database/statement.js';
import { Database } from '../../src/platform/database/database.js';
import { createDatabaseAt } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FaultyProxy } from '../support/faulty-proxy.js';
import { FidoClient } from '../support/fido-client.js';
import { rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

/** Ends the string of the INSERT, makes that harmless, and adds its own statements. */
const STACKED = `', 0x00, 0 FROM relying_parties r LIMIT 0; UPDATE users SET display_name = 0x70776e6564; COMMIT; -- x`;

describe.each(settings())('a MariaDB that is set to %s', (_, { args = [], mode, attack }) => {
  let maria: PrivateInstance;
  let server: TestServer;
  let root: Connection;
  beforeAll(async () => {
    maria = await PrivateInstance.mariadb([...args, '--transaction-isolation=READ-COMMITTED']);
    await maria.start();
    root = await createConnection({ uri: maria.url });
    server = await TestServer.start({ database: await createDatabaseAt(maria.url) });
  });
  afterAll(async () => {
    await server.stop();
    root.destroy();
    await maria.remove();
  });

  it('stores a display name as text on connections opened later', async () => {
    if (mode !== undefined) await root.query('SET GLOBAL sql_mode = ?', [mode]);
    const others = 'SELECT id FROM information_schema.processlist WHERE id <> CONNECTION_ID()';
    const [rows] = await root.query<({ id: number } & RowDataPacket)[]>(others);
    for (const { id } of rows) await root.query(`KILL ${id}`).catch(() => undefined);
    await eventually(() => modes());
    await expectHarmless('later');
  });

  it('stores a display name as text from the start', async () => {
    const { database } = server;
    await server.stop();
    server = await TestServer.start({ database });
    await expectHarmless('from the start');
  });

  it('each session has the same settings, whatever those of the server are', async () => {
    const expected = {
      mode: 'STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION',
      client: 'utf8mb4',
      isolation: 'REPEATABLE-READ',
    };
    expect(await modes()).toEqual([expected, expected, expected]);
  });

  async function namesByUser() {
    const rows = await rowsOf<{ username: Buffer; name: string }>(
      server,
      'SELECT username, display_name AS name FROM users',
    );
    return new Map(rows.map(({ username, name }) => [username.toString(), name]));
  }

  /** Every name is stored as it was sent. */
  async function expectHarmless(time: string) {
    const names = new Map([
      [`victim ${time}`, 'Victim'],
      [`attacker ${time}`, attack],
      [`${time} O'Brien\\`, `\\' " \\\\ O'Brien ÄÖ€ 東 \\`],
    ]);
    for (const [username, displayName] of names) {
      const client = new FidoClient(server.url);
      const begun = await client.beginRegistration(username, { displayName });
      expect((await client.completeRegistration(client.create(begun))).status).toBe(200);
      expect((await client.signIn(username)).status).toBe(200);
    }
    const stored = await namesByUser();
    for (const [username, displayName] of names) expect(stored.get(username)).toBe(displayName);
  }

  async function modes() {
    const text =
      'SELECT @@sql_mode AS mode, @@character_set_client AS client, @@tx_isolation AS isolation';
    const database = server.get(Database);
    return [
      ...(await database.query(sql(text))),
      ...(await database.query(sql(text, { small: true }))),
      ...(await server.get(DataSource).query<unknown[]>(text)),
    ];
  }
});

describe('a MariaDB proxy that allows no session to change its sql_mode', () => {
  let maria: PrivateInstance;
  let root: Connection;
  let proxy: FaultyProxy;
  beforeAll(async () => {
    maria = await PrivateInstance.mariadb();
    await maria.start();
    root = await createConnection({ uri: maria.url });
    proxy = await FaultyProxy.before(maria.url);
    proxy.rewrite('SESSION sql_mode', '@a_user_variable');
  });
  afterAll(async () => {
    await proxy.close();
    root.destroy();
    await maria.remove();
  });

  const setMode = (mode: string) => root.query('SET GLOBAL sql_mode = ?', [mode]);
  const database = async () => {
    const made = await createDatabaseAt(maria.url);
    return { ...made, url: proxy.urlOf(made.url) };
  };

  it('uses the database only while it treats a backslash as an escape', async () => {
    await setMode('STRICT_TRANS_TABLES');
    const server = await TestServer.start({ database: await database() });
    const client = new FidoClient(server.url);
    expect((await client.register('early')).status).toBe(200);
    await setMode('NO_BACKSLASH_ESCAPES');
    proxy.cut();
    const away = { status: 503, body: { errorCode: 'E0052R' } };
    expect(await client.beginAuthentication('early')).toMatchObject(away);
    await setMode('STRICT_TRANS_TABLES');
    await eventually(async () => expect((await client.signIn('early')).status).toBe(200));
    await server.stop();
  });

  it('prevents the start with a sentence about the sql_mode', async () => {
    await setMode('NO_BACKSLASH_ESCAPES');
    const options = { dbWait: 600 };
    await expect(TestServer.start({ database: await database(), options })).rejects.toThrow(
      'The database keeps sql_mode NO_BACKSLASH_ESCAPES: it is not used.',
    );
  });
});

/** Settings of a database server under which a backslash does not escape a quote, and one harmless. */
function settings(): readonly [string, Setting][] {
  return [
    ['sql_mode NO_BACKSLASH_ESCAPES', { mode: 'NO_BACKSLASH_ESCAPES', attack: `x${STACKED}` }],
    [
      'the character set GBK, in which a backslash may be half a character',
      {
        args: ['--skip-character-set-client-handshake', '--character-set-server=gbk'],
        attack: `€${STACKED}`,
      },
    ],
    ['sql_mode ORACLE and ANSI', { mode: 'ORACLE,ANSI', attack: `x${STACKED}` }],
  ];
}

interface Setting {
  /** Arguments of the database server. */
  readonly args?: readonly string[];
  /** Set while the service runs. */
  readonly mode?: string;
  /** A display name that knows the setting. */
  readonly attack: string;
}
