import { BrowserClient, type Shown } from '../support/browser-client.js';
import { DATABASES } from '../support/databases.js';
import { startConsoles, type Consoles } from '../support/oidc/consoles.js';
import type { ProviderProcess } from '../support/oidc/provider-process.js';
import { answerFor } from '../support/oidc/provider-answer.js';
import { lastAuditRow, rowsOf } from '../support/rows.js';
import { ADMIN, TestServer } from '../support/test-server.js';

const BEGIN = '/console/oidc';
const ANNA = { sub: 'u-anna', preferred_username: 'anna', groups: ['staff', 'fido-admins'] };

describe.each(DATABASES)('the sign-in at the OpenID provider, over %s', (on) => {
  let consoles: Consoles;
  let provider: ProviderProcess;
  let server: TestServer;
  let other: TestServer;

  beforeAll(async () => {
    consoles = await startConsoles(on);
    ({ provider, server, other } = consoles);
  });
  afterAll(() => consoles.stop());
  beforeEach(() => provider.signInAs(ANNA));

  const browser = () => new BrowserClient(server.url);
  async function signedIn(user: object = {}): Promise<BrowserClient> {
    await provider.signInAs({ ...ANNA, ...user });
    const client = browser();
    expect((await client.open(BEGIN)).status).toBe(200);
    return client;
  }
  const names = async () => {
    const rows = await rowsOf<{ name: Buffer; identity: string }>(
      server,
      'SELECT name, identity FROM console_accounts WHERE identity IS NOT NULL ORDER BY id',
    );
    return rows.map(({ name, identity }) => [name.toString(), identity.split(' ')[1]]);
  };
  const expectRefused = (shown: Shown, sentence: string) => {
    expect(shown.status).toBe(401);
    expect(shown.text).toContain(sentence);
    expect(shown.header('content-security-policy')).toContain("frame-ancestors 'none'");
  };

  it('offers a button that names the provider and nothing else of it', async () => {
    const { text } = await browser().open('/console/sign-in?to=/tenants');
    expect(text).toMatch(/Sign in with (?:<bdi>)?Example Login/);
    expect(text).toContain(`href="${server.url}/console/oidc?to&#x3D;%2Ftenants"`);
    expect(text).not.toContain(provider.issuer);
  });

  it('sends the browser to the provider with state, nonce and PKCE, bound by a cookie of this host', async () => {
    const answer = await browser().fetch(`${BEGIN}?to=/tenants`);
    expect(answer.status).toBe(303);
    const query = new URL(answer.header('location') ?? '').searchParams;
    expect(query.get('code_challenge_method')).toBe('S256');
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(query.get(name)?.length).toBeGreaterThanOrEqual(43);
    }
    expect(answer.set.join()).toMatch(
      /^__Host-servicefido-sso-\d+=[\w.-]+; Max-Age=300; Path=\/; .*HttpOnly; Secure; SameSite=Lax$/,
    );
  });

  it('opens the console with the role of the group, under a name that no local account can have', async () => {
    const client = browser();
    const page = await client.open(`${BEGIN}?to=/console/accounts`);
    expect(page.status).toBe(200);
    expect(page.text).toContain('anna (oidc)');
    expect(await lastAuditRow(server, 'console.sign-in')).toMatchObject({
      account: 'anna (oidc)',
      action: 'console.sign-in',
      result: 'ok',
      detail: { way: 'oidc' },
    });
    const local = { name: 'bob (oidc)', role: 'auditor', start: 'password' };
    const refused = await client.submit('/console/accounts', { ...local, once: 'x' });
    expect(refused.status).toBe(400);
  });

  it('knows an account by issuer and subject, whatever its name', async () => {
    await signedIn();
    const before = await names();
    await signedIn({ preferred_username: 'anna.married' });
    expect(await names()).toEqual(before);
    const namesake = await signedIn({ sub: 'u-other-anna' });
    expect((await namesake.open('/console/account')).text).toMatch(/anna [0-9a-f]{8} \(oidc\)/);
    expect(await names()).toHaveLength(before.length + 1);
  });

  it('admits a user without a preferred name, and one whose name no account may have', async () => {
    const nameless = await signedIn({ sub: 'u:7', preferred_username: undefined });
    expect((await nameless.open('/console/account')).text).toContain('u.7 (oidc)');
    const hidden = await signedIn({ sub: 'u8', preferred_username: 'a\u202Eb' });
    expect((await hidden.open('/console/account')).text).toContain('u8 (oidc)');
  });

  it('takes the groups from the ID token if it has them', async () => {
    await provider.set({ groupsInIdToken: true });
    expect((await (await signedIn()).open('/console/accounts')).status).toBe(200);
    await provider.set({ groupsInIdToken: false });
  });

  it('limits an account to the tenants of its group, the first in the table that it has', async () => {
    const groups = ['fido-helpdesk'];
    const client = await signedIn({ sub: 'u-help', preferred_username: 'hans', groups });
    expect((await client.open('/console/account')).text).toContain('acme');
    expect((await client.open('/console/accounts')).status).toBe(403);
    await signedIn({ sub: 'u-help', groups: ['fido-helpdesk', 'fido-admins'] });
    expect(await lastAuditRow(server, 'account.change')).toMatchObject({
      account: 'hans (oidc)',
      detail: { 'role before': '"helpdesk"', 'role after': '"admin"' },
    });
    // The change has ended the sessions that began before it.
    expect((await client.open('/console/account')).status).toBe(401);
  });

  it.each(['u1 ', 'ü1', 'x'.repeat(256)])('refuses the subject %j', async (sub) => {
    await provider.signInAs({ ...ANNA, sub });
    expectRefused(await browser().open(BEGIN), 'The answer of the provider was not valid');
  });

  it('gives a user without a group no access, and says so; sessions from before end', async () => {
    const user = { sub: 'u-left', preferred_username: 'lena' };
    const client = await signedIn(user);
    await provider.signInAs({ ...ANNA, ...user, groups: ['staff'] });
    const refused = browser();
    expectRefused(await refused.open(BEGIN), 'none of your groups may open this console');
    expect(refused.session).toBeUndefined();
    expect((await client.open('/')).status).toBe(401);
    const stranger = { sub: 'u-nobody', groups: undefined };
    await provider.signInAs({ ...ANNA, ...stranger });
    expectRefused(await browser().open(BEGIN), 'none of your groups may open this console');
    expect((await names()).flat()).not.toContain('u-nobody');
  });

  it('accepts an answer only in the browser that asked: nobody can sign another one in', async () => {
    const attacker = browser();
    const callback = await answerFor(attacker, BEGIN);
    const victim = browser();
    expectRefused(await victim.open(callback), 'began in another browser');
    await answerFor(victim, BEGIN);
    expectRefused(await victim.open(callback), 'began in another browser');
    expect(victim.session).toBeUndefined();
  });

  it('uses an answer once: a replayed code begins no session', async () => {
    const client = browser();
    const callback = await answerFor(client, BEGIN);
    const copy = browser();
    for (const pair of client.cookies) copy.cookies.set(...pair);
    expect((await client.open(callback)).status).toBe(200);
    expect((await client.open(callback)).status).toBe(401);
    expectRefused(await copy.open(callback), 'Sign in');
    expect(copy.session).toBeUndefined();
  });

  it('refuses the answer of another issuer (RFC 9207), and one without its issuer', async () => {
    for (const iss of ['https://evil.example', undefined]) {
      const client = browser();
      const callback = new URL(await answerFor(client, BEGIN));
      if (iss === undefined) callback.searchParams.delete('iss');
      else callback.searchParams.set('iss', iss);
      expectRefused(await client.open(callback.href), 'The answer of the provider was not valid');
    }
  });

  it('shows that the provider has refused, and none of its text', async () => {
    const client = browser();
    const asked = new URL((await client.fetch(BEGIN)).header('location') ?? '');
    const query = new URLSearchParams({
      error: 'access_denied',
      error_description: 'Call 0800-EVIL',
      state: asked.searchParams.get('state') ?? '',
      iss: provider.issuer,
    });
    const page = await client.open(`${BEGIN}/callback?${query}`);
    expectRefused(page, 'The provider has refused the sign-in');
    expect(page.text).not.toContain('0800');
  });

  it('leads to no page of another server after the sign-in', async () => {
    for (const to of ['//evil.example', 'https://evil.example/', '/\\evil.example']) {
      const client = browser();
      const callback = await answerFor(client, `${BEGIN}?${new URLSearchParams({ to })}`);
      expect((await client.fetch(callback)).header('location')).toBe('/');
    }
  });

  it('begins a new session in place of one that was planted in the browser', async () => {
    const thief = await signedIn();
    const planted = thief.session ?? '';
    const client = browser();
    client.plant(planted);
    await client.open(BEGIN);
    expect(client.session).not.toBe(planted);
    expect((await thief.open('/')).status).toBe(401);
  });

  it('is completed by another instance than the one that began it', async () => {
    const client = browser();
    const callback = new URL(await answerFor(client, BEGIN));
    const elsewhere = new BrowserClient(other.url);
    for (const [name, value] of client.cookies) {
      elsewhere.cookies.set(name.replace(/-\d+$/, `-${new URL(other.url).port}`), value);
    }
    const page = await elsewhere.open(callback.pathname + callback.search);
    expect(page.status).toBe(200);
    expect(page.text).toContain('anna (oidc)');
  });

  it('accepts tokens of new keys as soon as the provider has them', async () => {
    await signedIn();
    await provider.rotateKeys();
    await signedIn();
  });

  it('says that the provider is away, while local accounts sign in', async () => {
    const client = browser();
    const callback = await answerFor(client, BEGIN);
    await provider.stop();
    try {
      expectRefused(await client.open(callback), 'The provider does not answer');
      const local = await browser().signIn(ADMIN.user, ADMIN.password);
      expect(local.text).toContain('Signed in as');
    } finally {
      await provider.restart();
    }
    await signedIn();
  });

  it('stops asking the provider for an address that has used up its failed sign-ins', async () => {
    const third = await newInstance();
    try {
      const before = (await provider.set({})).tokenRequests;
      expect(await guessed(third, 60)).toEqual([401, 429]);
      expect((await provider.set({})).tokenRequests - before).toBe(50);
      // Sign-ins that succeed count for nothing, and other ways in stay open.
      const local = await new BrowserClient(third.url).signIn(ADMIN.user, ADMIN.password);
      expect(local.text).toContain('Signed in as');
    } finally {
      await third.stop();
    }
  });

  it('counts no failed sign-in while the provider is away', async () => {
    const third = await newInstance();
    try {
      await new BrowserClient(third.url).fetch(BEGIN);
      await provider.stop();
      expect(await guessed(third, 60)).toEqual([401]);
    } finally {
      await provider.restart();
      await third.stop();
    }
  });

  it('says when to try again, and counts nothing, while the provider has too many requests', async () => {
    const third = await newInstance();
    await provider.set({ isBusy: true });
    try {
      const client = browser();
      const callback = await answerFor(client, BEGIN);
      expectRefused(await client.open(callback), 'Try again in a few minutes');
      expect(await guessed(third, 60)).toEqual([401]);
    } finally {
      await provider.set({ isBusy: false });
      await third.stop();
    }
  });

  it('lets an account of the provider sign in neither by password nor by HTTP Basic', async () => {
    await signedIn();
    for (const password of ['', 'anna', ADMIN.password]) {
      expect((await browser().signIn('anna (oidc)', password)).status).toBe(401);
    }
  });

  it('the sign-in at a provider has no routes and no sessions without the option', async () => {
    const client = await signedIn();
    const without = await TestServer.start({ database: consoles.database });
    try {
      expect((await client.at(without.url).open('/')).status).toBe(401);
      expect((await new BrowserClient(without.url).open(BEGIN)).status).toBe(404);
      const { text } = await new BrowserClient(without.url).open('/console/sign-in');
      expect(text).not.toContain('Example Login');
    } finally {
      await without.stop();
    }
  });

  /** An instance that has counted nothing yet. */
  const newInstance = () =>
    TestServer.start({
      database: consoles.database,
      options: { consoleOidc: provider.file() },
    });

  /** The different answers to callbacks with a guessed code. */
  async function guessed({ url }: TestServer, times: number): Promise<number[]> {
    const stranger = new BrowserClient(url);
    const answers = new Set<number>();
    for (let n = 0; n < times; n += 1) {
      const asked = new URL((await stranger.fetch(BEGIN)).header('location') ?? '');
      const state = asked.searchParams.get('state') ?? '';
      const query = new URLSearchParams({ code: 'guessed', state, iss: provider.issuer });
      answers.add((await stranger.open(`${BEGIN}/callback?${query}`)).status);
    }
    return [...answers];
  }
});
