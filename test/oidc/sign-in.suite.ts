import * as client from 'openid-client';
import { Providers } from '../../src/oidc/provider/providers.js';
import { deferUntil } from '../../src/oidc/records/request-state.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { AdminClient } from '../support/admin-client.js';
import { adminClient, Client, type Answer } from '../support/client.js';
import { DATABASES, REDIS_URL, type TestDatabase } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { describeWith } from '../support/needs.js';
import { OidcBrowser } from '../support/oidc-browser.js';
import {
  CALLBACK,
  GOODBYE,
  addClient,
  authorizationRequest,
  discover,
  startIssuer,
  type IssuedClient,
} from '../support/oidc-issuer.js';
import { relyingPartyOf } from '../support/rows.js';
import { createServerDatabase } from '../support/server-database.js';
import { freePort } from '../support/server-process.js';
import { TestServer } from '../support/test-server.js';

const ROTATE = '/tenantapi/tenants/default/relying-parties/localhost/clients/rotate-keys';

describe.each(DATABASES)('a sign-in by OpenID Connect, on %s', (on) => {
  let server: TestServer;
  let shop: IssuedClient;
  let config: client.Configuration;
  let user: FidoClient;
  let admin: Client;
  beforeAll(async () => {
    server = await startIssuer({ on });
    admin = adminClient(server.url);
    user = new FidoClient(server.url);
    await user.register('alice');
    shop = await addClient(server, { postLogoutRedirectUris: [GOODBYE] });
    config = await discover(shop);
  });
  afterAll(() => server.stop());

  const newBrowser = (who = user) => new OidcBrowser(server.url, who);
  const signIn = async (more: Record<string, string> = {}, browser = newBrowser()) => {
    const { address, checks } = await authorizationRequest(config, more);
    const back = await browser.authorize(address, 'alice');
    return { browser, tokens: await client.authorizationCodeGrant(config, back, checks) };
  };
  /** Whether a request of a signed-in browser leads to the sign-in page. */
  const isAsked = async (browser: OidcBrowser, more: Record<string, string> = {}) => {
    const { address } = await authorizationRequest(config, more);
    return (await browser.open(String(address))).url.includes('/sign-in/');
  };

  /** The directive that says where the forms of a page may lead. */
  const formTargetsOf = ({ headers }: { headers: Headers }) =>
    /form-action [^;]*/.exec(headers.get('content-security-policy') ?? '')?.[0];

  it('gives openid-client an ID token and the claims of the user', async () => {
    const { tokens } = await signIn();
    const claims = tokens.claims();
    expect(claims).toMatchObject({
      iss: shop.issuer,
      aud: shop.clientId,
      preferred_username: 'alice',
      name: 'alice',
      acr: 'phr',
      amr: ['hwk', 'user', 'mfa'],
    });
    const info = await client.fetchUserInfo(config, tokens.access_token, String(claims?.sub));
    expect(info).toEqual({ sub: claims?.sub, preferred_username: 'alice', name: 'alice' });
  });

  it('names the user ID that an application has set in the claim user_id', async () => {
    const keys = await admin.post('/tenantapi/keys', {
      name: 'backend',
      tenant: 'default',
      scopes: ['ceremonies'],
    });
    const backend = new FidoClient(server.url);
    backend.headers['authorization'] = `Bearer ${String(keys.body['secret'])}`;
    const begun = await backend.beginRegistration('carol', { userId: 'customer-7' });
    const made = { ...backend.create(begun), ceremony: begun.body['ceremony'] };
    expect((await backend.completeRegistration(made)).status).toBe(200);
    const carol = new FidoClient(server.url, { authenticator: backend.authenticator });
    const { address, checks } = await authorizationRequest(config);
    const back = await newBrowser(carol).authorize(address, 'carol');
    const tokens = await client.authorizationCodeGrant(config, back, checks);
    expect(tokens.claims()).toMatchObject({ user_id: 'customer-7', preferred_username: 'carol' });
  });

  it('signs ID tokens by RS256 for a client that asks for it', async () => {
    const other = await addClient(server, { algorithm: 'RS256' });
    const rs256 = await discover(other, 'RS256');
    const { address, checks } = await authorizationRequest(rs256);
    const back = await newBrowser().authorize(address, 'alice');
    const tokens = await client.authorizationCodeGrant(rs256, back, checks);
    const [header = ''] = String(tokens.id_token).split('.');
    const { alg, kid } = JSON.parse(Buffer.from(header, 'base64url').toString());
    const jwks = await new Client(server.url).get('/oidc/localhost/jwks');
    const keys = jwks.body['keys'] as { kid: string; d?: string }[];
    expect([alg, keys.map((key) => key.kid).includes(kid)]).toEqual(['RS256', true]);
    expect(keys.some((key) => 'd' in key)).toBe(false);
  });

  it('signs in users of a public client without a secret', async () => {
    const app = await addClient(server, { kind: 'public' });
    expect(app.secret).toBeUndefined();
    const publicConfig = await discover(app);
    const { address, checks } = await authorizationRequest(publicConfig);
    const back = await newBrowser().authorize(address, 'alice');
    const tokens = await client.authorizationCodeGrant(publicConfig, back, checks);
    expect(tokens.claims()?.aud).toBe(app.clientId);
  });

  it('the event of a sign-in at the door names the client', async () => {
    await signIn();
    const { body } = await admin.get('/userapi/events?limit=100');
    expect(body['events']).toContainEqual(
      expect.objectContaining({
        kind: 'authentication',
        username: 'alice',
        detail: `oidc ${shop.clientId}`,
      }),
    );
  });

  it('signs a browser with a session in without a prompt, until the client demands one', async () => {
    const { browser } = await signIn();
    expect(browser.cookieNames).toContainEqual(
      expect.stringMatching(/^__Host-servicefido-oidc-[0-9a-f]{16}$/),
    );
    expect(await isAsked(browser)).toBe(false);
    expect(await isAsked(browser, { prompt: 'login' })).toBe(true);
    expect(await isAsked(browser, { acr_values: 'phr' })).toBe(false);
    expect(await isAsked(browser, { acr_values: 'phrh' })).toBe(true);
    // Classes that this server does not know, also if every object of JavaScript has a member of that name.
    expect(await isAsked(browser, { acr_values: 'silver constructor toString' })).toBe(false);
    expect(await isAsked(newBrowser())).toBe(true);
  });

  it('answers prompt=none with login_required if the browser has no session', async () => {
    const { address } = await authorizationRequest(config, { prompt: 'none' });
    const { url } = await newBrowser().open(String(address));
    expect(new URL(url).searchParams.get('error')).toBe('login_required');
  });

  it('asks again with max_age=0, and tells the time of the new sign-in', async () => {
    const { browser } = await signIn();
    const { tokens } = await signIn({ max_age: '0', prompt: 'login' }, browser);
    expect(tokens.claims()?.['auth_time']).toEqual(expect.any(Number));
  });

  it('shows the names of the application and the relying party, and the hint', async () => {
    const { address } = await authorizationRequest(config, { login_hint: 'alice' });
    const { page } = await newBrowser().open(String(address));
    expect(page.status).toBe(200);
    expect(page.text).toContain('Shop');
    expect(page.text).toContain('value="alice"');
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
  });

  it('leads back with access_denied if the user cancels', async () => {
    const browser = newBrowser();
    const { address, checks } = await authorizationRequest(config);
    const { url } = await browser.open(String(address));
    const answer = await browser.post(`${url}/cancel`, {});
    const { returnTo } = JSON.parse(answer.text) as { returnTo: string };
    const back = new URL((await browser.open(returnTo)).url);
    expect(back.searchParams.get('error')).toBe('access_denied');
    expect(back.searchParams.get('state')).toBe(checks.expectedState);
  });

  it('begins by a form too, with the session of the browser', async () => {
    const { address, checks } = await authorizationRequest(config, {});
    const form = { method: 'POST', body: address.searchParams };
    const browser = newBrowser();
    const { url } = await browser.open(`${address.origin}${address.pathname}`, form);
    const back = new URL(await browser.signInAt(url, 'alice'));
    expect((await client.authorizationCodeGrant(config, back, checks)).claims()?.sub).toBeTruthy();
    const again = await browser.open(`${address.origin}${address.pathname}`, form);
    expect(new URL(again.url).searchParams.get('code')).toEqual(expect.any(String));
  });

  it('refuses a form that names a parameter twice', async () => {
    const { address } = await authorizationRequest(config, {});
    const body = new URLSearchParams([...address.searchParams, ['scope', 'openid profile']]);
    const form = { method: 'POST', body };
    const { url } = await newBrowser().open(`${address.origin}${address.pathname}`, form);
    expect(new URL(url).searchParams.get('error')).toBe('invalid_request');
  });

  it('ends by a form too', async () => {
    const { browser, tokens } = await signIn();
    const body = new URLSearchParams({
      id_token_hint: String(tokens.id_token),
      post_logout_redirect_uri: GOODBYE,
    });
    const { page } = await browser.open(`${shop.issuer}/session/end`, { method: 'POST', body });
    expect(page.text).toContain('/session/end/confirm');
    expect(formTargetsOf(page)).toBe(`form-action 'self' ${new URL(GOODBYE).origin}`);
  });

  it('signs out on all clients, and leads to an address of the client', async () => {
    const { browser, tokens } = await signIn();
    const address = client.buildEndSessionUrl(config, {
      id_token_hint: String(tokens.id_token),
      post_logout_redirect_uri: GOODBYE,
      state: 'end',
    });
    const { page } = await browser.open(String(address));
    expect(formTargetsOf(page)).toBe(`form-action 'self' ${new URL(GOODBYE).origin}`);
    const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(page.text) ?? [];
    const { url } = await browser.open(`${shop.issuer}/session/end/confirm`, {
      method: 'POST',
      body: new URLSearchParams({ xsrf, logout: 'yes' }),
    });
    expect(url).toBe(`${GOODBYE}?state=end`);
    expect(await isAsked(browser)).toBe(true);
  });

  it('lets the form of a sign-out without a session lead to the client', async () => {
    const { tokens } = await signIn();
    const address = client.buildEndSessionUrl(config, {
      id_token_hint: String(tokens.id_token),
      post_logout_redirect_uri: GOODBYE,
    });
    const { page } = await newBrowser().open(String(address));
    expect(page.text).toContain('/session/end/confirm');
    expect(formTargetsOf(page)).toBe(`form-action 'self' ${new URL(GOODBYE).origin}`);
  });

  it('lets the form after a sign-in as another user lead to the client', async () => {
    const { browser } = await signIn();
    const dora = new FidoClient(server.url);
    await dora.register('dora');
    const other = newBrowser(dora);
    other.takeCookiesOf(browser);
    const { address } = await authorizationRequest(config, { prompt: 'login' });
    const { url } = await other.open(String(address));
    const answer = await other.complete(url, await other.assertionOf('dora'));
    const { returnTo } = JSON.parse(answer.text) as { returnTo: string };
    const { page } = await other.open(returnTo);
    expect(page.text).toContain('/session/end/confirm');
    expect(formTargetsOf(page)).toBe(`form-action 'self' ${new URL(CALLBACK).origin}`);
  });

  describe('of a user who has groups', () => {
    const GROUPS = { scope: 'openid groups' };
    beforeAll(async () => {
      const { status } = await admin.put('/userapi/users/groups', {
        username: 'alice',
        groups: ['editors', 'staff'],
      });
      expect(status).toBe(200);
    });

    it('gives the claim groups to a client that may have it and asks for it', async () => {
      const allowed = await discover(await addClient(server, { groups: true }));
      const { address, checks } = await authorizationRequest(allowed, GROUPS);
      const browser = newBrowser();
      const back = await browser.authorize(address, 'alice');
      const tokens = await client.authorizationCodeGrant(allowed, back, checks);
      const sub = String(tokens.claims()?.sub);
      const groups = ['editors', 'staff'];
      expect(tokens.claims()).toMatchObject({ sub, groups });
      const info = await client.fetchUserInfo(allowed, tokens.access_token, sub);
      expect(info).toEqual({ sub, groups });
      const without = await authorizationRequest(allowed);
      const again = await browser.authorize(without.address, 'alice');
      const fewer = await client.authorizationCodeGrant(allowed, again, without.checks);
      expect(fewer.claims()).not.toHaveProperty('groups');
    });

    it('gives no groups to a client that may not have them', async () => {
      const { address } = await authorizationRequest(config, GROUPS);
      const { url } = await newBrowser().open(String(address));
      expect(new URL(url).searchParams.get('error')).toBe('invalid_scope');
      const { tokens } = await signIn();
      expect(tokens.claims()).not.toHaveProperty('groups');
      const { sub = '' } = tokens.claims() ?? {};
      const info = await client.fetchUserInfo(config, tokens.access_token, sub);
      expect(info).not.toHaveProperty('groups');
    });

    it('gives no groups to a client that may not have them any more', async () => {
      const made = await addClient(server, { groups: true });
      const allowed = await discover(made);
      const { address, checks } = await authorizationRequest(allowed, {
        scope: 'openid groups offline_access',
        prompt: 'consent',
      });
      const back = await newBrowser().authorize(address, 'alice');
      const tokens = await client.authorizationCodeGrant(allowed, back, checks);
      const changed = await admin.patch(
        `/tenantapi/tenants/default/relying-parties/localhost/clients/${made.clientId}`,
        { groups: false },
      );
      expect(changed.status).toBe(200);
      const { sub = '' } = tokens.claims() ?? {};
      const info = await client.fetchUserInfo(allowed, tokens.access_token, sub);
      expect(info).not.toHaveProperty('groups');
      const later = await client.refreshTokenGrant(allowed, String(tokens.refresh_token));
      expect(later.claims()).not.toHaveProperty('groups');
    });
  });

  it('ends a session after an hour without use', async () => {
    const { browser } = await signIn();
    server.clock.advance(61 * 60_000);
    expect(await isAsked(browser)).toBe(true);
  });

  it('ends a session after twelve hours, even if it is used each half an hour', async () => {
    const { browser } = await signIn();
    for (let hours = 0; hours < 11.5; hours += 0.5) {
      server.clock.advance(30 * 60_000);
      expect([hours, await isAsked(browser)]).toEqual([hours, false]);
    }
    server.clock.advance(31 * 60_000);
    expect(await isAsked(browser)).toBe(true);
  });

  it('tells the time of the sign-in, not the time at which the browser comes back', async () => {
    const browser = newBrowser();
    const { address, checks } = await authorizationRequest(config);
    const { url } = await browser.open(String(address));
    // Only the clock of this server runs ahead.
    server.clock.advance(60_000);
    const before = Math.floor(server.clock.now() / 1000);
    const back = new URL(await browser.signInAt(url, 'alice'));
    const tokens = await client.authorizationCodeGrant(config, back, checks);
    expect(tokens.claims()?.['auth_time']).toBeGreaterThanOrEqual(before);
  });

  const kids = async () => {
    const { body } = await new Client(server.url).get('/oidc/localhost/jwks');
    return (body['keys'] as { kid: string }[]).map(({ kid }) => kid);
  };

  it('logs a fault if a step waits for a record that never comes', async () => {
    const issuer = await server.get(Providers).of(relyingPartyOf(server, 'localhost'));
    const step = { sql: 'SELECT 1', params: [] };
    issuer?.provider.once('grant.success', () => deferUntil('token', step));
    await signIn();
    const line = server.logged.find(({ msg }) => msg === 'Steps of the request are left: 1');
    expect(line).toMatchObject({ level: 50 });
  });

  it('publishes no key that another one replaced hours ago', async () => {
    const replaced = await kids();
    expect((await admin.post(ROTATE, {})).status).toBe(201);
    const both = await kids();
    expect(both).toEqual(expect.arrayContaining(replaced));
    server.clock.advance(14 * 60 * 60_000);
    expect(await kids()).toEqual(both.filter((kid) => !replaced.includes(kid)));
    const { tokens } = await signIn();
    expect(tokens.claims()).toMatchObject({ preferred_username: 'alice' });
  });

  it('replaces no keys for a misspelt "revoke", so that the caller notices it (E0045R)', async () => {
    const before = await kids();
    const misspelt = [
      await admin.post(ROTATE, { Revoke: true }),
      await admin.post(ROTATE, { revok: true }),
      await admin.post(`${ROTATE}?Revoke=true`, {}),
    ];
    for (const { status, body } of misspelt) {
      expect({ status, reason: body['reason'] }).toEqual({
        status: 400,
        reason: 'parameters.unknown',
      });
      expect(body.errorMessage).toContain('which has these: revoke.');
    }
    expect(await kids()).toEqual(before);
  });

  it('replaces stolen keys at once: an ID token of theirs proves nothing any more', async () => {
    const { tokens } = await signIn();
    const stolen = await kids();
    expect((await admin.post(ROTATE, { revoke: true })).status).toBe(201);
    const present = await kids();
    expect(present).toHaveLength(stolen.length);
    expect(present.filter((kid) => stolen.includes(kid))).toEqual([]);
    const end = client.buildEndSessionUrl(config, { id_token_hint: String(tokens.id_token) });
    expect((await newBrowser().open(String(end))).page.status).toBe(400);
    config = await discover(shop);
    const again = await signIn();
    expect(again.tokens.claims()).toMatchObject({ preferred_username: 'alice' });
    const { text } = await admin.get('/userapi/audit?limit=5');
    expect(text).toContain('oidc-keys.rotate');
  });
});

