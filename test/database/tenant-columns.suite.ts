import { hash } from 'node:crypto';
import { dayOf } from '../../src/billing/usage/calendar.js';
import { COUNTING_DELAY_MS, RollUp } from '../../src/billing/usage/roll-up.js';
import { newId } from '../../src/platform/database/row-ids.js';
import { Database } from '../../src/platform/database/database.js';
import { CredentialReader } from '../../src/users/credentials/credential-reader.js';
import { TicketService } from '../../src/fido/tickets/ticket.service.js';
import { OPERATOR_ACCOUNT } from '../../src/platform/access/accounts/account.js';
import type { RelyingParty } from '../../src/tenancy/relying-party.js';
import { UploadStore } from '../../src/user-admin/lists/upload-store.js';
import { changingCall } from '../support/changing-call.js';
import { FidoClient } from '../support/fido-client.js';
import { EVERY_DATABASE } from '../support/databases.js';
import { countOf, relyingPartyOf, rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

const TABLES = ['tickets', 'uploads', 'usage_days', 'usage_active'];
const FAR = 2 ** 45;
const NAME = Buffer.from('anna');

/** What an instance of the version before writes, which knows nothing of the columns. */
const older = {
  ticket: ({ id }: { id: Buffer }, ticket: string) => ({
    sql: `INSERT INTO tickets (ticket_hash, relying_party_id, username, expires_at)
          VALUES (?, ?, ?, ?)`,
    params: [hash('sha256', ticket, 'buffer'), id, NAME, FAR],
  }),
  upload: ({ id }: { id: Buffer }, upload: Buffer) => ({
    sql: `INSERT INTO uploads (id, account, relying_party_id, state, expires_at)
          VALUES (?, ?, ?, 'ready', ?)`,
    params: [upload, Buffer.from(OPERATOR_ACCOUNT.name), id, FAR],
  }),
  day: ({ id }: { id: Buffer }, day: number) => ({
    sql: `INSERT INTO usage_days
            (relying_party_id, day, month, registrations, authentications, users, enabled,
             disabled, active_users, events)
          VALUES (?, ?, 202601, 1, 2, 3, 4, 5, 6, 7)`,
    params: [id, day],
  }),
};

describe.each(EVERY_DATABASE)('the tenant of each row of a relying party, on %s', (on) => {
  let server: TestServer;
  let database: Database;
  let own: RelyingParty;
  let other: RelyingParty;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    await server.addRelyingParty('other', { domain: 'other.example' });
    database = server.get(Database);
    own = relyingPartyOf(server, 'localhost');
    other = relyingPartyOf(server, 'other.example');
  });
  afterAll(() => server.stop());

  it('stores the tenant with tickets, uploads and counts', async () => {
    await server.addRelyingParty('fresh', { domain: 'fresh.example' });
    const fresh = relyingPartyOf(server, 'fresh.example');
    await issueTicket(fresh);
    await server.get(UploadStore).begin(OPERATOR_ACCOUNT, fresh);
    await new FidoClient(server.url, { relyingParty: 'fresh.example' }).register('anna');
    server.clock.advance(COUNTING_DELAY_MS + 1000);
    await server.get(RollUp).catchUp();
    for (const table of TABLES) {
      expect([table, await tenants(table, fresh)]).toEqual([table, [fresh.tenantId]]);
    }
  });

  it('a ticket of the previous version needs no tenant, but its relying party', async () => {
    await database.commit([older.ticket(own, 'older')]);
    const tickets = server.get(TicketService);
    const use = { username: 'anna', user: undefined, ticket: 'older' };
    expect(await tickets.check(other, use)).toHaveProperty('lack');
    expect(await tickets.check(own, use)).toHaveProperty('ticketHash');
  });

  it('every other ticket needs its tenant', async () => {
    const tickets = server.get(TicketService);
    const reader = server.get(CredentialReader);
    const { ticket } = await issueTicket();
    const mixed = { ...own, tenantId: other.tenantId };
    const use = { username: 'anna', user: await reader.findUser(own, 'anna'), ticket };
    expect(await tickets.check(mixed, use)).toHaveProperty('lack');
    expect(await tickets.check(own, use)).toHaveProperty('ticketHash');
  });

  it('an upload of the previous version works without a tenant', async () => {
    const id = newId();
    await database.commit([older.upload(own, id)]);
    const uploads = server.get(UploadStore);
    const found = await uploads.find(id.toString('base64url'), OPERATOR_ACCOUNT);
    expect(found).toMatchObject({ state: 'ready', relyingPartyId: own.id });
    expect(found && (await uploads.enter(found, 'deleting'))).toBe(true);
  });

  it('adds the tenant to days that the previous version counted, without other changes', async () => {
    const day = dayOf(server.clock.now()) - 40;
    const days = [1, 2, 3].flatMap((n) => [older.day(own, day - n), older.day(other, day - n)]);
    await database.commit(days);
    const rollUp = server.get(RollUp);
    await rollUp.fillInTenants();
    expect(await countOf(server, 'usage_days WHERE tenant_id IS NULL')).toBe(0);
    for (const { id, tenantId } of [own, other]) {
      const mine = 'usage_days WHERE relying_party_id = ? AND tenant_id = ? AND events = 7';
      expect(await countOf(server, mine, id, tenantId)).toBe(3);
    }
  });

  async function tenants(table: string, { id }: RelyingParty): Promise<(Buffer | null)[]> {
    const rows = await rowsOf<{ tenant: Buffer | null }>(
      server,
      `SELECT tenant_id AS tenant FROM ${table} WHERE relying_party_id = ?`,
      id,
    );
    return rows.map(({ tenant }) => tenant);
  }

  function issueTicket(rp = own) {
    const call = changingCall(server, 'ticket.issue');
    return server.get(TicketService).issue(call, rp, { username: 'anna', ttl: 60 });
  }
});
