import { jest } from '@jest/globals';
import { ProviderAccounts } from '../../src/accounts/oidc/provider-accounts.js';
import { Database } from '../../src/platform/database/database.js';
import { BrowserClient, sendRaw } from '../support/browser-client.js';
import { DATABASES } from '../support/databases.js';
import { ageSessions } from '../support/older-sessions.js';
import { startConsoles, type Consoles } from '../support/oidc/consoles.js';
import type { ProviderProcess, ProviderUser } from '../support/oidc/provider-process.js';
import { lastAuditRow, rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

const BEGIN = '/console/oidc';
const LOGOUT = '/console/oidc/backchannel-logout';
const MINUTE_MS = 60_000;
const ANNA: ProviderUser = {
  sub: 'u-anna',
  preferred_username: 'anna',
  groups: ['fido-admins'],
};

interface State {
  readonly refreshToken?: string;
  readonly checkedAt: number;
  readonly claimedAt: number;
  readonly version: string;
}

describe.each(DATABASES)('a session that began at the OpenID provider, over %s', (on) => {
  let consoles: Consoles;
  let provider: ProviderProcess;
  let server: TestServer;
  let other: TestServer;
  let client: BrowserClient;

  beforeAll(async () => {
    consoles = await startConsoles(on);
    ({ provider, server, other } = consoles);
  });
  afterAll(() => consoles.stop());
  beforeEach(async () => {
    await provider.set({ refresh: true, authTime: 'session' });
    client = await signedIn(ANNA);
  });

  const refreshes = async () => (await provider.set({})).grants['refresh_token'] ?? 0;
  const lastWhy = async () => (await lastAuditRow(server, 'console.sign-out')).detail['why'];

  it('keeps the refresh token encrypted', async () => {
    const [found] = await states();
    expect(found?.state.refreshToken).toMatch(/^sealed:1:/);
  });

  it('reads the groups again before an hour has passed, and goes on if they have not changed', async () => {
    const before = await refreshes();
    await age(40);
    expect(await statusOf()).toBe(200);
    expect(await refreshes()).toBe(before);
    await age(10);
    expect(await statusOf()).toBe(200);
    expect(await statusOf()).toBe(200);
    expect(await refreshes()).toBe(before + 1);
    await age(50);
    expect(await statusOf()).toBe(200);
    expect(await refreshes()).toBe(before + 2);
  });

  it('ends on all instances when the user has lost the groups', async () => {
    const second = await signedIn(ANNA);
    await provider.set({ users: { 'u-anna': { groups: [] } } });
    await age(50);
    expect(await statusOf()).toBe(401);
    expect(await lastWhy()).toBe('no group');
    expect(await statusOf(second.at(other.url))).toBe(401);
  });

  it('ends when the groups give another role, and the next sign-in has that role', async () => {
    await provider.set({ users: { 'u-anna': { groups: ['fido-helpdesk'] } } });
    await age(50);
    expect(await statusOf()).toBe(401);
    const again = await signedIn({ ...ANNA, groups: ['fido-helpdesk'] });
    expect(await statusOf(again, '/console/accounts')).toBe(403);
  });

  it('ends when the provider has revoked the user’s tokens', async () => {
    await provider.restart();
    await age(50);
    expect(await statusOf()).toBe(401);
    expect(await lastWhy()).toBe('refused by the provider');
  });

  it('goes on while the provider is away, but no longer than an hour without groups', async () => {
    await provider.set({ broken: true });
    try {
      await age(50);
      expect(await statusOf()).toBe(200);
      await age(20);
      await change(() => ({ claimedAt: 0 }));
      expect(await statusOf()).toBe(401);
    } finally {
      await provider.set({ broken: false });
    }
  });

  it('goes on with the next refresh token after the provider has not told the groups', async () => {
    const before = await refreshes();
    await provider.set({ isUserInfoBroken: true });
    try {
      await age(50);
      expect(await statusOf()).toBe(200);
    } finally {
      await provider.set({ isUserInfoBroken: false });
    }
    await change(() => ({ claimedAt: 0 }));
    expect(await statusOf()).toBe(200);
    expect(await refreshes()).toBe(before + 2);
  });

  it('uses a refresh token once, however many requests there are on all instances', async () => {
    const before = await refreshes();
    await age(70);
    const copy = client.at(other.url);
    const answers = await Promise.all(
      [client, copy, client, copy].map((one) => one.fetch('/console/account')),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await refreshes()).toBe(before + 1);
  });

  it('takes over from an instance that was killed while it read the groups', async () => {
    await change(({ checkedAt }) => ({
      checkedAt: checkedAt - 70 * MINUTE_MS,
      claimedAt: checkedAt - MINUTE_MS,
    }));
    expect(await statusOf()).toBe(200);
  });

  it('is judged by the present table after the file has changed', async () => {
    const groups = [{ group: 'others', role: 'admin' }];
    const consoleOidc = provider.file({ groups });
    const changed = await TestServer.start({
      database: consoles.database,
      options: { consoleOidc },
    });
    try {
      expect(await statusOf(client.at(changed.url))).toBe(401);
    } finally {
      await changed.stop();
    }
  });

  it('makes each of two instances with different files warn once', async () => {
    const consoleOidc = provider.file({ name: 'Other Login' });
    const changed = await TestServer.start({
      database: consoles.database,
      options: { consoleOidc },
    });
    // All servers of this process share a logger.
    const warnings = () =>
      [server, other, changed]
        .flatMap(({ logged }) => logged)
        .filter(({ msg }) => String(msg).includes('another file of --console-oidc'));
    try {
      expect(await statusOf()).toBe(200);
      expect(warnings()).toEqual([]);
      for (let times = 0; times < 3; times += 1) {
        expect(await statusOf(client.at(changed.url))).toBe(200);
        expect(await statusOf()).toBe(200);
      }
      expect(warnings()).toHaveLength(2);
    } finally {
      await changed.stop();
    }
  });

  it('ends an hour after the sign-in without a refresh token, however it is used', async () => {
    await provider.set({ refresh: false });
    const brief = await signedIn(ANNA);
    for (const minutes of [0, 29, 29]) {
      await ageSessions(server, minutes * MINUTE_MS);
      await age(minutes);
      expect(await statusOf(brief)).toBe(200);
    }
    await ageSessions(server, 3 * MINUTE_MS);
    expect(await statusOf(brief)).toBe(401);
  });

  it('counts as a recent sign-in only if the user has authenticated at the provider', async () => {
    const fresh = await client.open('/console/account');
    expect(fresh.text).toContain('data-create=');
    await ageSessions(server, 20 * MINUTE_MS);
    const stale = await client.open('/console/account');
    expect(stale.text).not.toContain('data-create=');
    const name = encodeURIComponent('admin');
    const refused = await client.submit(`/console/accounts/${name}/_reset`, { start: 'password' });
    expect(refused.text).toContain('again&#x3D;yes');
  });

  const secondsAgo = (seconds: number) => Math.floor(Date.now() / 1000) - seconds;

  it.each([
    ['no', () => null],
    ['an old', () => secondsAgo(20 * 60)],
  ])('does not count as a recent sign-in with %s auth_time', async (_, authTime) => {
    await provider.set({ authTime: authTime() });
    const { text } = await (await signedIn(ANNA)).open('/console/account');
    expect(text).not.toContain('data-create=');
  });

  it.each([
    ['no', () => null],
    ['an old', () => secondsAgo(5 * 60)],
  ])('is not replaced after "Sign in again" with %s auth_time', async (_, authTime) => {
    const former = client.session;
    await provider.set({ authTime: authTime() });
    const page = await client.open(`${BEGIN}?again=yes&undone=yes&to=/tenants`);
    expect(page.status).toBe(401);
    expect(page.text).toContain('The provider did not ask you to sign in again');
    expect(page.text).toContain('to&#x3D;%2Ftenants&amp;undone&#x3D;yes&amp;again&#x3D;yes');
    expect(client.session).toBe(former);
    expect(await statusOf()).toBe(200);
    await provider.set({ authTime: 'session' });
    expect((await client.open(`${BEGIN}?again=yes`)).status).toBe(200);
    expect(client.session).not.toBe(former);
  });

  it('is not replaced either if the page to which it leads has a long address', async () => {
    const former = client.session;
    await provider.set({ authTime: secondsAgo(5 * 60) });
    const page = await client.open(`${BEGIN}?again=yes&to=/users?q=${'a'.repeat(1600)}`);
    expect(page.status).toBe(401);
    expect(page.text).toContain('again&#x3D;yes');
    expect(client.session).toBe(former);
  });

  it('does not begin if the provider last asked the user more than twelve hours ago', async () => {
    await provider.set({ authTime: secondsAgo(13 * 60 * 60) });
    const late = new BrowserClient(server.url);
    await provider.signInAs(ANNA);
    const page = await late.open(BEGIN);
    expect(page.status).toBe(401);
    expect(page.text).toContain('again&#x3D;yes');
    await provider.set({ authTime: secondsAgo(11 * 60 * 60) });
    expect((await late.open(BEGIN)).status).toBe(200);
  });

  describe('when the provider logs the user out', () => {
    it('ends on all instances the session that the token names', async () => {
      const { sid } = await provider.set({});
      const second = await signedIn(ANNA);
      expect((await logOut(await provider.logoutToken({ sid, sub: 'u-anna' }))).status).toBe(200);
      expect(await statusOf(client.at(other.url))).toBe(401);
      expect(await lastWhy()).toBe('back-channel logout');
      expect(await statusOf(second)).toBe(200);
    });

    it('ends all sessions of the user if the token names no session', async () => {
      const second = await signedIn(ANNA);
      const stranger = await signedIn({ ...ANNA, sub: 'u-stranger' });
      const token = await provider.logoutToken({ sub: 'u-anna' });
      expect((await logOut(token, other.url)).status).toBe(200);
      expect(await statusOf()).toBe(401);
      expect(await statusOf(second)).toBe(401);
      expect(await statusOf(stranger)).toBe(200);
    });

    it.each([
      ['its session', (sid: string) => ({ sid })],
      ['its session and its user', (sid: string) => ({ sid, sub: 'u-anna' })],
      ['its user', () => ({ sub: 'u-anna' })],
    ])('does not begin after a token that names %s and comes during the sign-in', async (_, of) => {
      const accounts = server.get(ProviderAccounts);
      const grant = accounts.grant.bind(accounts);
      jest.spyOn(accounts, 'grant').mockImplementationOnce(async (...answer) => {
        const known = await grant(...answer);
        const { sid } = await provider.set({});
        expect((await logOut(await provider.logoutToken(of(sid)), other.url)).status).toBe(200);
        return known;
      });
      const late = new BrowserClient(server.url);
      await provider.signInAs(ANNA);
      expect((await late.open(BEGIN)).status).toBe(401);
      expect(late.session).toBeUndefined();
      expect((await late.open(BEGIN)).status).toBe(200);
    });

    it('accepts a logout token once over all instances', async () => {
      const token = await provider.logoutToken({ sub: 'u-anna' });
      const answers = await Promise.all([logOut(token), logOut(token, other.url), logOut(token)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    });

    it.each<[string, object]>([
      ['of another issuer', { iss: 'https://evil.example' }],
      ['for another client', { aud: 'other' }],
      ['that is old', { iat: Math.floor(Date.now() / 1000) - 3600 }],
      ['without a time', { iat: null }],
      ['that has expired', { exp: Math.floor(Date.now() / 1000) - 3600 }],
      ['that is an ID token', { events: null, nonce: 'x' }],
      ['of another event', { events: { 'https://other.example': {} } }],
      ['with a nonce', { nonce: 'x' }],
      ['without an ID', { jti: null }],
      ['that names nobody', { sub: null }],
      ['whose user is a list', { sub: ['u-anna'] }],
      // MySQL ignores blanks at the end.
      ['whose user has a blank at the end', { sub: 'u-anna ' }],
      ['signed with the client’s secret', { alg: 'HS256' }],
      ['of an unknown key', { kid: 'unknown' }],
    ])('refuses a token %s', async (_, claims) => {
      const token = await provider.logoutToken({ sub: 'u-anna', ...claims });
      const answer = await logOut(token);
      expect(answer.status).toBe(400);
      expect(JSON.parse(answer.text)).toMatchObject({
        errorCode: 'E0001R',
        reason: 'console.oidc.logoutToken',
      });
      expect(await statusOf()).toBe(200);
    });

    it('refuses what is no token', async () => {
      for (const token of ['', 'a.b.c', 'x'.repeat(10_000)]) {
        expect((await logOut(token)).status).toBe(400);
      }
      expect((await sendRaw(server.url + LOGOUT, { method: 'POST' })).status).toBe(415);
    });
  });

  async function signedIn(user: ProviderUser): Promise<BrowserClient> {
    await provider.signInAs(user);
    const browser = new BrowserClient(server.url);
    expect((await browser.open(BEGIN)).status).toBe(200);
    return browser;
  }

  async function states() {
    const sql = 'SELECT id, provider FROM console_sessions WHERE provider IS NOT NULL';
    const rows = await rowsOf<{ id: Buffer; provider: string }>(server, sql);
    return rows.map(({ id, provider: text }) => ({ id, state: JSON.parse(text) as State }));
  }

  /** Changes the state of all sessions: their times come from the database, whose clock no test can move. */
  async function change(changed: (state: State) => Partial<State>): Promise<void> {
    const steps = (await states()).map(({ id, state }) => ({
      sql: 'UPDATE console_sessions SET provider = ? WHERE id = ?',
      params: [JSON.stringify({ ...state, ...changed(state) }), id],
    }));
    await server.get(Database).commit(steps);
  }

  /** Makes the last reading of the groups older. */
  function age(minutes: number) {
    return change(({ checkedAt }) => ({ checkedAt: checkedAt - minutes * MINUTE_MS }));
  }

  async function statusOf(browser = client, path = '/console/account') {
    return (await browser.open(path)).status;
  }

  function logOut(token: string, at = server.url) {
    return sendRaw(at + LOGOUT, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ logout_token: token }).toString(),
    });
  }
});
