import { DataSource } from 'typeorm';
import { mapKey } from '../../src/platform/database/row-ids.js';
import { COUNT_USERS_WITH_KEY } from '../../src/adoption/adoption.statements.js';
import { LAST_SIGN_IN } from '../../src/audit/audit.statements.js';
import { AuditReader } from '../../src/audit/audit-reader.js';
import { UsageStore } from '../../src/billing/usage/usage-store.js';
import { InvoiceEntity } from '../../src/billing/invoices/invoice.entity.js';
import { DocumentReader } from '../../src/billing/invoices/document-reader.js';
import { ConsoleSessions } from '../../src/accounts/sessions/console-sessions.js';
import { RECEIPT_ERASURE } from '../../src/events/erasure/erasure.statements.js';
import { EventLog, positionAtEndOf } from '../../src/events/event-log.js';
import { HourlyEventCounts } from '../../src/events/hourly-event-counts.js';
import { NumberedEvents } from '../../src/events/numbering/numbered-events.js';
import {
  COUNT_EVENTS,
  COUNT_NUMBERED,
  EVENTS_TO_NUMBER,
  NUMBERED_IDS,
  SLICE_AFTER,
} from '../../src/events/numbering/numbering.statements.js';
import { eventCountOf } from '../../src/pages/dashboard/dashboard-counts.js';
import { Batches } from '../../src/batches/batches.js';
import { TicketService } from '../../src/fido/tickets/ticket.service.js';
import { Invitations } from '../../src/invitations/invitations.js';
import { OPERATOR_ACCOUNT } from '../../src/platform/access/accounts/account.js';
import type { ReadTurn } from '../../src/platform/common/turns/read-turns.js';
import type { Step } from '../../src/platform/database/commit/unit.js';
import { Database } from '../../src/platform/database/database.js';
import { scope } from '../../src/platform/database/scope.js';
import type { Statement } from '../../src/platform/database/statement.js';
import type { RelyingParty } from '../../src/tenancy/relying-party.js';
import { ACCOUNT_BY_NAME } from '../../src/accounts/account.statements.js';
import { LINES_AFTER } from '../../src/user-admin/lists/upload.statements.js';
import { FINDINGS, KEYS_TO_EVALUATE } from '../../src/trust/findings/finding.statements.js';
import { DELETED_KEYS_OF_MODEL } from '../../src/users/deletions/deletion.statements.js';
import { Deletions } from '../../src/users/deletions/deletions.js';
import { ModelKeys } from '../../src/users/list/model-keys.js';
import { FACTS_BY_CREATION, NEXT_MODEL } from '../../src/users/list/user-list.statements.js';
import {
  COUNT_UNABLE_USERS,
  NTH_UNSUSPENDED,
  UNABLE_USERS,
} from '../../src/users/user.statements.js';
import { Pattern } from '../../src/users/search/pattern.js';
import { USERS_OF_SAME_WORDS } from '../../src/users/search/search.statements.js';
import { oneEditVariants } from '../../src/users/search/edits.js';
import { OWNERS_OF_HASH } from '../../src/users/credentials/credential.statements.js';
import { UserSearch } from '../../src/users/search/user-search.js';
import { USERS_TO_EXPORT } from '../../src/users/transfer/transfer.statements.js';
import { SetAsideMessages } from '../../src/webhooks/set-aside-messages.js';
import { WebhookRows } from '../../src/webhooks/webhook-rows.js';
import { EVERY_DATABASE } from '../support/databases.js';
import { relyingPartyOf, rowsOf } from '../support/rows.js';
import {
  CREATED,
  MODEL,
  NUMBERED,
  REFUSED,
  UPLOAD,
  WEBHOOK,
  fillTables,
} from '../support/schema/filled-tables.js';
import { SentStatements } from '../support/schema/sent-statements.js';
import { TestClock, TestServer } from '../support/test-server.js';