/** Where authorization requests wait: those of `--sessions memory` end with their instance. */
const withRedis = REDIS_URL === undefined ? {} : { sessions: REDIS_URL };

describeWith('Redis').each(DATABASES)('a sign-in at several instances, on %s', (on) => {
  let database: TestDatabase;
  let port: number;
  let server: TestServer;
  beforeEach(async () => {
    [database, port] = await Promise.all([createServerDatabase(on), freePort()]);
    server = await startIssuer({ database, port, options: withRedis });
  });
  afterEach(async () => {
    await server.stop();
    await database.remove();
  });

  /** Another instance at the same address; nothing of the former one is left but its stores. */
  const takeOver = async () => {
    await server.stop();
    server = await startIssuer({ database, port, options: withRedis });
  };

  it('survives a change of the instance between each of its requests', async () => {
    const user = new FidoClient(server.url);
    await user.register('alice');
    const config = await discover(await addClient(server));
    const { address, checks } = await authorizationRequest(config);
    const browser = new OidcBrowser(server.url, user);
    const { url } = await browser.open(String(address));
    await takeOver();
    const assertion = await browser.assertionOf('alice');
    await takeOver();
    const answer = await browser.complete(url, assertion);
    expect(answer.status).toBe(200);
    await takeOver();
    const { returnTo } = JSON.parse(answer.text) as { returnTo: string };
    const back = new URL((await browser.open(returnTo)).url);
    await takeOver();
    const tokens = await client.authorizationCodeGrant(config, back, checks);
    expect(tokens.claims()?.['preferred_username']).toBe('alice');
  });

  it('ends on all instances as soon as its key is disabled at one', async () => {
    const user = new FidoClient(server.url);
    await user.register('alice');
    const shop = await addClient(server);
    const config = await discover(shop);
    const { address, checks } = await authorizationRequest(config);
    const back = await new OidcBrowser(server.url, user).authorize(address, 'alice');
    const tokens = await client.authorizationCodeGrant(config, back, checks);
    const { sub = '' } = tokens.claims() ?? {};
    await client.fetchUserInfo(config, tokens.access_token, sub);
    const other = await TestServer.start({ database });
    try {
      const admin = new AdminClient(other.url, 'localhost');
      const device = user.keyId;
      for (const type of ['disabledevice', 'enabledevice']) {
        expect((await admin.manage({ type, filter: 'alice', device })).status).toBe(200);
      }
    } finally {
      await other.stop();
    }
    await expect(client.fetchUserInfo(config, tokens.access_token, sub)).rejects.toThrow();
  });
});

