import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { jest } from '@jest/globals';
import { AuditVerifier } from '../../src/audit/chain/audit-verifier.js';
import { RefusalLog } from '../../src/fido/refusals/refusal-log.js';
import { Database } from '../../src/platform/database/database.js';
import { UserErasure } from '../../src/user-admin/manage-users/user-erasure.js';
import { sendForm } from '../support/console-form.js';
import { AdminClient } from '../support/admin-client.js';
import { erasureCall } from '../support/changing-call.js';
import { HTML, adminClient, type Client } from '../support/client.js';
import { commandsOn } from '../support/command.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { linkUsers, settle } from '../support/settled-users.js';
import { countOf, relyingPartyOf, rowsOf } from '../support/rows.js';
import { BY_HAND, TestServer } from '../support/test-server.js';

const ADA = 'ada.lovelace@example.com';
const TABLES = [
  ...['audit', 'credentials', 'events', 'invitations', 'invoices', 'receipts', 'search_words'],
  ...['set_aside_messages', 'tickets', 'upload_lines', 'uploads', 'users', 'attestations'],
];

/** GDPR article 17, and the invoices and the audit trail that must be kept nevertheless. */
describe.each(DATABASES)('the erasure of a user, on %s', (on) => {
  let server: TestServer;
  let admin: Client;
  let user: FidoClient;
  beforeEach(async () => {
    server = await TestServer.start({ on });
    admin = adminClient(server.url);
    user = new FidoClient(server.url);
    await live();
  });
  afterEach(() => server.stop());

  it('the erasure of a user is refused if the typed name is another one', async () => {
    const before = await server.snapshot();
    expect((await erase(ADA, 'ada')).headers.get('location')).toContain('name=ada.lovelace');
    expect(await server.snapshot()).toBe(before);
  });

  it('replaces the name everywhere by a pseudonym and keeps the records', async () => {
    expect(await kept()).toContain(ADA);
    const counted = () => rowsOf(server, 'SELECT kind, COUNT(*) AS n FROM events GROUP BY kind');
    const before = await counted();
    const answer = await erase(ADA, ADA);
    expect(answer.status).toBe(303);
    const text = await kept();
    for (const trace of [ADA, 'ada.l', 'Ada Lovelace']) expect(text).not.toContain(trace);
    expect(text).toContain('bystander');
    const location = answer.headers.get('location') ?? '';
    const page = await admin.get(location, HTML);
    expect(location).toMatch(/name=erased-[0-9a-f]{16}&/);
    expect(page.text).toMatch(/The user is erased: \d+ events and \d+ audit rows? name /);
    expect(page.text).toContain('Registered a key');
    expect(page.text).not.toContain('From 127.0.0.1');
    const of = await admin.get('/userapi/user?name=bystander', HTML);
    expect(of.text).toContain('From 127.0.0.1');
    const gone = [
      { kind: 'deleted', n: 1 },
      { kind: 'user-deleted', n: 1 },
    ];
    expect((await counted()).map((row) => JSON.stringify(row)).sort()).toEqual(
      [...before, ...gone].map((row) => JSON.stringify(row)).sort(),
    );
  });

  it('keeps the audit trail valid, with a row that does not contain the name', async () => {
    await erase(ADA, 'ada');
    await erase(ADA, ADA);
    const { fault, good } = await server.get(AuditVerifier).verify();
    expect(fault).toBeUndefined();
    const { body } = await admin.get('/userapi/audit?action=user.erase');
    expect(body['entries']).toMatchObject([
      {
        result: 'ok',
        target: expect.stringMatching(/^erased-/),
        relyingParty: 'localhost',
        detail: { users: 1, credentials: 1, events: expect.any(Number) },
      },
      { result: 'refused', target: null },
    ]);
    expect(good).toBeGreaterThan(5);
  });

  it('keeps figures and stored invoices unchanged', async () => {
    await erase(ADA, ADA);
    await user.register('carl');
    const { stored } = await figures();
    const relyingParty = relyingPartyOf(server, 'localhost');
    const by = erasureCall(server);
    const before = await figures();
    const erased = await server.get(UserErasure).erase(relyingParty, 'carl', by);
    expect(erased).toMatchObject({ users: 1, credentials: 1 });
    const after = await figures();
    expect(after.stored).toEqual(stored);
    const line = ({ invoice }: Awaited<ReturnType<typeof figures>>) =>
      (invoice as { tenants: { relyingParties: object[] }[] }).tenants[0]?.relyingParties[0];
    expect(line(after)).toMatchObject({
      registrations: 3,
      authentications: 1,
      activeUsers: 3,
      users: 1,
      credentials: { enabled: 1, disabled: 0 },
    });
    expect(line(before)).toMatchObject({ registrations: 3, activeUsers: 3 });
  });

  it('replaces a former name even in an event of an instance whose clock is ahead', async () => {
    const nora = new FidoClient(server.url);
    await nora.register('nora.berg');
    server.clock.advance(5_000);
    await nora.signIn('nora.berg');
    server.clock.advance(-5_000);
    await admin.patch('/userapi/users', {
      username: 'nora.berg',
      newUsername: 'nora',
      displayName: 'Nora',
    });
    expect((await erase('nora', 'nora')).status).toBe(303);
    expect(await kept()).not.toContain('nora');
  });

  it('the erasure of a user is refused for an unknown name (E0044R)', async () => {
    await erase(ADA, ADA);
    expect((await erase(ADA, ADA)).status).toBe(404);
    expect((await erase('nobody', 'nobody')).status).toBe(404);
  });

  it('the erasure of a user does not replace a word of a refusal that equals the name', async () => {
    const taken = { tenant: 'twice' };
    await admin.post('/tenantapi/tenants', taken);
    await admin.post('/tenantapi/tenants', taken);
    const newest = async () =>
      (await admin.get('/userapi/audit?action=tenant.create&limit=1')).body;
    const before = await newest();
    expect(before['entries']).toMatchObject([{ detail: { refusal: 'tenant.taken' } }]);
    expect((await erase('tenant', 'tenant')).status).toBe(404);
    expect((await erase('twice', 'twice')).status).toBe(404);
    expect((await newest())['entries']).toEqual(before['entries']);
  });

  it('the erasure of a user is allowed only to administrators', async () => {
    const { text } = await admin.get('/userapi/user?rp=localhost&name=bystander', HTML);
    expect(text).toContain('Erase this user');
  });

  it('deletes invitations and tickets of former names, and replaces these names in lists', async () => {
    const rp = relyingPartyOf(server, 'localhost');
    const former = 'eve.former';
    const name = 'eve.today';
    const issue = async () => {
      const named = { relyingParty: 'localhost', username: former };
      await admin.post('/userapi/invitations', { ...named, ttl: 3600, minKeys: 1 });
      await admin.post('/userapi/tickets', { ...named, ttl: 3600 });
      const list = new FormData();
      list.set('file', new File([`${former}\nbystander\n`], 'leavers.txt'));
      await admin.send('/userapi/upload', { method: 'POST', body: list });
    };
    const left = () =>
      Promise.all(
        ['invitations', 'tickets', 'upload_lines'].map((table) =>
          countOf(server, `${table} WHERE username = ?`, Buffer.from(former)),
        ),
      );
    await settle(server, rp, [{ username: former }]);
    await issue();
    // More than are deleted at a time.
    const [one] = await rowsOf<Record<string, string | number | Buffer | null>>(
      server,
      'SELECT * FROM invitations WHERE username = ?',
      Buffer.from(former),
    );
    const columns = Object.keys(one ?? {});
    const copies = Array.from({ length: 201 }, () => {
      const row = { ...one, id: randomBytes(16), code_hash: randomBytes(32) };
      return {
        sql: `INSERT INTO invitations (${columns.join()}) VALUES (${columns.map(() => '?').join()})`,
        params: columns.map((column) => row[column as keyof typeof row] ?? null),
      };
    });
    await server.get(Database).commit(copies);
    const renamed = { relyingParty: 'localhost', username: former, newUsername: name };
    expect((await admin.patch('/userapi/users', renamed)).status).toBe(200);
    await settle(server, rp, [{ username: former }]);
    await issue();
    expect(await left()).toEqual([203, 2, 2]);
    const by = erasureCall(server);
    const { pseudonym } = await server.get(UserErasure).erase(rp, name, by);
    expect(await left()).toEqual([1, 1, 1]);
    const replaced = 'upload_lines WHERE username IS NULL AND shown = ?';
    expect(await countOf(server, replaced, Buffer.from(pseudonym))).toBe(1);
  });

  it('keeps a ticket for the next user of a former name, who does not exist yet', async () => {
    const rp = relyingPartyOf(server, 'localhost');
    const former = 'fay.former';
    const name = 'fay.today';
    await settle(server, rp, [{ username: former }]);
    server.clock.advance(48 * 3_600_000);
    const named = { relyingParty: 'localhost', username: former };
    const issue = () => admin.post('/userapi/tickets', { ...named, ttl: 3600 });
    await issue();
    await admin.patch('/userapi/users', { ...named, newUsername: name });
    const next = await issue();
    const by = erasureCall(server);
    await server.get(UserErasure).erase(rp, name, by);
    expect(await countOf(server, 'tickets WHERE username = ?', Buffer.from(former))).toBe(1);
    const client = new FidoClient(server.url);
    const answer = await client.register(former, { ticket: String(next.body['ticket']) });
    expect(answer.status).toBe(200);
  });

  it('the erasure of a user is refused by the command, with the reason, if no user has the name now', async () => {
    await user.register('edna');
    const names = { relyingParty: 'localhost', username: 'edna', newUsername: 'edna-smith' };
    const renamed = await admin.patch('/userapi/users', names);
    expect(renamed.status).toBe(200);
    const command = commandsOn(server.database);
    const former = await command('users', 'erase', 'edna');
    expect([former.code, former.stderr]).toEqual([0, '']);
    expect(former.stdout).toContain('0 users with 0 keys deleted');
    expect(former.stdout).toContain('the user and its keys exist under the new name');
    const latter = await command('users', 'erase', 'edna-smith');
    expect(latter.stdout).toContain('1 users with 1 keys deleted');
    expect(latter.stdout).not.toContain('renamed');
  });

  it('prints the pseudonym in the command and is recorded as the command line', async () => {
    await user.register('dora');
    const command = commandsOn(server.database);
    const { code, stdout, stderr } = await command('users', 'erase', 'dora');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Erased at localhost; what is kept names erased-[0-9a-f]{16} from/);
    expect(stdout).toContain('1 users with 1 keys deleted');
    expect(await kept()).not.toContain('dora');
    expect((await server.get(AuditVerifier).verify()).fault).toBeUndefined();
    const again = await command('users', 'erase', 'dora', '--relying-party', 'localhost');
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('Nothing is stored')]);
    const elsewhere = await command('users', 'erase', 'dora', '--relying-party', 'nowhere.example');
    expect(elsewhere.code).toBe(2);
  });

  it.each(['', ' '])(
    'the erasure of a user is refused by the command for the name %j',
    async (name) => {
      const before = await server.snapshot();
      const { code, stderr } = await commandsOn(server.database)('users', 'erase', name);
      expect([code, stderr]).toEqual([2, 'the name is empty: nobody is erased\n']);
      expect(await server.snapshot()).toBe(before);
    },
  );

  /** All traces of a name: from an earlier name to a refusal. */
  async function live() {
    const named = { relyingParty: 'localhost', username: ADA };
    await user.register('ada.l', { displayName: 'Ada Lovelace' });
    await user.register('bystander');
    const names = { username: 'ada.l', newUsername: ADA, displayName: 'Ada Lovelace' };
    await admin.patch('/userapi/users', { relyingParty: 'localhost', ...names });
    await user.signIn(ADA);
    await admin.post('/userapi/invitations', { ...named, ttl: 3600, minKeys: 1 });
    await admin.post('/userapi/tickets', { ...named, ttl: 3600 });
    await admin.post('/userapi/manageusers', { type: 'disableall', filter: ADA });
    await user.beginAuthentication(ADA);
    await server.get(RefusalLog).flush();
    const list = new FormData();
    list.set('file', new File([`${ADA}\nbystander\n`], 'leavers.txt'));
    await admin.send('/userapi/upload', { method: 'POST', body: list });
    await admin.get('/userapi/invoice?invoicelog=yes&tenant=default');
  }

  async function kept() {
    const rows = TABLES.map((table) => rowsOf(server, `SELECT * FROM ${table}`));
    return JSON.stringify(await Promise.all(rows), (_, value: unknown) => {
      const bytes = value as { type?: unknown; data?: number[] } | null;
      return bytes?.type === 'Buffer' ? Buffer.from(bytes.data ?? []).toString('utf8') : value;
    });
  }

  function erase(name: string, confirm: string) {
    return sendForm(
      server,
      '/userapi/user/erasure',
      { name, confirm, rp: 'localhost' },
      { client: admin },
    );
  }

  async function figures() {
    const stored = await admin.get('/userapi/invoices');
    const { body } = await admin.get('/userapi/invoice');
    return { stored: stored.body['invoices'], invoice: body['invoice'] };
  }
});

