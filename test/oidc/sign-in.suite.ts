import * as client from 'openid-client';
import { IssuerKeys } from '../../src/oidc/provider/issuer-keys.js';
import { RelyingPartyCache } from '../../src/tenancy/scope/relying-party-cache.js';
import { adminClient, Client } from '../support/client.js';
import { FidoClient } from '../support/fido-client.js';
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
import { createServerDatabase } from '../support/server-database.js';
import { freePort } from '../support/server-process.js';
import type { TestServer } from '../support/test-server.js';

describe('a sign-in by OpenID Connect', () => {
  let server: TestServer;
  let shop: IssuedClient;
  let config: client.Configuration;
  let user: FidoClient;
  let admin: Client;
  beforeAll(async () => {
    server = await startIssuer();
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
      const { status } = await admin.send('/userapi/users/groups', {
        method: 'PUT',
        body: JSON.stringify({ username: 'alice', groups: ['editors', 'staff'] }),
        headers: { 'content-type': 'application/json' },
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
      const changed = await admin.send(
        `/tenantapi/tenants/default/relying-parties/localhost/clients/${made.clientId}`,
        {
          method: 'PATCH',
          body: JSON.stringify({ groups: false }),
          headers: { 'content-type': 'application/json' },
        },
      );
      expect(changed.status).toBe(200);
      const { sub = '' } = tokens.claims() ?? {};
      const info = await client.fetchUserInfo(allowed, tokens.access_token, sub);
      expect(info).not.toHaveProperty('groups');
      const later = await client.refreshTokenGrant(allowed, String(tokens.refresh_token));
      expect(later.claims()).not.toHaveProperty('groups');
    });
  });

  describe('of a user who is locked out', () => {
    const change = (type: string) => (name: string) =>
      admin.get(`/userapi/manageusers?type=${type}&filter=${name}`);
    const suspend = (username: string, suspended = true) =>
      admin.post('/userapi/users/suspension', { username, suspended });

    it.each([
      ['disabled', change('disableall')],
      ['deleted', change('deluser')],
      ['suspended', (name: string) => suspend(name)],
    ])('ends its session, code and tokens when the user is %s', async (how, lockOut) => {
      const name = `bob-${how}`;
      const bob = new FidoClient(server.url);
      await bob.register(name);
      const browser = newBrowser(bob);
      const scope = { scope: 'openid offline_access', prompt: 'consent' };
      const first = await authorizationRequest(config, scope);
      const back = await browser.authorize(first.address, name);
      const tokens = await client.authorizationCodeGrant(config, back, first.checks);
      const second = await authorizationRequest(config);
      const pending = await browser.authorize(second.address, name);
      const { sub = '' } = tokens.claims() ?? {};
      await client.fetchUserInfo(config, tokens.access_token, sub);
      expect((await lockOut(name)).status).toBe(200);
      await expect(client.fetchUserInfo(config, tokens.access_token, sub)).rejects.toThrow();
      await expect(
        client.refreshTokenGrant(config, String(tokens.refresh_token)),
      ).rejects.toThrow();
      await expect(client.authorizationCodeGrant(config, pending, second.checks)).rejects.toThrow();
      expect(await isAsked(browser)).toBe(true);
      const silent = await authorizationRequest(config, { prompt: 'none' });
      const { url } = await browser.open(String(silent.address));
      expect(new URL(url).searchParams.get('error')).toBe('login_required');
    });

    it('does not revive a session when the suspension of its user ends', async () => {
      const bob = new FidoClient(server.url);
      await bob.register('bob-returns');
      const browser = newBrowser(bob);
      const { address } = await authorizationRequest(config);
      await browser.authorize(address, 'bob-returns');
      expect(await isAsked(browser)).toBe(false);
      for (const suspended of [true, false]) {
        expect((await suspend('bob-returns', suspended)).status).toBe(200);
      }
      expect(await isAsked(browser)).toBe(true);
      const again = await authorizationRequest(config);
      const back = await browser.authorize(again.address, 'bob-returns');
      const tokens = await client.authorizationCodeGrant(config, back, again.checks);
      expect(tokens.claims()).toMatchObject({ preferred_username: 'bob-returns' });
    });
  });

  it('ends a session after an hour without use', async () => {
    const { browser } = await signIn();
    server.clock.advance(61 * 60_000);
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

  it('publishes no key that another one replaced hours ago', async () => {
    const kids = async () => {
      const { body } = await new Client(server.url).get('/oidc/localhost/jwks');
      return (body['keys'] as { kid: string }[]).map(({ kid }) => kid);
    };
    const replaced = await kids();
    const rp = server.get(RelyingPartyCache).current.find('localhost');
    if (!rp) throw new Error('There is no relying party.');
    await server.get(IssuerKeys).rotate(rp);
    const both = await kids();
    expect(both).toEqual(expect.arrayContaining(replaced));
    server.clock.advance(4 * 60 * 60_000);
    expect(await kids()).toEqual(both.filter((kid) => !replaced.includes(kid)));
    const { tokens } = await signIn();
    expect(tokens.claims()).toMatchObject({ preferred_username: 'alice' });
  });
});

it('loses no login if the instance dies between the authorization and the code exchange', async () => {
  const database = await createServerDatabase('SQLite');
  const port = await freePort();
  let server = await startIssuer({ database, port });
  try {
    const user = new FidoClient(server.url);
    await user.register('alice');
    const config = await discover(await addClient(server));
    const { address, checks } = await authorizationRequest(config);
    const back = await new OidcBrowser(server.url, user).authorize(address, 'alice');
    await server.stop();
    server = await startIssuer({ database, port });
    const tokens = await client.authorizationCodeGrant(config, back, checks);
    expect(tokens.claims()?.['preferred_username']).toBe('alice');
  } finally {
    await server.stop();
    await database.remove();
  }
});
