import { once } from 'node:events';
import { Agent, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { jest } from '@jest/globals';
import { DataSource } from 'typeorm';
import { UserSearch } from '../../src/users/search/user-search.js';
import { Database } from '../../src/platform/database/database.js';
import { accountsFile, clientOf } from '../support/accounts.js';
import { AdminClient, type ListedUser } from '../support/admin-client.js';
import { bearer, issueKey } from '../support/application-keys.js';
import { Client } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { settle } from '../support/settled-users.js';
import { relyingPartyOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

/** More than a page or a read holds, and together far more than the sockets between us buffer. */
const CROWD = 3000;
const KEYPAIR = JSON.stringify({ name: 'Key', note: 'x'.repeat(4000) });
/** Reading has stopped if nothing has changed in this number of checks in a row (half a second). */
const LOOKS = 20;
const numbered = (n: number) => `crowd-${String(n).padStart(4, '0')}`;
const LISTS = ['/userapi/manageusers', '/users', '/userapi/manageusers?type=list&limit=&cursor='];

describe.each(DATABASES)('the unlimited list of users, on %s', (on) => {
  let server: TestServer;
  let admin: AdminClient;
  beforeAll(async () => {
    server = await TestServer.start({ on, options: { accounts: accountsFile() } });
    admin = new AdminClient(server.url);
    await server.addRelyingParty('acme', { domain: 'acme.example' });
    const crowd = Array.from({ length: CROWD }, (_, n) => ({ username: numbered(n) }));
    await settle(server, relyingPartyOf(server, 'localhost'), crowd);
    await settle(server, relyingPartyOf(server, 'acme.example'), [{ username: 'wile' }]);
    await run('UPDATE credentials SET keypair = ?', KEYPAIR);
  });
  afterAll(() => server.stop());
  afterEach(() => jest.restoreAllMocks());

  const run = (sql: string, ...params: string[]) => server.get(Database).commit([{ sql, params }]);
  const everybody = ['wile', ...Array.from({ length: CROWD }, (_, n) => numbered(n))];

  it.each(LISTS)(
    'the unlimited list of users contains by %s all matches of all relying parties',
    async (path) => {
      const { status, body, headers } = await admin.get(path);
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      const users = body['users'] as ListedUser[];
      expect(users.map(({ username }) => username)).toEqual(everybody);
      const rest = { status: 'ok', errorMessage: '', total: CROWD + 1, next: null };
      expect({ ...body, users: [] }).toEqual({ ...rest, users: [] });
    },
  );

  it('the unlimited list of users is returned by POST, with a filter, and without a match', async () => {
    const { body } = await admin.managePost({ filter: 'crowd-1*' });
    expect(body).toMatchObject({ status: 'ok', total: 1000, next: null });
    expect(body['users']).toHaveLength(1000);
    const none = await admin.manage({ filter: 'nobody*' });
    expect(none.body).toEqual({ status: 'ok', errorMessage: '', total: 0, users: [], next: null });
  });

  it('the unlimited list of users has a line for each credential as CSV', async () => {
    for (const path of ['/userapi/manageusers', '/users']) {
      const { text: csv, headers } = await admin.get(path, { accept: 'text/csv' });
      expect(headers.get('content-type')).toMatch(/^text\/csv/);
      expect(headers.get('content-disposition')).toContain('users.csv');
      expect(csv.trim().split('\r\n')).toHaveLength(CROWD + 2);
    }
  });

  it('the unlimited list of users is paged if the call has a limit', async () => {
    const first = (await admin.counted({ limit: '100' })).body;
    expect(first).toMatchObject({ next: expect.any(String) as string, total: CROWD + 1 });
    const second = (await admin.manage({ cursor: String(first['next']) })).body;
    expect((second['users'] as ListedUser[]).at(0)?.username).toBe(numbered(99));
    expect(second['users']).toHaveLength(100);
  });

  it('the unlimited list of users is not read beyond its beginning for HEAD', async () => {
    const pages = jest.spyOn(UserSearch.prototype, 'page');
    expect((await admin.send('/users', { method: 'HEAD' })).status).toBe(200);
    expect(await settled(pages)).toBeLessThan(4);
  });

  it('the unlimited list of users is read as fast as the client reads, and no longer than the client is connected', async () => {
    const pages = jest.spyOn(UserSearch.prototype, 'page');
    const response = await unread('/users');
    const read = await settled(pages);
    expect(read).toBeLessThan(CROWD / 200);
    response.destroy();
    expect(await settled(pages)).toBeLessThanOrEqual(read + 1);
  });

  it('the unlimited list of users is refused for the fifth simultaneous read of an account or key, and for no other', async () => {
    const { secret } = await issueKey(server.url, { tenant: 'default', scopes: ['users:read'] });
    const clients = [
      admin,
      clientOf(server.url, 'helpdesk'),
      new Client(server.url, bearer(secret)),
    ];
    const reading: IncomingMessage[] = [];
    for (const client of clients) {
      for (let n = 0; n < 4; n += 1) {
        const response = await unread('/users', client);
        expect(response.statusCode).toBe(200);
        reading.push(response);
      }
      const refused = await client.get('/userapi/manageusers');
      expect(refused).toMatchObject({ status: 429, body: { errorCode: 'E0040R' } });
      expect(refused.body.errorMessage).toContain('You are already reading 4 whole lists.');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await client.get('/userapi/manageusers?limit=1')).status).toBe(200);
    }
    // One that was read to its end and one that was given up each make room for another.
    const [read, ...others] = reading;
    await text(read as IncomingMessage);
    for (const response of others) response.destroy();
    for (const client of clients) {
      await eventually(async () => {
        expect((await client.get('/userapi/manageusers')).status).toBe(200);
      });
    }
  });

  it('the unlimited list of users can be read by another account while many requests of one wait', async () => {
    const helpDesk = clientOf(server.url, 'helpdesk');
    const read = async ({ headers }: Client, agent: Agent | false = false) => {
      const asked = get(`${server.url}/userapi/manageusers?limit=200`, { agent, headers });
      const [response] = (await once(asked, 'response')) as [IncomingMessage];
      expect(response.statusCode).toBe(200);
      await text(response);
    };
    // A new connection would be accepted after those of the others, when most of them are answered.
    const kept = new Agent({ keepAlive: true, maxSockets: 1 });
    await Promise.all([read(admin), read(helpDesk, kept)]);
    /** What reaches the server and leaves it: this process also sends and reads all of it. */
    const seen: string[] = [];
    let theirs: Promise<void> | undefined;
    const note = ({ headers }: IncomingMessage, response: ServerResponse) => {
      const isTheirs = headers.authorization === helpDesk.headers['authorization'];
      const who = isTheirs ? 'help desk' : 'admin';
      seen.push(`${who} asks`);
      response.once('finish', () => seen.push(`${who} is answered`));
      if (seen.filter((what) => what === 'admin asks').length === 30) {
        theirs ??= read(helpDesk, kept);
      }
    };
    const http = server.http;
    http.on('request', note);
    await Promise.all(Array.from({ length: 60 }, () => read(admin)));
    await theirs;
    http.off('request', note);
    kept.destroy();
    const answered = (begin: number, end = seen.length) =>
      seen.slice(begin, end).filter((what) => what === 'admin is answered').length;
    const came = seen.indexOf('help desk asks');
    const left = seen.indexOf('help desk is answered');
    expect(answered(came, left)).toBeLessThan(10);
    expect(answered(left)).toBeGreaterThan(20);
  });

  it('the unlimited list of users is aborted when the database fails, so that no part looks complete', async () => {
    const response = await unread('/users');
    await settled(jest.spyOn(UserSearch.prototype, 'page'));
    await server.get(DataSource).query('ALTER TABLE credentials RENAME TO credentials_away');
    try {
      await expect(text(response)).rejects.toThrow('aborted');
      // A list that fails at once, or on the way, takes no place for good.
      for (let n = 0; n < 5; n += 1) {
        const refused = await admin.get('/users');
        expect(refused).toMatchObject({ status: 500, body: { errorCode: 'E0050R' } });
      }
    } finally {
      await server.get(DataSource).query('ALTER TABLE credentials_away RENAME TO credentials');
    }
    expect((await admin.get('/users')).body['total']).toBe(CROWD + 1);
  });

  /** The answer to a caller who has not yet begun to read it. */
  async function unread(path: string, { headers }: Client = admin): Promise<IncomingMessage> {
    const asked = get(server.url + path, { agent: false, headers });
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    return response;
  }

  /** How often the search was asked for a page, once it is not asked any more. */
  async function settled(pages: jest.SpiedFunction<UserSearch['page']>): Promise<number> {
    let known = -1;
    let unchanged = 0;
    await eventually(async () => {
      // While the database takes its time, nothing changes either.
      await Promise.allSettled(pages.mock.results.map(({ value }) => value));
      const now = pages.mock.calls.length;
      unchanged = now === known ? unchanged + 1 : 0;
      known = now;
      expect(unchanged).toBe(LOOKS);
    });
    return known;
  }
});
