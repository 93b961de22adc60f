import { createHash } from 'node:crypto';
import { RollUp } from '../../src/billing/usage/roll-up.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/platform/common/durations.js';
import { Database } from '../../src/platform/database/database.js';
import { appendEventFrom } from '../../src/events/event.statements.js';
import { eventRow, fingerprintOf, ledgerStep, type LedgerEvent } from '../../src/events/ledger.js';
import { EVERY_DATABASE } from '../support/databases.js';
import { relyingPartyOf, rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

const AT = Date.UTC(2028, 1, 29, 23, 59, 59, 999);
const hash = createHash('sha256').update('credential').digest();
const relyingParty = { id: Buffer.alloc(16, 1), tenantId: Buffer.alloc(16, 2) };
const user = { id: Buffer.alloc(16, 3), username: 'ann' };
const event: LedgerEvent = { kind: 'registration', at: AT, relyingParty, user };

interface Row {
  id: Buffer;
  at: number;
  user_id: Buffer;
  username: Buffer;
  credential: Buffer;
  kind: string;
  code: string | null;
  detail: string | null;
  request_id: string | null;
}

describe.each(EVERY_DATABASE)('the ledger on %s', (on) => {
  let server: TestServer;
  let database: Database;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    database = server.get(Database);
  });
  afterAll(() => server.stop());
  beforeEach(() => database.commit([{ sql: 'DELETE FROM events', params: [] }]));

  const rows = (of = server) => rowsOf<Row>(of, 'SELECT * FROM events ORDER BY id');

  it('the ledger keeps every member of an event', async () => {
    const step = ledgerStep({
      ...event,
      kind: 'authentication-refused',
      code: 'E0029R',
      detail: 'origin-not-allowed',
      requestId: 'abcdefgh-1z',
      credentialHash: hash,
    });
    await database.commit([step]);
    expect(await rows()).toMatchObject([
      {
        at: AT,
        user_id: user.id,
        username: Buffer.from('ann'),
        credential: fingerprintOf(hash),
        kind: 'authentication-refused',
        code: 'E0029R',
        detail: 'origin-not-allowed',
        request_id: 'abcdefgh-1z',
      },
    ]);
  });

  it('the ledger keeps only the first eight bytes of the hash of a credential ID', () => {
    expect(fingerprintOf(hash)).toEqual(hash.subarray(0, 8));
  });

  it('the IDs of events begin with the time and sort by it', async () => {
    const later: LedgerEvent = { ...event, at: AT + 1, kind: 'authentication' };
    await database.commit([ledgerStep(later, event)]);
    const kept = await rows();
    expect(kept.map(({ kind }) => kind)).toEqual(['registration', 'authentication']);
    expect(kept.map(({ id }) => id.readUIntBE(0, 6))).toEqual([AT, AT + 1]);
  });

  it('an event without a user or credential contains zeros', async () => {
    const nobody: LedgerEvent = { kind: 'policy', detail: 'aaguid', at: AT, relyingParty };
    await database.commit([ledgerStep(nobody)]);
    expect(await rows()).toMatchObject([
      { user_id: Buffer.alloc(16), username: Buffer.alloc(0), credential: Buffer.alloc(8) },
    ]);
  });

  it('shortens a claimed name between characters, and a long detail', async () => {
    const username = `${'e\u0301'.repeat(127)}\u20ac${'x'.repeat(1000)}`;
    const claimed: LedgerEvent = { ...event, kind: 'policy', user: { username }, detail: username };
    await database.commit([ledgerStep(claimed)]);
    const [row] = await rows();
    expect(row?.username.toString('utf8')).toBe('\u00e9'.repeat(127));
    expect(row?.detail).toHaveLength(100);
  });

  it('an instance whose clock differs from the database’s does not count events', async () => {
    const here = { ...event, relyingParty: relyingPartyOf(server, 'localhost') };
    const early = { ...here, at: AT - 10 * MINUTE_MS };
    await database.commit([ledgerStep(early)]);
    const { now } = Date;
    Date.now = () => now() + 61_000;
    server.clock.standAt(AT + 6 * MINUTE_MS);
    await server.get(RollUp).catchUp();
    server.clock.standAt(AT);
    Date.now = now;
    // Another instance commits an event late, but within a quarter of an hour.
    await database.commit([ledgerStep({ ...early, at: early.at - MINUTE_MS })]);
    server.clock.standAt(AT + HOUR_MS);
    await server.get(RollUp).catchUp();
    const [day] = await rowsOf<{ n: number }>(
      server,
      'SELECT SUM(registrations) AS n FROM usage_days',
    );
    expect(Number(day?.n)).toBe(on === 'SQLite' ? 1 : 2);
  });

  it('an instance whose clock differs from the database’s does not delete events', async () => {
    const aged = await TestServer.start({ on });
    const at = aged.clock.now();
    const here = { ...event, at, relyingParty: relyingPartyOf(aged, 'localhost') };
    await aged.get(Database).commit([ledgerStep(here)]);
    aged.clock.advance(4000 * DAY_MS);
    await aged.get(RollUp).catchUp();
    const { now } = Date;
    Date.now = () => now() + 61_000;
    await aged.get(RollUp).discard();
    Date.now = now;
    expect(await rows(aged)).toHaveLength(on === 'SQLite' ? 0 : 1);
    await aged.get(RollUp).discard();
    expect(await rows(aged)).toEqual([]);
    await aged.stop();
  });

  it('adds an event only if its source row exists', async () => {
    const append = appendEventFrom<{ name: string }>(
      'tenants WHERE name = :name AND closed_at = 0',
    );
    const deleted: LedgerEvent = { ...event, kind: 'deleted', detail: 'enabled' };
    await database.commit(
      ['nobody', 'default'].map((name) => append.step({ ...eventRow(deleted), name })),
    );
    expect(await rows()).toMatchObject([{ kind: 'deleted', detail: 'enabled' }]);
  });
});
