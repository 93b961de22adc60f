import { ConsoleSessions } from '../../src/accounts/sessions/console-sessions.js';
import { PASSWORD, accountsFile } from '../support/accounts.js';
import { BrowserClient } from '../support/browser-client.js';
import { DATABASES } from '../support/databases.js';
import { ageSessions } from '../support/older-sessions.js';
import { refusingRows } from '../support/refused-rows.js';
import { countOf, lastAuditRow } from '../support/rows.js';
import { ADMIN, TestServer } from '../support/test-server.js';

const HOUR_MS = 3_600_000;

describe.each(DATABASES)('a session of an account, over %s', (on) => {
  let server: TestServer;
  let other: TestServer;

  beforeAll(async () => {
    const accounts = accountsFile([{ name: 'helpdesk', role: 'helpdesk' }]);
    server = await TestServer.start({ on, options: { accounts } });
    other = await TestServer.start({ database: server.database, options: { accounts } });
  });
  beforeEach(() => server.get(ConsoleSessions).endAll(ADMIN.user, server.call));
  afterAll(async () => {
    await other.stop();
    await server.stop();
  });

  async function signedIn(name: string, password: string): Promise<BrowserClient> {
    const client = await BrowserClient.signedIn(server.url, name, password);
    await client.open('/console/account');
    return client;
  }
  const admin = () => signedIn(ADMIN.user, ADMIN.password);
  const endsIn = (text: string) =>
    [...text.matchAll(/action="(\/console\/account\/sessions\/[\w-]{22}\/_end)"/g)].map(
      ([, to = '']) => to,
    );

  it('a session of an account is listed with browser and address, and can be ended from another one', async () => {
    const mine = await admin();
    const lost = await admin();
    const { text } = await mine.open('/console/account');
    expect(text).toContain('Chrome 140 on Linux');
    expect(text).toContain('127.0.0.1');
    expect(text.match(/this one/g)).toHaveLength(1);
    const [end = ''] = endsIn(text);
    const shown = await mine.submit(end, {});
    expect(shown.text).toContain('That browser is signed out.');
    expect(endsIn(shown.text)).toEqual([]);
    expect((await lost.at(other.url).open('/')).status).toBe(401);
    expect(await lastAuditRow(server)).toMatchObject({
      action: 'console.sign-out',
      result: 'ok',
      detail: { way: 'password' },
    });
    expect((await mine.submit(end, {})).status).toBe(404);
  });

  it('a session of an account begins only with an audit row: a sign-in whose row is refused sets no cookie', async () => {
    const before = await countOf(server, 'console_sessions');
    const client = new BrowserClient(server.url);
    const fields = { username: ADMIN.user, password: ADMIN.password };
    const refused = { when: 'INSERT ON audit', row: "NEW.action = 'console.sign-in'" };
    const { status } = await refusingRows(server, refused, () =>
      client.submit('/console/sign-in', fields),
    );
    expect(status).toBe(500);
    expect((await client.open('/console/account')).status).toBe(401);
    expect(await countOf(server, 'console_sessions')).toBe(before);
  });

  it('a session of an account ends only with an audit row', async () => {
    const theirs = await signedIn('helpdesk', PASSWORD);
    const mine = await admin();
    const [own = ''] = endsIn((await (await admin()).open('/console/account')).text);
    const { text } = await mine.open('/console/accounts/helpdesk');
    const [end = ''] = /\/console\/accounts\/helpdesk\/sessions\/[\w-]{22}\/_end/.exec(text) ?? [];
    const refused = { when: 'INSERT ON audit', row: "NEW.action LIKE 'console.sign-out%'" };
    await refusingRows(server, refused, async () => {
      for (const path of [end, own, '/console/account/sessions/_end', '/console/sign-out']) {
        expect((await mine.submit(path, {})).status).toBe(500);
        expect((await theirs.open('/console/account')).status).toBe(200);
        expect((await mine.open('/console/account')).status).toBe(200);
      }
    });
    await mine.submit(end, {});
    expect((await theirs.open('/console/account')).status).toBe(401);
    expect(await lastAuditRow(server)).toMatchObject({
      action: 'console.sign-out',
      target: 'helpdesk',
      detail: { way: 'password' },
    });
  });

  it('a session of an account can be neither listed nor ended by another account', async () => {
    const mine = await admin();
    const theirs = await signedIn('helpdesk', PASSWORD);
    const { text } = await mine.open('/console/account');
    const ends = endsIn(text);
    await theirs.open('/console/account');
    for (const end of ends) expect((await theirs.submit(end, {})).status).toBe(404);
    expect((await mine.open('/')).status).toBe(200);
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await mine.submit('/console/account/sessions/_end', {}, foreign)).status).toBe(403);
  });

  it('a session of an account ends on all instances with the account’s sessions, but not with those of others', async () => {
    const mine = await admin();
    const further = await admin();
    const theirs = await signedIn('helpdesk', PASSWORD);
    await mine.open('/console/account');
    const out = await mine.submit('/console/account/sessions/_end', {});
    expect(out.text).toContain('You are signed out.');
    for (const client of [mine, further, further.at(other.url)]) {
      expect((await client.open('/')).status).toBe(401);
    }
    expect((await theirs.open('/')).status).toBe(200);
    expect(await lastAuditRow(server)).toMatchObject({
      action: 'console.sign-out-everywhere',
      result: 'ok',
    });
  });

  if (on === 'MariaDB') {
    it.each([
      ['ahead', 13],
      ['behind', -13],
    ])('lasts as long at an instance whose clock is 13 hours %s', async (_, hours) => {
      const mine = await admin();
      other.clock.advance(hours * HOUR_MS);
      try {
        expect((await mine.at(other.url).open('/console/account')).status).toBe(200);
        expect((await mine.open('/')).status).toBe(200);
        const theirs = await BrowserClient.signedIn(other.url, ADMIN.user, ADMIN.password);
        expect((await theirs.at(server.url).open('/')).status).toBe(200);
        await ageSessions(server, HOUR_MS);
        for (const url of [server.url, other.url]) {
          expect((await theirs.at(url).open('/')).status).toBe(401);
        }
      } finally {
        other.clock.advance(-hours * HOUR_MS);
      }
    });
  }

  it('a session of an account is not begun by HTTP Basic, and the page says so', async () => {
    const headers = { authorization: `Basic ${btoa(`${ADMIN.user}:${ADMIN.password}`)}` };
    const client = new BrowserClient(server.url);
    const { status, text } = await client.open('/console/account', headers);
    expect(status).toBe(200);
    expect(text).not.toContain('action="/console/sign-out"');
  });
});
