import { AuditReader } from '../../src/audit/audit-reader.js';
import { AuditTrail } from '../../src/audit/audit-trail.js';
import type { AuditAction } from '../../src/audit/audit-entry.js';
import { HEAD_RECORD } from '../../src/audit/chain/audit-head.js';
import { Database } from '../../src/platform/database/database.js';
import { issueKey, keyClient } from '../support/application-keys.js';
import { adminClient, type Answer, type Client } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { secretOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

interface Entry {
  readonly seq: number;
  readonly action: string;
  readonly target: string | null;
  readonly tenant: string | null;
}

interface Page {
  readonly entries: readonly Entry[];
  readonly next: string;
  readonly more: boolean;
}

describe.each(DATABASES)('reading the audit trail forward on %s', (on) => {
  let server: TestServer;
  let admin: Client;
  beforeEach(async () => {
    server = await TestServer.start({ on });
    admin = adminClient(server.url);
    await server.addRelyingParty('acme', { domain: 'one.acme.example' });
    await server.addRelyingParty('acme', { domain: 'two.acme.example' });
  });
  afterEach(() => server.stop());

  const targets = ({ entries }: Page) => entries.map(({ target }) => target);
  const end = async () => (await read('0')).next;

  it('lists all rows from the oldest on, in pages of any size', async () => {
    for (const target of ['a', 'b', 'c']) await append(target);
    const all = await read('0');
    expect(targets(all).slice(-3)).toEqual(['a', 'b', 'c']);
    expect(all.more).toBe(false);
    const paged: Entry[] = [];
    let page = await read('0', { limit: 2 });
    for (; page.more; page = await read(page.next, { limit: 2 })) paged.push(...page.entries);
    expect([...paged, ...page.entries]).toEqual(all.entries);
  });

  it('goes on with the rows that were stored since', async () => {
    const cursor = await end();
    expect(await read(cursor)).toMatchObject({ entries: [], more: false });
    await append('later');
    const page = await read(cursor);
    expect(targets(page)).toEqual(['later']);
    expect(targets(await read(page.next))).toEqual([]);
  });

  it('misses and repeats no row while many are stored at once', async () => {
    let cursor = await end();
    const names = Array.from({ length: 60 }, (_, n) => `many-${n}`);
    const writing = Promise.all(names.map((name) => append(name)));
    const seen: (string | null)[] = [];
    const follow = async () => {
      const page = await read(cursor, { limit: 7 });
      seen.push(...targets(page));
      cursor = page.next;
      return page.more;
    };
    while (seen.length < 20) await follow();
    await writing;
    while (await follow());
    expect(seen.toSorted()).toEqual(names.toSorted());
  });

  it('is open to application keys with audit:read, which see the rows of their tenant alone', async () => {
    const issued = { tenant: 'acme', scopes: ['audit:read'] };
    const { secret } = await issueKey(server.url, issued);
    const of = (relyingParties: string[]) =>
      issueKey(server.url, { ...issued, name: relyingParties.join(), relyingParties });
    const limited = await of(['one.acme.example']);
    const cursor = await end();
    await append('no tenant');
    await append('other tenant', { tenant: 'default' });
    await append('tenant', { tenant: 'acme' });
    await append('one', { tenant: 'acme', relyingParty: 'one.acme.example' });
    await append('two', { tenant: 'acme', relyingParty: 'two.acme.example' });
    const seenBy = async (key: string) =>
      targets(await read(cursor, { client: keyClient(server.url, key) }));
    expect(await seenBy(secret)).toEqual(['tenant', 'one', 'two']);
    expect(await seenBy(limited.secret)).toEqual(['one']);
    const newest = await keyClient(server.url, limited.secret).get('/userapi/audit');
    expect(targets(pageOf(newest.body))).toEqual(['one']);
    const other = await issueKey(server.url, { tenant: 'acme', scopes: ['events:read'] });
    expectRefusal(await ask(keyClient(server.url, other.secret), '0'), 'E0043R', 403);
  });

  it('shows a tenant what its own keys tried in vain', async () => {
    const reading = await issueKey(server.url, { tenant: 'acme', scopes: ['audit:read'] });
    const tried = await issueKey(server.url, { tenant: 'acme', scopes: ['ceremonies'] });
    const cursor = await end();
    const calls = ['one.acme.example', 'localhost'].map((relyingParty) =>
      keyClient(server.url, tried.secret).post('/userapi/tickets', { username: 'x', relyingParty }),
    );
    for (const call of calls) expectRefusal(await call, 'E0043R', 403);
    const { entries } = await read(cursor, { client: keyClient(server.url, reading.secret) });
    const refused = { action: 'ticket.issue', tenant: 'acme', result: 'refused', code: 'E0043R' };
    expect(entries).toMatchObject([refused, refused]);
  });

  it('misses no row of an account of several tenants while many are stored', async () => {
    const seen: (string | null)[] = [];
    const names = Array.from({ length: 60 }, (_, n) => `both-${n}`);
    const reader = server.get(AuditReader);
    const account = { tenants: ['default', 'acme'] };
    let seq = await reader.last();
    const follow = async () => {
      const { rows, last, more } = await reader.after(account, { seq, limit: 3 });
      seen.push(...rows.map(({ requestId }) => requestId));
      seq = last;
      return more;
    };
    const writing = Promise.all(
      names.map((name, n) => append(name, { tenant: n % 2 ? 'acme' : 'default' })),
    );
    while (seen.length < 20) await follow();
    await writing;
    while (await follow());
    expect(seen).toEqual(names.toSorted((a, b) => seen.indexOf(a) - seen.indexOf(b)));
    expect(seen).toHaveLength(names.length);
  });

  it('shows the new tenant of a name no row of the former one', async () => {
    const create = () => admin.post('/tenantapi/tenants', { tenant: 'again' });
    expect(await create()).toMatchObject({ status: 201 });
    await append('former', { tenant: 'again' });
    expect((await admin.send('/tenantapi/tenants/again', { method: 'DELETE' })).status).toBe(200);
    expect(await create()).toMatchObject({ status: 201 });
    await append('new', { tenant: 'again' });
    const { secret } = await issueKey(server.url, { tenant: 'again', scopes: ['audit:read'] });
    const seen = targets(await read('0', { client: keyClient(server.url, secret) }));
    expect(seen).toContain('new');
    expect(seen).not.toContain('former');
  });

  it('refuses other parameters, and texts that are no cursor (E0045R)', async () => {
    const events = await admin.get('/userapi/events?after=0');
    const wrong = [`1`, 'x', Buffer.alloc(16).toString('base64url'), String(events.body['next'])];
    for (const text of wrong) {
      const refused = await ask(admin, text);
      expectRefusal(refused, 'E0045R', 400);
      expect(refused.body.reason).toBe('cursor.after');
    }
    const both = await ask(admin, '0', '&action=tenant.create');
    expect(both.body).toMatchObject({ errorCode: 'E0045R', reason: 'cursor.afterAlone' });
  });

  it('names the row to go on with after a restore has undone those that were read', async () => {
    const database = server.get(Database);
    const change = (sql: string, params: (string | number)[]) =>
      database.commit([{ sql, params, mustChange: true }]);
    const headText = async () => String(await secretOf(server, HEAD_RECORD));
    await append('kept');
    const kept = await headText();
    await append('lost');
    const cursor = await end();
    const restore = async (action: AuditAction) => {
      await change('DELETE FROM audit WHERE seq > ?', [Number(kept.split(' ')[0])]);
      await change('UPDATE secrets SET value = ? WHERE name = ?', [kept, HEAD_RECORD]);
      const cli = { account: 'cli', role: 'cli', address: '', result: 'ok' } as const;
      await server.get(AuditTrail).append({ ...cli, action, requestId: 'restore' });
    };
    await restore('database.restore');
    for (const rows of [0, 1, 2]) {
      if (rows > 0) await append(`new-${rows}`);
      const refused = await ask(admin, cursor);
      expect(refused.body).toMatchObject({ errorCode: 'E0045R', reason: 'cursor.epoch' });
      const page = await read(String(refused.body['next']));
      expect(page.entries[0]).toMatchObject({ action: 'database.restore' });
      expect(page.entries).toHaveLength(1 + rows);
    }
    // Another future of the same backup.
    const second = await end();
    await restore('database.restore');
    const refused = await ask(admin, second);
    expect(refused.body).toMatchObject({ errorCode: 'E0045R', reason: 'cursor.epoch' });
    expect((await read(String(refused.body['next']))).entries).toMatchObject([
      { action: 'database.restore' },
    ]);
  });

  function append(target: string, facts: { tenant?: string; relyingParty?: string } = {}) {
    return server.get(AuditTrail).append({
      account: 'anna',
      role: 'helpdesk',
      address: '192.0.2.1',
      action: 'credential.disable',
      target,
      result: 'ok',
      requestId: target,
      ...facts,
    });
  }

  function ask(client: Client, after: string, more = ''): Promise<Answer> {
    return client.get(`/userapi/audit?after=${after}${more}`);
  }

  async function read(after: string, { client = admin, limit = 1000 } = {}): Promise<Page> {
    const { status, body } = await ask(client, after, `&limit=${limit}`);
    expect(status).toBe(200);
    return pageOf(body);
  }
});

function pageOf(body: Answer['body']): Page {
  return {
    entries: body['entries'] as Entry[],
    next: String(body['next']),
    more: body['more'] === true,
  };
}
