import { DataSource } from 'typeorm';
import { RECORD_RISING_USE } from '../../src/users/credentials/credential.statements.js';
import { EVERY_DATABASE } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { loadStatements } from '../support/schema/statements.js';
import { TestServer } from '../support/test-server.js';

/** Fragments of other statements begin with no verb. */
const PARTS = /^(?!SELECT|INSERT|UPDATE|DELETE)/;

/** Names of statements about SQLite itself. */
const ONLY_SQLITE = /^SQLITE_/;

/** A value for each parameter. */
const blanksOf = (sql: string) => sql.match(/\?/g)?.map(() => null) ?? [];

describe('the SQL of all statements', () => {
  it.each(EVERY_DATABASE)('every statement runs on %s', async (on) => {
    const server = await TestServer.start({ on });
    try {
      const source = server.get(DataSource);
      const statements = await loadStatements(on === 'SQLite' ? 'sqlite' : 'mysql');
      const whole = [...statements].filter(
        ([name, sql]) => !PARTS.test(sql) && (on === 'SQLite' || !ONLY_SQLITE.test(name)),
      );
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
  const ABOUT_ALL = ['CLOSED_WITH_USERS', 'USERS_LEFT_BEHIND', 'COUNT_USERS_OF', 'USER_IDS_FROM'];
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

  /** Tables that may have millions of rows. */
  const LARGE = [
    ...['users', 'credentials', 'attestations', 'further_handles', 'earlier_names', 'search_words'],
    ...['events', 'event_batches', 'receipts', 'audit', 'tickets', 'invitations', 'findings'],
    ...[
      'deletions',
      'deleted_keys',
      'deleted_handles',
      'deleted_names',
      'upload_lines',
      'moves',
      'collisions',
    ],
  ];
  /** In a plan: a step that reads all of a table or of an index, or all keys of one state. */
  const WHOLE = /^SCAN (?!CONSTANT)|ANY\(/;
  /** Statements that read the whole of an index, and why they may. */
  const READS_ALL: Readonly<Record<string, string>> = {
    COUNT_CREDENTIALS: 'the inventory counts all keys, by an index alone, and is cached',
    COUNT_MODELS: 'the inventory counts all keys, by an index alone, and is cached',
    COUNT_SOME_FINDINGS: 'stops at its limit',
    COUNT_USERS: 'the inventory counts all users, by an index alone, and is cached',
    SOME_TICKETS: 'stops at its limit',
  };

  it('no statement reads the whole of a large table on SQLite, whatever its rows', async () => {
    // The planner uses the expected numbers of rows, a million keys and ten million events, not those of the table.
    const server = await TestServer.start({ on: 'SQLite' });
    try {
      const source = server.get(DataSource);
      const found = new Set<string>();
      for (const [name, sql] of await loadStatements('sqlite', MANY)) {
        if (PARTS.test(sql)) continue;
        const aliases = new Map(
          [
            ...sql.matchAll(/\b(?:FROM|JOIN|INTO|UPDATE) `?"?(\w+)`?"?(?: (?:AS )?(\w+))?/g),
          ].flatMap(([, table = '', alias = table]) => [
            [alias, table] as const,
            [table, table] as const,
          ]),
        );
        const plan = await source.query<{ detail: string }[]>(
          `EXPLAIN QUERY PLAN ${sql}`,
          blanksOf(sql),
        );
        const steps = plan
          .map(({ detail }) => detail)
          .filter((step) => WHOLE.test(step))
          .filter((step) => LARGE.includes(aliases.get(step.split(' ')[1] ?? '') ?? ''));
        expect({ name, steps: steps.filter((step) => !step.includes('COVERING')) }).toEqual({
          name,
          steps: [],
        });
        if (steps.length > 0) found.add(name);
      }
      expect([...found].sort()).toEqual(Object.keys(READS_ALL));
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
});
