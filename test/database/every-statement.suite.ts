import { DataSource } from 'typeorm';
import { RECORD_RISING_USE } from '../../src/users/credentials/credential.statements.js';
import { EVERY_DATABASE } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { loadStatements } from '../support/schema/statements.js';
import { TestServer } from '../support/test-server.js';

/** Fragments of other statements begin with no verb. */
const PARTS = /^(?!SELECT|INSERT|UPDATE|DELETE)/;

/** A value for each parameter. */
const blanksOf = (sql: string) => sql.match(/\?/g)?.map(() => null) ?? [];

it.each(EVERY_DATABASE)('every statement runs on %s', async (on) => {
  const server = await TestServer.start({ on });
  try {
    const source = server.get(DataSource);
    const statements = await loadStatements(on === 'SQLite' ? 'sqlite' : 'mysql');
    const whole = [...statements].filter(([, sql]) => !PARTS.test(sql));
    expect(whole.length).toBeGreaterThan(60);
    for (const [name, sql] of whole) {
      const prepared = source.query(
        on === 'SQLite' ? `EXPLAIN ${sql}` : `PREPARE ${name} FROM ?`,
        on === 'SQLite' ? blanksOf(sql) : [sql],
      );
      await expect(prepared.then(() => name)).resolves.toBe(name);
    }
  } finally {
    await server.stop();
  }
});

/** Statements that are about a whole relying party. */
const ABOUT_ALL = ['LEFT_BEHIND', 'DELETE_CREDENTIALS_OF', 'DELETE_USERS'];
/** In a plan: a search by the relying party alone, or by that and what half of its keys have in common. */
const AMONG_ALL =
  /_(?:credentials|events|further_handles|users)_\w+ \(relying_party_id=\?(?: AND enabled=\?)?\)/;

/** Enough IDs that SQLite would prefer an index without statistics. */
const MANY = Array.from({ length: 64 }, () => '1 = 1');

it('SQLite reads rows of one user by an index in every statement', async () => {
  const server = await TestServer.start({ on: 'SQLite' });
  try {
    const source = server.get(DataSource);
    const among: string[] = [];
    for (const [name, sql] of await loadStatements('sqlite', MANY)) {
      if (PARTS.test(sql) || ABOUT_ALL.includes(name)) continue;
      const plan = JSON.stringify(await source.query(`EXPLAIN QUERY PLAN ${sql}`, blanksOf(sql)));
      if (AMONG_ALL.test(plan)) among.push(name);
      if (name === 'EVENTS_BY_USER') expect(plan).toContain('ix_events_user');
    }
    // Disabled keys are few.
    expect(among).toEqual(['USERS_OF_DISABLED']);
  } finally {
    await server.stop();
  }
});

it.each(EVERY_DATABASE.filter((on) => on !== 'SQLite'))(
  '%s records a sign-in by the primary key, so that it locks no index range',
  async (on) => {
    const server = await TestServer.start({ on });
    try {
      for (const name of ['anna', 'ben', 'carl']) await new FidoClient(server.url).register(name);
      const source = server.get(DataSource);
      const [key] = await source.query('SELECT * FROM credentials LIMIT 1');
      const use = RECORD_RISING_USE.bind({
        relyingPartyId: key.relying_party_id,
        tenantId: key.tenant_id,
        id: key.id,
        signCount: 1,
        backedUp: false,
        uvInitialized: null,
        lastUsedAt: 1,
        ceremony: Buffer.alloc(16, 1),
        openPartyId: key.relying_party_id,
      });
      const [plan] = await source.query(`EXPLAIN ${use.sql}`, [...use.params]);
      expect(plan).toMatchObject({ table: 'credentials', key: 'PRIMARY' });
    } finally {
      await server.stop();
    }
  },
);