describe.each(DATABASES)(
  'a sign-in by OpenID Connect with a key of the predecessor, on %s',
  (on) => {
    const OLD = 'old.example';
    let server: TestServer;
    let config: client.Configuration;
    beforeAll(async () => {
      server = await startIssuer({ on });
      await server.addRelyingParty('default', { domain: OLD, relatedOrigins: [server.url] });
      // Creates the relying party localhost.
      await new FidoClient(server.url).register('bob');
      config = await discover(await addClient(server));
    });
    afterAll(() => server.stop());

    it('signs the user in at the successor, and offers a key of its own', async () => {
      const at = { relyingParty: OLD };
      const old = new FidoClient(server.url, at);
      expect((await old.register('mona')).status).toBe(200);
      const { authenticator } = old;
      const change = (domain: string, changes: object) =>
        server.get(TenancyService).changeRelyingParty(server.call, 'default', domain, changes);
      await change(OLD, { policy: { registration: 'ticket' } });
      await change('localhost', { predecessor: OLD });
      const user = new FidoClient(server.url, { authenticator });
      const browser = new OidcBrowser(server.url, user);
      const { address, checks } = await authorizationRequest(config);
      const { url } = await browser.open(String(address));
      const answer = await browser.complete(url, await browser.assertionOf('mona'));
      const { returnTo, upgrade } = JSON.parse(answer.text) as {
        returnTo: string;
        upgrade: object;
      };
      const begun = { status: 200, headers: answer.headers, text: '', body: upgrade } as Answer;
      expect((await user.completeRegistration(user.create(begun))).status).toBe(200);
      const back = new URL((await browser.open(returnTo)).url);
      const tokens = await client.authorizationCodeGrant(config, back, checks);
      const claims = tokens.claims();
      expect(claims).toMatchObject({ preferred_username: 'mona' });
      await client.fetchUserInfo(config, tokens.access_token, String(claims?.sub));
      // The session ends with the key that began it, whatever the new one can do.
      const admin = new AdminClient(server.url, OLD);
      const device = String(authenticator.credentials[0]?.id.toString('base64url'));
      for (const type of ['disabledevice', 'enabledevice']) {
        expect((await admin.manage({ type, filter: 'mona', device })).status).toBe(200);
      }
      await expect(
        client.fetchUserInfo(config, tokens.access_token, String(claims?.sub)),
      ).rejects.toThrow();
      expect((await user.signIn('mona')).status).toBe(200);
    });
  },
);
