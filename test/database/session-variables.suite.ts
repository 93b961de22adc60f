import { createConnection, type Connection } from 'mysql2/promise';
import { DataSource } from 'typeorm';
import { PrivateInstance } from '../../scripts/lib/services/private-instance.mjs';
import { SESSION_VARIABLES } from '../../src/platform/database/data-source.js';
import { Database } from '../../src/platform/database/database.js';
import { sql } from '../../src/platform/database/statement.js';
import { AdminClient } from '../support/admin-client.js';
import { createDatabaseAt } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { describeWith } from '../support/needs.js';
import { rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

/** A value of the server under which statements would fail or do something else. */
const WRONG = {
  sql_mode: "'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PIPES_AS_CONCAT'",
  autocommit: '0',
  completion_type: '1',
  foreign_key_checks: '0',
  unique_checks: '0',
  sql_auto_is_null: '1',
  sql_safe_updates: '1',
  sql_big_selects: '0',
  sql_select_limit: '1',
} as const satisfies Record<keyof typeof SESSION_VARIABLES, string>;

/** Beside the table: the access mode is set with the isolation level; a join limit makes `sql_big_selects` matter. */
const WRONG_ALSO = { tx_read_only: '1', max_join_size: '1' } as const;

const NAMES = Object.keys(SESSION_VARIABLES);
const READ = `SELECT ${[...NAMES, 'tx_read_only'].map((name) => `@@SESSION.${name} AS ${name}`).join(', ')}`;

describeWith('mariadbd and redis-server')('a MariaDB whose session defaults are all wrong', () => {
  let maria: PrivateInstance;
  let root: Connection;
  beforeAll(async () => {
    maria = await PrivateInstance.mariadb();
    await maria.start();
    root = await createConnection({ uri: maria.url });
  });
  afterAll(async () => {
    root.destroy();
    await maria.remove();
  });

  it.each([
    ...Object.entries(WRONG).map(([name, value]) => [name, { [name]: value }] as const),
    ['all of them', { ...WRONG, ...WRONG_ALSO }] as const,
  ])('the service works, with the global value of %s', async (_, wrong) => {
    const right = Object.keys(wrong).map(async (name) => {
      const [rows] = await root.query(`SELECT @@GLOBAL.${name} AS value`);
      return [name, (rows as { value: unknown }[])[0]?.value] as const;
    });
    const restored = await Promise.all(right);
    const database = await createDatabaseAt(maria.url);
    for (const [name, value] of Object.entries(wrong)) {
      await root.query(`SET GLOBAL ${name} = ${value}`);
    }
    const server = await TestServer.start({ database });
    try {
      await server.addRelyingParty('acme', { domain: 'acme.example' });
      const client = new FidoClient(server.url);
      for (const name of ['ann', 'bob']) {
        expect((await client.register(name, { displayName: `O'${name} \\` })).status).toBe(200);
      }
      expect((await client.signIn('ann')).status).toBe(200);
      const admin = new AdminClient(server.url, 'localhost');
      expect(await admin.names()).toEqual(['ann', 'bob']);
      const ticket = { username: 'carl', relyingParty: 'localhost' };
      expect((await admin.post('/userapi/tickets', ticket)).status).toBe(201);
      const disabled = await admin.managePost({ type: 'disableall', filter: 'ann' });
      expect(disabled.status).toBe(200);
      expect((await client.beginAuthentication('ann')).status).toBe(403);
      // Another connection sees what was answered: nothing waits in an open transaction.
      const [stored] = await root.query(
        `SELECT COUNT(*) AS n FROM ${new URL(database.url).pathname.slice(1)}.credentials WHERE enabled = 0`,
      );
      expect(stored).toMatchObject([{ n: 1 }]);
      const used = server.get(Database);
      const sessions = [
        ...(await used.query(sql(READ))),
        ...(await used.query(sql(READ, { small: true }))),
        ...(await rowsOf(server, READ)),
        ...(await server.get(DataSource).query<object[]>(READ)),
      ];
      const expected = Object.entries(SESSION_VARIABLES).map(([name, value]) => [
        name,
        value.replaceAll("'", ''),
      ]);
      for (const session of sessions as Record<string, unknown>[]) {
        const read = NAMES.map((name) => [name, String(session[name]).replace('NO_CHAIN', '0')]);
        expect(read).toEqual(expected);
        expect(session['tx_read_only']).toBe(0);
      }
    } finally {
      for (const [name, value] of restored) await root.query(`SET GLOBAL ${name} = ?`, [value]);
      await server.stop();
      await database.remove();
    }
  });
});