describe.each(DATABASES)('an erasure during a move that is cut off, on %s', (on) => {
  const OLD = 'old.example';
  const NEW = 'new.example';
  let server: TestServer;
  let admin: AdminClient;
  beforeAll(async () => {
    // The server's own jobs would decide about users whom the test links, and fold their names.
    server = await TestServer.start({ on, speed: BY_HAND });
    const policy = { registration: 'ticket', usernames: 'case-insensitive' } as const;
    await server.addRelyingParty('acme', { domain: OLD, policy });
    await server.addRelyingParty('acme', { domain: NEW, predecessor: OLD, policy });
    admin = new AdminClient(server.url, NEW);
  });
  afterAll(() => server.stop());

  const settleAtBoth = async (old: string, name: string) => {
    await settle(server, relyingPartyOf(server, OLD), [{ username: old }]);
    await settle(server, relyingPartyOf(server, NEW), [{ username: name }]);
    const folded = 'UPDATE users SET folded_name = ? WHERE username IN (?, ?)';
    const params = [name, old, name].map((text) => Buffer.from(text));
    await server.get(Database).commit([{ sql: folded, params }]);
    const places = [relyingPartyOf(server, OLD), relyingPartyOf(server, NEW)] as const;
    await linkUsers(server, places, old, name);
    const { body } = await admin.managePost({ type: 'disableall', filter: name });
    expect(body).toMatchObject({ users: 2 });
    server.clock.advance(1000);
  };
  /** A user who had the name before has another name now. */
  const live = async (n: number) => {
    await settleAtBoth(`ada-${n}`, `ada-${n}`);
    const names = { relyingParty: NEW, username: `ada-${n}`, newUsername: `other-${n}` };
    const renamed = await admin.patch('/userapi/users', names);
    expect(renamed.status).toBe(200);
    server.clock.advance(1000);
    const ofOther = await recordedOf(n);
    await settleAtBoth(`Ada-${n}`, `ada-${n}`);
    return ofOther;
  };
  const recordedOf = async (n: number) => {
    const names = [Buffer.from(`ada-${n}`), Buffer.from(`Ada-${n}`)];
    const counts = [
      ['events', 'username'],
      ['users', 'username'],
      ['audit', 'target'],
    ].map(([table, column]) => countOf(server, `${table} WHERE ${column} IN (?, ?)`, ...names));
    return Promise.all(counts);
  };

  it('an erasure that was cut off during a move is completed by a second call, and concerns no other user', async () => {
    const dying = new AsyncLocalStorage<{ left: number }>();
    const database = server.get(Database);
    const commit = database.commit.bind(database);
    jest.spyOn(database, 'commit').mockImplementation(async (...unit) => {
      const life = dying.getStore();
      if (life && (life.left -= 1) < 0) throw new Error('The process died.');
      return commit(...unit);
    });
    const by = erasureCall(server);
    const erase = (n: number) =>
      server.get(UserErasure).erase(relyingPartyOf(server, NEW), `ada-${n}`, by);
    for (let [n, died] = [0, true]; died; n += 1) {
      const ofOther = await live(n);
      const first = await dying.run({ left: n }, () => Promise.allSettled([erase(n)]));
      died = first[0]?.status === 'rejected';
      if (died) expect(await erase(n)).toMatchObject({ pseudonym: expect.any(String) });
      expect([n, ...(await recordedOf(n))]).toEqual([n, ...ofOther]);
    }
  });
});
