import { DataSource } from 'typeorm';
import { writeAccounts, accountsFile, PASSWORD } from '../support/accounts.js';
import { BrowserClient, sendRaw } from '../support/browser-client.js';
import { adminClient, basic } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FailedSignIns } from '../../src/platform/access/basic/failed-sign-ins.js';
import { Accounts } from '../../src/platform/access/accounts/accounts.js';
import { ageSessions } from '../support/older-sessions.js';
import { rowsOf } from '../support/rows.js';
import { ADMIN, TestServer } from '../support/test-server.js';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

interface Row {
  readonly account: Buffer;
  readonly result: string;
  readonly detail: string;
}

describe.each(DATABASES)('the sign-in page, over %s', (on) => {
  let server: TestServer;
  let other: TestServer;
  let accounts: string;

  beforeAll(async () => {
    accounts = accountsFile([
      { name: 'helpdesk', role: 'helpdesk' },
      { name: 'leaver', role: 'auditor' },
    ]);
    server = await TestServer.start({ on, options: { accounts } });
    other = await TestServer.start({ database: server.database, options: { accounts } });
  });
  afterAll(async () => {
    await other.stop();
    await server.stop();
  });

  const browser = () => new BrowserClient(server.url);
  const signedIn = (name = ADMIN.user, password = ADMIN.password) =>
    BrowserClient.signedIn(server.url, name, password);
  async function rows(action: string): Promise<object[]> {
    const sql = 'SELECT account, result, detail FROM audit WHERE action = ? ORDER BY seq DESC';
    const found = await rowsOf<Row>(server, sql, action);
    return found.map((row) => ({ ...row, account: row.account.toString() }));
  }

  it('is shown in place of a prompt, and returns to the requested page', async () => {
    const client = browser();
    const asked = await client.open('/userapi?search=anna');
    expect(asked.status).toBe(401);
    expect(asked.header('www-authenticate')).toBeUndefined();
    expect(asked.header('cache-control')).toBe('no-store');
    expect(asked.text).toContain('name="to" value="/userapi?search&#x3D;anna"');
    const shown = await client.signIn(ADMIN.user, ADMIN.password, '/userapi?search=anna');
    expect(shown.status).toBe(200);
    expect(shown.text).toContain('Signed in as');
    expect(shown.text).toContain('Sign out');
  });

  it('refuses scripts of a page without a challenge, which would open a prompt', async () => {
    const answer = await browser().fetch('/userapi/users?search=a');
    expect(answer.status).toBe(401);
    expect(answer.header('www-authenticate')).toBeUndefined();
    expect(JSON.parse(answer.text)).toMatchObject({ errorCode: 'E0042R' });
  });

  it.each([
    ['no word of who asks', {}],
    ['a page accepted by a program', { accept: 'text/html' }],
    [
      'PowerShell',
      { 'user-agent': 'Mozilla/5.0 (Windows NT) PowerShell/7.4', accept: 'text/html' },
    ],
  ])('does not affect programs, which get a Basic challenge: %s', async (_, headers) => {
    const answer = await sendRaw(`${server.url}/userapi`, { headers });
    expect(answer.status).toBe(401);
    expect(answer.header('www-authenticate')).toMatch(/^Basic /);
  });

  it('is not needed with HTTP Basic, whatever the cookie says', async () => {
    const client = await signedIn('helpdesk', PASSWORD);
    const right = adminClient(server.url).headers;
    const cookie = { cookie: [...client.cookies].map((pair) => pair.join('=')).join('; ') };
    const audit = (headers: Record<string, string>) =>
      sendRaw(`${server.url}/userapi/audit`, { headers });
    expect((await audit({ ...cookie, ...right })).status).toBe(200);
    const wrong = await audit({ ...cookie, authorization: 'Basic d3Jvbmc6d3Jvbmc=' });
    expect(wrong.status).toBe(401);
    expect(wrong.header('www-authenticate')).toMatch(/^Basic /);
  });

  it('sets a cookie for this host only, hidden from scripts', async () => {
    const answer = await sendRaw(`${server.url}/console/sign-in`, {
      method: 'POST',
      body: new URLSearchParams({ username: ADMIN.user, password: ADMIN.password }).toString(),
      headers: { ...FORM, origin: server.url, 'sec-fetch-site': 'same-origin' },
    });
    expect(answer.status).toBe(303);
    const [set = ''] = answer.set;
    expect(set).toMatch(
      /^__Host-servicefido-console-\d+=[\w-]{64}; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
  });

  it('forbids caching of the pages of a session', async () => {
    const client = await signedIn();
    for (const path of ['/', '/userapi', '/tenants', '/status', '/demo']) {
      expect([path, (await client.open(path)).header('cache-control')]).toEqual([path, 'no-store']);
    }
  });

  it('answers an unknown name like a wrong password, and audits only attempts on existing accounts', async () => {
    const before = (await rows('console.sign-in')).length;
    const answers = [];
    for (const name of ['helpdesk', 'nobody-of-this-name', '']) {
      const client = browser();
      const { status, text } = await client.signIn(name, 'wrong');
      expect(client.cookies.size).toBe(0);
      const main = text
        .slice(text.indexOf('<main'), text.indexOf('</main'))
        .replace(/data-get="[^"]+"/, '');
      answers.push([status, main.replaceAll(name || '§', '').replaceAll(' autofocus', '')]);
    }
    expect(answers[0]?.[0]).toBe(401);
    expect(answers[1]).toEqual(answers[0]);
    await eventually(async () => expect(await rows('console.sign-in')).toHaveLength(before + 1));
    expect((await rows('console.sign-in'))[0]).toMatchObject({
      account: 'helpdesk',
      result: 'refused',
      detail: '{"way":"password"}',
    });
  });

  if (on === 'MariaDB') {
    it('answers a wrong password while the audit trail is unavailable, and stores the row later', async () => {
      const before = (await rows('console.sign-in')).length;
      const holder = server.get(DataSource).createQueryRunner();
      await holder.query('LOCK TABLES audit WRITE');
      try {
        expect((await browser().signIn('helpdesk', 'wrong')).status).toBe(401);
      } finally {
        await holder.query('UNLOCK TABLES');
        await holder.release();
      }
      await eventually(async () => expect(await rows('console.sign-in')).toHaveLength(before + 1));
    });
  }

  it('slows guessing like HTTP Basic, and says how long to wait', async () => {
    const failures = other.get(FailedSignIns);
    for (let n = 0; n < 49; n += 1) failures.add('127.0.0.1', 'guessed');
    const guess = () => new BrowserClient(other.url).signIn('guessed', 'wrong');
    expect((await guess()).status).toBe(401);
    const page = await guess();
    expect(page.status).toBe(429);
    expect(Number(page.header('retry-after'))).toBeGreaterThan(0);
    expect(page.text).toContain('Try again in 5 minutes.');
    expect(
      (await sendRaw(`${other.url}/userapi`, { headers: basic('guessed', 'wrong') })).status,
    ).toBe(429);
  });

  it('never redirects to another server', async () => {
    const fields = { username: ADMIN.user, password: ADMIN.password, to: '//evil.example' };
    const answer = await sendRaw(`${server.url}/console/sign-in`, {
      method: 'POST',
      body: new URLSearchParams(fields).toString(),
      headers: FORM,
    });
    expect(answer.header('location')).toBe('/');
  });

  it('signs no account in or out from a page of another site', async () => {
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const sibling = { origin: 'http://localhost:1', 'sec-fetch-site': 'same-site' };
    const client = await signedIn();
    await client.open('/');
    for (const headers of [foreign, sibling]) {
      const fields = { username: 'helpdesk', password: PASSWORD };
      expect((await browser().submit('/console/sign-in', fields, headers)).status).toBe(403);
      expect((await client.submit('/console/sign-out', {}, headers)).status).toBe(403);
    }
    expect((await client.open('/')).status).toBe(200);
    const token = { formToken: 'x' };
    expect((await client.submit('/console/sign-out', token)).status).toBe(403);
    expect((await client.fetch('/console/sign-out')).status).toBe(405);
  });

  it('refuses a form token from another session of the same account', async () => {
    const mine = await signedIn();
    const theirs = await signedIn();
    await theirs.open('/');
    const { formToken = '' } = theirs;
    expect((await mine.submit('/console/sign-out', { formToken })).status).toBe(403);
  });

  it('begins a new session instead of one that was planted in the browser', async () => {
    const client = await signedIn('helpdesk', PASSWORD);
    const planted = client.session ?? '';
    await client.signIn(ADMIN.user, ADMIN.password);
    expect(client.session).not.toBe(planted);
    const thief = browser();
    thief.plant(planted);
    expect((await thief.open('/')).status).toBe(401);
  });

  it('ends a session on all instances at sign-out', async () => {
    const client = await signedIn();
    const copy = client.at(other.url);
    expect((await copy.open('/')).status).toBe(200);
    await client.open('/');
    const out = await client.submit('/console/sign-out', {});
    expect(out.text).toContain('You are signed out.');
    expect(client.session).toBeUndefined();
    const after = await copy.open('/');
    expect(after.status).toBe(401);
    expect(after.text).toContain('Your session has ended.');
    expect((await rows('console.sign-out'))[0]).toMatchObject({
      account: ADMIN.user,
      result: 'ok',
    });
    expect((await rows('console.sign-in'))[0]).toMatchObject({ account: ADMIN.user, result: 'ok' });
  });

  it('ends a session after an hour without use, not counting background requests', async () => {
    const used = await signedIn();
    const unused = await signedIn();
    for (let n = 0; n < 4; n += 1) {
      await ageSessions(server, 20 * MINUTE_MS);
      expect((await used.open('/')).status).toBe(200);
      if (n < 2) expect((await unused.fetch('/dashboard/days.csv')).status).toBe(200);
    }
    expect((await unused.open('/')).text).toContain('Your session has ended.');
    expect((await unused.fetch('/dashboard/days.csv')).status).toBe(401);
  });

  it('ends a session after twelve hours in any case', async () => {
    const client = await signedIn();
    for (let n = 0; n < 23; n += 1) {
      await ageSessions(server, HOUR_MS / 2);
      expect((await client.open('/')).status).toBe(200);
    }
    await ageSessions(server, HOUR_MS / 2);
    expect((await client.open('/')).status).toBe(401);
  });

  it('begins a session whose secret changes during use, and which an earlier secret ends', async () => {
    const client = await signedIn();
    const stolen = client.session ?? '';
    const thief = browser();
    thief.plant(stolen);
    await ageSessions(server, 16 * MINUTE_MS);
    await client.open('/');
    expect(client.session).not.toBe(stolen);
    // Requests under way while it changed go on.
    expect((await thief.fetch('/dashboard/days.csv')).status).toBe(200);
    await ageSessions(server, 2 * MINUTE_MS);
    expect((await thief.open('/')).status).toBe(401);
    expect((await client.open('/')).status).toBe(401);
  });

  it('begins a session that continues if the answer with a new secret was lost', async () => {
    const client = await signedIn();
    const before = client.session ?? '';
    await ageSessions(server, 16 * MINUTE_MS);
    await client.open('/');
    const after = client.session;
    expect(after).not.toBe(before);
    client.plant(before);
    expect((await client.open('/')).status).toBe(200);
    expect(client.session).toBe(after);
    await ageSessions(server, 2 * MINUTE_MS);
    expect((await client.open('/')).status).toBe(200);
  });

  it('ends a session when the role or the account changes', async () => {
    const client = await signedIn('helpdesk', PASSWORD);
    const leaver = await signedIn('leaver', PASSWORD);
    expect((await client.open('/')).status).toBe(200);
    writeAccounts(accounts, [{ name: 'helpdesk', role: 'finance' }]);
    server.get(Accounts).refresh();
    expect((await client.open('/')).status).toBe(401);
    expect((await leaver.open('/')).status).toBe(401);
  });

  it('says over plain HTTP from another machine that HTTPS is required, and offers HTTP Basic', async () => {
    const headers = { accept: 'text/html', 'user-agent': 'Mozilla/5.0 (X11) Firefox/140.0' };
    const page = await sendRaw(`${server.url}/userapi`, { headers });
    const { text } = page;
    expect(page.status).toBe(401);
    expect(text).toContain('A session needs HTTPS.');
    expect(text).toContain('href="/basic?to&#x3D;%2Fuserapi"');
    expect(text).not.toContain('type="password"');
    const asked = await sendRaw(`${server.url}/basic?to=%2Fuserapi`, { headers });
    expect(asked.header('www-authenticate')).toMatch(/^Basic /);
    const entered = await sendRaw(`${server.url}/basic?to=%2Fuserapi`, {
      headers: { ...headers, ...adminClient(server.url).headers },
    });
    expect(entered.header('location')).toBe('/userapi');
  });
});

describe('without sessions', () => {
  it.each([
    ['--console basic', { console: 'basic' }, 401],
    ['--auth off', { auth: false }, 200],
  ] as const)('challenges browsers like programs with %s', async (_, options, status) => {
    const server = await TestServer.start({ options });
    const client = new BrowserClient(server.url);
    const page = await client.open('/');
    expect(page.status).toBe(status);
    expect(page.header('www-authenticate') !== undefined).toBe(status === 401);
    expect(page.text).not.toContain('Sign out');
    expect((await client.open('/console/sign-in')).status).toBe(404);
    expect((await client.signIn(ADMIN.user, ADMIN.password)).status).toBe(404);
    await server.stop();
  });
});