/** Enough rows that no planner prefers to read them all. */
const ROWS = 4000;
/** The rows that a list may read: up to four for an entry, and one more look-up in each table. */
const MAX_READ = 1100;
const LISTED = 100;
/** Other events are refusals, and those of the server's own jobs. */
const SIGN_INS = ROWS - REFUSED.length;
/** Of all IDs: where a list ends. */
const LAST = Buffer.alloc(16, 0xff);
/** A table that is read from its first row to its last, and not a few rows of a subquery; tenants are few. */
const COSTLY = /^SCAN (?!(?:k|s|t|r|tenants?|.*USING INDEX.*)$)|^USE TEMP B-TREE FOR ORDER BY$/i;
const BEFORE = Buffer.alloc(16);
const ALL = { name: new Pattern('*') };
const NEXT_NUMBERS = { after: NUMBERED + ROWS / 2, upto: NUMBERED + ROWS, limit: LISTED };
const NOW = Date.now();
const deep = { from: 0, before: positionAtEndOf(NOW - ROWS / 2), limit: LISTED };
const setAside: List = async (server) => {
  const id = WEBHOOK.toString('base64url');
  return server
    .get(SetAsideMessages)
    .list(await server.get(WebhookRows).find(OPERATOR_ACCOUNT, id));
};

describe.each(EVERY_DATABASE)('reads from thousands of rows on %s', (on) => {
  let server: TestServer;
  let statements: SentStatements;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    statements = new SentStatements(server);
    const filled = await fillTables(server, ROWS, NOW);
    if (on === 'SQLite') return;
    await rowsOf(server, `ANALYZE TABLE ${filled.join()}`);
  });
  afterAll(() => server.stop());

  it('finds the refusals among all events, slice by slice', async () => {
    let parts = 0;
    const turn: ReadTurn = (part) => {
      parts += 1;
      return part();
    };
    const rp = relyingPartyOf(server, 'localhost');
    const span = { from: 0, before: positionAtEndOf(NOW + 10), limit: LISTED };
    const found = await server.get(EventLog).refusalsOf(rp, span, turn);
    expect(found.map(({ requestId }) => Number(requestId)).sort((a, b) => a - b)).toEqual(REFUSED);
    expect(parts).toBe(Math.ceil((ROWS + 1) / 2000));
    const newest = await server.get(EventLog).refusalsOf(rp, { ...span, limit: 2 }, turn);
    expect(newest.map(({ requestId }) => requestId)).toEqual(['0', '700']);
  });

  it('counts the events of an unfinished hour in slices, and keeps what is final', async () => {
    const clock = new TestClock();
    const counts = new HourlyEventCounts(server.get(Database), clock);
    const read = async () => {
      let found = 0;
      const sent = await statements.of(async () => {
        found = eventCountOf(await counts.lastHours(2), 'authentication');
      });
      return { found, slices: sent.filter(({ sql }) => sql.includes('COUNT(*)')).length };
    };
    const first = await read();
    expect(first.found).toBe(SIGN_INS);
    expect(first.slices).toBeGreaterThanOrEqual(ROWS / 500);
    // The events are final now: they are counted once more and kept, and the rest of the hour is empty.
    clock.advance(20 * 60_000);
    expect((await read()).found).toBe(SIGN_INS);
    const last = await read();
    expect(last.found).toBe(SIGN_INS);
    expect(last.slices).toBeLessThanOrEqual(3);
  });

  it('counts each hour once for simultaneous callers', async () => {
    const slicesFor = async (callers: number) => {
      const counts = new HourlyEventCounts(server.get(Database), new TestClock());
      let found: number[] = [];
      const sent = await statements.of(async () => {
        const read = await Promise.all(Array.from({ length: callers }, () => counts.lastHours(2)));
        found = read.map((one) => eventCountOf(one, 'authentication'));
      });
      expect(found).toEqual(Array.from({ length: callers }, () => SIGN_INS));
      return sent.filter(({ sql }) => sql.includes('COUNT(*)')).length;
    };
    expect(await slicesFor(4)).toBe(await slicesFor(1));
  });

  it('counts the usage since the last count in slices', async () => {
    const { begin, end } = { begin: NOW - 3_600_000, end: NOW + 3_600_000 };
    const store = server.get(UsageStore);
    const rp = mapKey(relyingPartyOf(server, 'localhost').id);
    let tallies: Awaited<ReturnType<UsageStore['tallies']>> = new Map();
    const sent = await statements.of(async () => {
      tallies = await store.tallies(begin, end);
    });
    expect(tallies.get(rp)?.authentications).toBe(SIGN_INS);
    const slices = sent.filter(({ sql }) => sql.includes('COUNT(*)'));
    expect(slices.length).toBeGreaterThanOrEqual(ROWS / 500);
  });

  it.each(lookups())('reads %s by an index, without the other rows', async (title, list) => {
    const sent = await statements.of(() => list(server, relyingPartyOf(server, 'localhost')));
    expect(sent).not.toEqual([]);
    for (const statement of sent) {
      const { sql } = statement;
      if (on === 'SQLite') {
        const steps = (await costlySteps(statement)).filter(
          (step) => !(step.startsWith('USE') && SORTED.includes(title)),
        );
        expect({ sql, steps }).toEqual({ sql, steps: [] });
      } else {
        const read = await rowsReadBy(statement);
        expect({ sql, read: Math.max(read, MAX_READ) }).toEqual({ sql, read: MAX_READ });
      }
    }
  });

  /** Steps of a plan on SQLite that read all rows of a table, or sort those that were found. */
  async function costlySteps({ sql, params }: Pick<Step, 'sql' | 'params'>) {
    const explained = `EXPLAIN QUERY PLAN ${sql}`;
    const plan = await rowsOf<{ detail: string }>(server, explained, ...params);
    return plan.map(({ detail }) => detail).filter((step) => COSTLY.test(step));
  }

  /** How many rows a statement reads on MariaDB. */
  async function rowsReadBy({ sql, params }: Pick<Step, 'sql' | 'params'>) {
    const runner = server.get(DataSource).createQueryRunner();
    try {
      await runner.query('FLUSH STATUS');
      await runner.query(sql, [...params]);
      const counters: unknown = await runner.query("SHOW SESSION STATUS LIKE 'Handler_read%'");
      return (counters as { Value: string }[]).reduce((sum, { Value }) => sum + Number(Value), 0);
    } finally {
      await runner.release();
    }
  }
});

function audited(asked: object): List {
  return (server) =>
    server.get(AuditReader).find(OPERATOR_ACCOUNT, { limit: LISTED, cursor: 1.5 * ROWS, ...asked });
}

function auditedOf(asked: object): List {
  return (server, { tenant }) =>
    server
      .get(AuditReader)
      .find(
        { ...OPERATOR_ACCOUNT, tenants: [tenant] },
        { limit: LISTED, cursor: 1.5 * ROWS, ...asked },
      );
}

function invoices(asked: object): List {
  return (server) => server.get(DocumentReader).list(OPERATOR_ACCOUNT, asked);
}

/** A statement about a relying party that finds `LISTED` rows at most. */
function reading(statement: Statement<never>, asked: object): List {
  return (server, rp) =>
    server.get(Database).query(statement, { ...scope(rp), limit: LISTED, ...asked } as never);
}

/** Statements that read a page or find a row, whatever the size of the table. */
function lookups(): readonly (readonly [string, List])[] {
  return [
    [
      'users by name',
      (server, rp) => {
        const after = { domain: rp.domain, at: Buffer.from('user-3') };
        return server.get(UserSearch).page([rp], ALL, { limit: LISTED, after });
      },
    ],
    ['users to export', reading(USERS_TO_EXPORT.later, { createdAt: CREATED + ROWS / 2 })],
    [
      'users to export who were created at the same time',
      reading(USERS_TO_EXPORT.same, { createdAt: CREATED, id: Buffer.alloc(16) }),
    ],
    [
      'users in the order of their creation',
      reading(FACTS_BY_CREATION.backwards.others, { createdAt: CREATED + ROWS / 2 }),
    ],
    [
      'users who were created at the same time',
      reading(FACTS_BY_CREATION.forwards.same, { createdAt: CREATED, id: LAST }),
    ],
    [
      'keys in the order of their hashes',
      reading(KEYS_TO_EVALUATE, { after: Buffer.alloc(32, 0x80), withProofs: false }),
    ],
    [
      'users with a similar word',
      (server, rp) => {
        // Some 180 words. For 200 and more, MariaDB estimates by a random sample of pages (eq_range_index_dive_limit), and
        // sometimes reads all words of a table that is as small as this one.
        const words = oneEditVariants('usr').map((word) => Buffer.from(word));
        const asked = { relyingPartyId: rp.id, words, limit: LISTED };
        return server.get(Database).query(USERS_OF_SAME_WORDS, asked);
      },
    ],
    [
      'the users of a credential ID',
      (server, rp) => {
        const asked = { ids: [rp.id], credentialHash: Buffer.alloc(32, 1) };
        return server.get(Database).query(OWNERS_OF_HASH, asked);
      },
    ],
    ['the newest invitations', (server, rp) => server.get(Invitations).list(rp)],
    ['the invitations of a user', (server, rp) => server.get(Invitations).list(rp, 'user-7')],
    [
      'the invitations of a user in any case',
      (server, rp) => server.get(Invitations).list(ignoringCase(rp), 'USER-7'),
    ],
    [
      'the tickets of a user in any case',
      (server, rp) => server.get(TicketService).list(ignoringCase(rp), 'USER-7'),
    ],
    ['the newest deletions', (server, rp) => server.get(Deletions).recent(rp, LISTED)],
    ['the deletions of a name', (server, rp) => server.get(Deletions).ofName(rp, 'user-7')],
    [
      'the deleted keys of a model',
      (server, rp) => {
        const database = server.get(Database);
        const asked = { ...scope(rp), aaguid: MODEL, after: Buffer.alloc(0), limit: LISTED };
        return database.query(DELETED_KEYS_OF_MODEL[database.kind], asked);
      },
    ],
    ['older events', (server, rp) => server.get(EventLog).ofRelyingParty(rp, deep)],
    ['older events of a user', (server, rp) => server.get(EventLog).ofUser(rp, 'user-1', deep)],
    ['the events of a request', (server) => server.get(EventLog).ofRequest('7')],
    ['findings', reading(FINDINGS, { after: LAST })],
    ['the newest audit rows', audited({ cursor: undefined })],
    ['older audit rows', audited({})],
    ['the audit rows since a time', audited({ from: NOW + ROWS / 2 })],
    ['the audit rows of an account', audited({ account: 'anna' })],
    ['the audit rows of an action', audited({ action: 'user.erase' })],
    ['the audit rows about a target', audited({ target: 'user-7' })],
    ['the audit rows of a tenant about a target', auditedOf({ target: 'user-7' })],
    ['the audit rows of a tenant about a rare target', auditedOf({ target: 'nobody' })],
    [
      'the audit rows of an account and an action about a rare target',
      audited({ account: 'anna', action: 'user.erase', result: 'ok', target: 'nobody' }),
    ],
    ['the audit rows of a request', audited({ requestId: '7' })],
    ['the audit rows of a tenant', auditedOf({})],
    [
      'the audit rows of relying parties',
      (server, { tenant, domain }) => {
        const query = { limit: LISTED, cursor: 1.5 * ROWS };
        const domains = [domain, 'other.example'];
        return server
          .get(AuditReader)
          .find({ ...OPERATOR_ACCOUNT, tenants: [tenant] }, query, domains);
      },
    ],
    ['the newest invoices', invoices({})],
    ['the invoices before one', invoices({ before: { series: 'statement', number: ROWS / 2 } })],
    ['the invoices of a month', invoices({ month: '2050-01' })],
    ['the invoices of a tenant', invoices({ tenant: 'default' })],
    ['the credit notes', invoices({ kind: 'credit-note' })],
    [
      'the credit notes before one',
      invoices({ kind: 'credit-note', before: { series: 'statement', number: ROWS / 2 } }),
    ],
    [
      'the last number of a series',
      (server) =>
        server
          .get(DataSource)
          .getRepository(InvoiceEntity)
          .maximum('number', { series: 'statement' }),
    ],
    ['the lines of a list', reading(LINES_AFTER, { uploadId: UPLOAD, after: ROWS / 2 })],
    ['the batches of a model', (server, rp) => server.get(Batches).ofTarget([rp], MODEL)],
    ['the batches under way', (server) => server.get(Batches).underWay()],
    ['the parts of a batch', (server) => server.get(Batches).find([], LAST)],
    [
      'users with a key of a model',
      (server, rp) => server.get(ModelKeys).step(rp, MODEL, Buffer.alloc(0), LISTED),
    ],
    [
      'the users with keys of a slice',
      reading(COUNT_USERS_WITH_KEY, { since: 0, after: BEFORE, upTo: BEFORE }),
    ],
    [
      'the users of a slice who cannot sign in',
      async (server, rp) => {
        const database = server.get(Database);
        const range = { relyingPartyId: rp.id, after: BEFORE, upTo: Buffer.alloc(16, 0xff) };
        const nth = NTH_UNSUSPENDED[database.kind];
        const [end] = await database.query(nth, { ...range, n: LISTED });
        for (const isSuccessor of [0, 1] as const) {
          const slice = { ...range, upTo: end?.id ?? range.upTo, isSuccessor };
          await database.query(COUNT_UNABLE_USERS[database.kind], slice);
          await database.query(UNABLE_USERS[database.kind], { ...slice, limit: LISTED });
        }
      },
    ],
    ['the next model of the keys', reading(NEXT_MODEL, { aaguid: MODEL })],
    ['the messages that a webhook has set aside', setAside],
    ['numbered events', (server, rp) => server.get(NumberedEvents).after([rp], NEXT_NUMBERS)],
    [
      'numbered events of a tenant',
      (server, rp) =>
        server.get(NumberedEvents).after([rp, { ...rp, id: Buffer.alloc(16) }], NEXT_NUMBERS),
    ],
    [
      'numbered events of all tenants',
      (server, rp) =>
        server.get(NumberedEvents).after([rp, { ...rp, tenantId: Buffer.alloc(16) }], NEXT_NUMBERS),
    ],
    ['events without numbers', reading(EVENTS_TO_NUMBER, { after: Buffer.alloc(16), to: LAST })],
    ['the number of events in a slice', reading(COUNT_EVENTS, { from: BEFORE, to: BEFORE })],
    ['the number of numbers in a slice', reading(COUNT_NUMBERED, { from: 1, to: 2 })],
    ['the numbers in a slice', reading(NUMBERED_IDS, { from: 1, to: 2 })],
    ['the slice after a number', reading(SLICE_AFTER, { number: NUMBERED + ROWS / 2 })],
    ['the last sign-in of an account', reading(LAST_SIGN_IN, { account: Buffer.from('anna') })],
    ['an account by its name', reading(ACCOUNT_BY_NAME, { name: Buffer.from('account-7') })],
    ['the sessions of an account', (server) => server.get(ConsoleSessions).of('account-7')],
    [
      'the receipts of a name',
      reading(RECEIPT_ERASURE.find, { username: Buffer.from('user-7'), since: -1, until: NOW }),
    ],
  ];
}

const ignoringCase = (rp: RelyingParty): RelyingParty => ({
  ...rp,
  policy: { ...rp.policy, usernames: 'case-insensitive' },
});

/** Lists that SQLite sorts after it has found their few rows. */
const SORTED = [
  'the deletions of a name',
  'the audit rows of a request',
  'the invitations of a user',
  'the invitations of a user in any case',
  'the tickets of a user in any case',
  'the events of a request',
  'the invoices of a month',
  'the invoices of a tenant',
  'the sessions of an account',
  'the batches under way',
  'users to export',
  'users to export who were created at the same time',
  'keys in the order of their hashes',
];

type List = (server: TestServer, rp: RelyingParty) => Promise<unknown>;
