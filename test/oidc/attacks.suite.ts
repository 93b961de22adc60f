import { jest } from '@jest/globals';
import * as client from 'openid-client';
import { RefusalLog } from '../../src/fido/refusals/refusal-log.js';
import { CredentialReader } from '../../src/users/credentials/credential-reader.js';
import { AdminClient } from '../support/admin-client.js';
import { Client, adminClient } from '../support/client.js';
import { DATABASES } from '../support/databases.js';
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
import { rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

const OTHER = 'other.localhost';

describe.each(DATABASES)('an attack on a sign-in by OpenID Connect, on %s', (on) => {
  let server: TestServer;
  let shop: IssuedClient;
  let config: client.Configuration;
  let user: FidoClient;
  beforeAll(async () => {
    server = await startIssuer({ on });
    await server.addRelyingParty('other', { domain: OTHER, origins: [server.url] });
    user = new FidoClient(server.url);
    await user.register('alice');
    shop = await addClient(server);
    config = await discover(shop);
  });
  afterAll(() => server.stop());

  const newBrowser = () => new OidcBrowser(server.url, user);
  const errorOf = (address: string) => new URL(address).searchParams.get('error');
  /** Where a browser ends that opens a changed request. */
  const openChanged = async (change: (query: URLSearchParams) => void) => {
    const { address } = await authorizationRequest(config);
    change(address.searchParams);
    return newBrowser().open(String(address));
  };
  const signedIn = async () => {
    const { address, checks } = await authorizationRequest(config);
    return { back: await newBrowser().authorize(address, 'alice'), checks };
  };

  it.each([
    ['another path', 'http://localhost:9/cb/other'],
    ['a query', 'http://localhost:9/cb?next=evil'],
    ['another port', 'http://localhost:10/cb'],
    ['another host', 'https://evil.example/cb'],
    ['a host that begins alike', 'http://localhost:9.evil.example/cb'],
  ])('is not redirected to %s', async (_, target) => {
    const { url, page } = await openChanged((query) => query.set('redirect_uri', target));
    expect(page.status).toBe(400);
    expect(url.startsWith(server.url)).toBe(true);
    expect(page.text).toContain('invalid_redirect_uri');
  });

  it.each([
    ['no challenge', (query: URLSearchParams) => query.delete('code_challenge')],
    ['the method plain', (query: URLSearchParams) => query.set('code_challenge_method', 'plain')],
    ['no method', (query: URLSearchParams) => query.delete('code_challenge_method')],
  ])('cannot leave PKCE out with %s', async (_, change) => {
    const { url } = await openChanged(change);
    expect(errorOf(url)).toBe('invalid_request');
  });

  it.each(['token', 'id_token', 'code id_token'])(
    'cannot have the response type %s',
    async (type) => {
      const { url } = await openChanged((query) => query.set('response_type', type));
      expect(url).toMatch(/[?#]error=(?:unsupported_response_type|invalid_request)&/);
    },
  );

  it('cannot leave out the redirect address, neither of the request nor of the exchange', async () => {
    const { page } = await openChanged((query) => query.delete('redirect_uri'));
    expect([page.status, page.headers.get('location')]).toEqual([400, null]);
    const { address, checks } = await authorizationRequest(config);
    const back = await newBrowser().authorize(address, 'alice');
    const answer = await fetch(`${shop.issuer}/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: shop.clientId,
        client_secret: String(shop.secret),
        code: String(back.searchParams.get('code')),
        code_verifier: checks.pkceCodeVerifier,
      }),
    });
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'invalid_request' }]);
  });

  it('cannot redeem a code without its verifier', async () => {
    const { back, checks } = await signedIn();
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const wrong = { ...checks, pkceCodeVerifier };
    await expect(client.authorizationCodeGrant(config, back, wrong)).rejects.toThrow();
  });

  it('cannot redeem a code twice, and ends the tokens of the first time', async () => {
    const { back, checks } = await signedIn();
    const tokens = await client.authorizationCodeGrant(config, back, checks);
    await expect(client.authorizationCodeGrant(config, back, checks)).rejects.toThrow();
    const { sub = '' } = tokens.claims() ?? {};
    await expect(client.fetchUserInfo(config, tokens.access_token, sub)).rejects.toThrow();
  });

  it('redeems a code once if two requests come at the same time', async () => {
    const { back, checks } = await signedIn();
    const both = await Promise.allSettled([
      client.authorizationCodeGrant(config, back, checks),
      client.authorizationCodeGrant(config, back, checks),
    ]);
    expect(both.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1);
  });

  it('signs in again after a replayed code, without an endless consent', async () => {
    const browser = newBrowser();
    const first = await authorizationRequest(config);
    const back = await browser.authorize(first.address, 'alice');
    await client.authorizationCodeGrant(config, back, first.checks);
    await client.authorizationCodeGrant(config, back, first.checks).catch(() => undefined);
    const second = await authorizationRequest(config);
    const again = await browser.authorize(second.address, 'alice');
    const tokens = await client.authorizationCodeGrant(config, again, second.checks);
    expect(tokens.claims()?.['preferred_username']).toBe('alice');
  });

  it('cannot redeem a code of another client', async () => {
    const other = await discover(await addClient(server));
    const { back, checks } = await signedIn();
    await expect(client.authorizationCodeGrant(other, back, checks)).rejects.toThrow();
  });

  describe('after a client has lost the address of an attacker', () => {
    let own: IssuedClient;
    let ownConfig: client.Configuration;
    beforeEach(async () => {
      own = await addClient(server, { postLogoutRedirectUris: [GOODBYE] });
      ownConfig = await discover(own);
    });
    const change = async (members: object) => {
      const path = `/tenantapi/tenants/default/relying-parties/localhost/clients/${own.clientId}`;
      const answer = await adminClient(server.url).patch(path, members);
      expect(answer.status).toBe(200);
    };
    const remove = () => change({ redirectUris: ['http://localhost:9/other'] });

    it('cannot redeem a code that was sent there before', async () => {
      const { address, checks } = await authorizationRequest(ownConfig);
      const back = await newBrowser().authorize(address, 'alice');
      await remove();
      await expect(client.authorizationCodeGrant(ownConfig, back, checks)).rejects.toThrow();
    });

    it('gets no browser that has begun a sign-in before', async () => {
      const { address } = await authorizationRequest(ownConfig);
      const [browser, signedInBrowser] = [newBrowser(), newBrowser()];
      const { url } = await browser.open(String(address));
      const { url: page } = await signedInBrowser.open(String(address));
      const assertion = await signedInBrowser.assertionOf('alice');
      const { text } = await signedInBrowser.complete(page, assertion);
      const { returnTo } = JSON.parse(text) as { returnTo: string };
      await remove();
      const places = [await browser.open(url), await signedInBrowser.open(returnTo)];
      for (const place of places) expect(place.url.startsWith(server.url)).toBe(true);
      expect((await browser.post(`${url}/cancel`, {})).text).toContain('E0024R');
    });

    it('gets no browser that signs out', async () => {
      const browser = newBrowser();
      const { address, checks } = await authorizationRequest(ownConfig);
      const back = await browser.authorize(address, 'alice');
      const tokens = await client.authorizationCodeGrant(ownConfig, back, checks);
      const question = client.buildEndSessionUrl(ownConfig, {
        id_token_hint: String(tokens.id_token),
        post_logout_redirect_uri: GOODBYE,
      });
      const { page } = await browser.open(String(question));
      const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(page.text) ?? [];
      await change({ postLogoutRedirectUris: [] });
      const { url, page: end } = await browser.open(`${own.issuer}/session/end/confirm`, {
        method: 'POST',
        body: new URLSearchParams({ xsrf, logout: 'yes' }),
      });
      expect([url, end.status]).toEqual([`${own.issuer}/session/end/success`, 200]);
    });
  });

  it('is not authenticated as a client by the stored hash of its secret', async () => {
    const wrong = await discover({ ...shop, secret: 'x'.repeat(43) });
    const { back, checks } = await signedIn();
    await expect(client.authorizationCodeGrant(wrong, back, checks)).rejects.toThrow();
  });

  describe('on another relying party', () => {
    let foreign: IssuedClient;
    beforeAll(async () => {
      foreign = await addClient(server, {}, { tenant: 'other', domain: OTHER });
    });

    it('finds no client and other keys at the other issuer', async () => {
      const kidsOf = async ({ issuer }: IssuedClient) => {
        const { keys } = (await (await fetch(`${issuer}/jwks`)).json()) as {
          keys: { kid: string }[];
        };
        return keys.map(({ kid }) => kid);
      };
      const [ours, theirs] = [await kidsOf(shop), await kidsOf(foreign)];
      expect(theirs).toHaveLength(1);
      expect(ours).not.toEqual(expect.arrayContaining(theirs));
      const address = new URL(`${foreign.issuer}/auth`);
      address.searchParams.set('client_id', shop.clientId);
      const { page } = await newBrowser().open(String(address));
      expect([page.status, page.text.includes('invalid_client')]).toEqual([400, true]);
    });

    it('cannot redeem a code of the first issuer', async () => {
      const { back, checks } = await signedIn();
      const confused = await discover(foreign);
      await expect(client.authorizationCodeGrant(confused, back, checks)).rejects.toThrow();
      const body = new URLSearchParams({
        grant_type: 'authorization_code',
        code: String(back.searchParams.get('code')),
        redirect_uri: CALLBACK,
        code_verifier: checks.pkceCodeVerifier,
        client_id: foreign.clientId,
        client_secret: String(foreign.secret),
      });
      const answer = await fetch(`${foreign.issuer}/token`, { method: 'POST', body });
      expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'invalid_grant' }]);
    });

    it('has no session there, and an access token is unknown there', async () => {
      const browser = newBrowser();
      const { address, checks } = await authorizationRequest(config);
      const back = await browser.authorize(address, 'alice');
      const tokens = await client.authorizationCodeGrant(config, back, checks);
      const info = await fetch(`${foreign.issuer}/me`, {
        headers: { authorization: `Bearer ${tokens.access_token}` },
      });
      expect(info.status).toBe(401);
      const theirs = await authorizationRequest(await discover(foreign));
      expect((await browser.open(String(theirs.address))).url).toContain('/sign-in/');
    });
  });

  it('cannot have its own host in the discovery document', async () => {
    const forged = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
    const answer = await new Client(server.url).get(
      '/oidc/localhost/.well-known/openid-configuration',
      { host: 'evil.example', ...forged },
    );
    expect(answer.body['issuer']).toBe(shop.issuer);
    expect(answer.text).not.toContain('evil');
  });

  it.each([
    ['a foreign page', { origin: 'https://evil.example' }],
    ['a foreign page by its Fetch Metadata', { 'sec-fetch-site': 'cross-site' }],
  ])('can neither complete nor cancel a sign-in from %s', async (_, headers) => {
    const browser = newBrowser();
    const { address } = await authorizationRequest(config);
    const { url } = await browser.open(String(address));
    const answer = await browser.complete(url, await browser.assertionOf('alice'), headers);
    const cancelled = await browser.post(`${url}/cancel`, {}, headers);
    expect([answer.status, cancelled.status]).toEqual([403, 403]);
    expect((await browser.open(url)).page.status).toBe(200);
  });

  it.each([
    ['a page that only the four calls allow', { origin: 'http://localhost:1' }],
    ['a page that embeds this one', { crossOrigin: true }],
  ])('cannot complete a sign-in with the answer of a key to %s', async (_, clientData) => {
    const browser = newBrowser();
    const path = '/tenantapi/tenants/default/relying-parties/localhost';
    const changed = await adminClient(server.url).patch(path, {
      policy: { topOrigins: ['unknown'] },
    });
    expect(changed.status).toBe(200);
    const begun = await user.beginAuthentication('alice');
    const direct = await user.completeAuthentication(user.assert(begun, { clientData }));
    expect(direct.status).toBe(200);
    const { address } = await authorizationRequest(config);
    const { url } = await browser.open(String(address));
    const assertion = user.assert(await user.beginAuthentication('alice'), { clientData });
    const answer = await browser.complete(url, assertion);
    expect(JSON.parse(answer.text)).toMatchObject({ errorCode: 'E0029R' });
    await server.get(RefusalLog).flush();
    const sql = "SELECT detail FROM events WHERE code = 'E0029R' ORDER BY id DESC LIMIT 1";
    const [event] = await rowsOf<{ detail: string }>(server, sql);
    expect(event?.detail).toMatch(new RegExp(` oidc ${shop.clientId}$`));
  });

  it('cannot use the interaction of another browser', async () => {
    const { address } = await authorizationRequest(config);
    const { url } = await newBrowser().open(String(address));
    const victim = newBrowser();
    const answer = await victim.complete(url, await victim.assertionOf('alice'));
    expect(JSON.parse(answer.text)).toMatchObject({
      errorCode: 'E0024R',
      reason: 'oidc.interactionOver',
    });
    expect((await victim.open(url)).page.status).toBe(408);
  });

  it.each([
    ['whose address was removed', { redirectUris: ['https://shop.example/cb'] }],
    ['that was removed', undefined],
  ])('is led to no client %s while the request waited', async (_, changes) => {
    const made = await addClient(server);
    const fooled = await discover(made);
    const path = `/tenantapi/tenants/default/relying-parties/localhost/clients/${made.clientId}`;
    const waiting = async () => {
      const browser = newBrowser();
      const { address } = await authorizationRequest(fooled);
      const { url } = await browser.open(String(address));
      return { browser, url, assertion: await browser.assertionOf('alice') };
    };
    const [atPage, cancelling, signedInBefore] = [
      await waiting(),
      await waiting(),
      await waiting(),
    ];
    const { browser, url, assertion } = signedInBefore;
    const answer = await browser.complete(url, assertion);
    const { returnTo } = JSON.parse(answer.text) as { returnTo: string };
    const method = changes ? 'PATCH' : 'DELETE';
    const changed = await adminClient(server.url).sendJson(method, path, { body: changes });
    expect(changed.status).toBe(200);
    const end = await browser.open(returnTo);
    expect([end.page.status, end.url.startsWith(server.url)]).toEqual([400, true]);
    expect((await atPage.browser.complete(atPage.url, atPage.assertion)).status).toBe(408);
    expect((await cancelling.browser.post(`${cancelling.url}/cancel`, {})).status).toBe(408);
  });

  it('hides the time of each read of a key where unknown users are made up', async () => {
    const path = '/tenantapi/tenants/default/relying-parties/localhost';
    const admin = adminClient(server.url);
    const setPolicy = async (policy: object) => {
      const { status } = await admin.patch(path, { policy });
      expect(status).toBe(200);
    };
    await setPolicy({ unknownUsers: 'pretend', registration: 'ticket' });
    const browser = newBrowser();
    const { address } = await authorizationRequest(config);
    const { url } = await browser.open(String(address));
    const assertion = await browser.assertionOf('alice');
    // The timers of `quantizeDuration`, which hides the time of what it waits for.
    const hiding = new Set<unknown>();
    const { setInterval: begin, clearInterval: end } = globalThis;
    const began = jest.spyOn(globalThis, 'setInterval').mockImplementation(((
      ...timer: Parameters<typeof setInterval>
    ) => {
      const made = begin(...timer);
      if (timer[1] === 10) hiding.add(made);
      return made;
    }) as typeof setInterval);
    const ended = jest.spyOn(globalThis, 'clearInterval').mockImplementation((timer) => {
      hiding.delete(timer);
      end(timer);
    });
    const reader = server.get(CredentialReader);
    const find = reader.findByHash.bind(reader);
    const hidden: boolean[] = [];
    const reads = jest.spyOn(reader, 'findByHash').mockImplementation((...key) => {
      hidden.push(hiding.size > 0);
      return find(...key);
    });
    try {
      expect((await browser.complete(url, assertion)).status).toBe(200);
    } finally {
      for (const spy of [began, ended, reads]) spy.mockRestore();
      await setPolicy({});
    }
    expect(new Set(hidden)).toEqual(new Set([true]));
  });

  it('leads back with access_denied if the user is deleted before the browser comes back', async () => {
    const gone = new FidoClient(server.url);
    await gone.register('gone');
    const browser = new OidcBrowser(server.url, gone);
    const { address, checks } = await authorizationRequest(config);
    const { url } = await browser.open(String(address));
    const { text } = await browser.complete(url, await browser.assertionOf('gone'));
    const { returnTo } = JSON.parse(text) as { returnTo: string };
    const deletion = { type: 'deluser', filter: 'gone' };
    expect((await new AdminClient(server.url, 'localhost').manage(deletion)).status).toBe(200);
    const back = await browser.open(returnTo);
    expect(errorOf(back.url)).toBe('access_denied');
    expect(new URL(back.url).searchParams.get('state')).toBe(checks.expectedState);
    const again = await browser.open(String(address));
    expect(again.page.status).toBe(200);
  });

  it('cannot complete a ceremony twice', async () => {
    const browser = newBrowser();
    const { address } = await authorizationRequest(config);
    const { url } = await browser.open(String(address));
    const assertion = await browser.assertionOf('alice');
    expect((await browser.complete(url, assertion)).status).toBe(200);
    expect((await browser.complete(url, assertion)).status).toBe(408);
  });

  it('knows no session that was planted before the sign-in', async () => {
    const attacker = newBrowser();
    const first = await authorizationRequest(config);
    await attacker.open(String(first.address));
    await attacker.open(`${shop.issuer}/session/end`);
    const victim = newBrowser();
    victim.takeCookiesOf(attacker);
    const second = await authorizationRequest(config);
    await victim.authorize(second.address, 'alice');
    const third = await authorizationRequest(config);
    expect((await attacker.open(String(third.address))).url).toContain('/sign-in/');
  });

  it('has no authority at the four calls with an ID token or an access token', async () => {
    const { back, checks } = await signedIn();
    const tokens = await client.authorizationCodeGrant(config, back, checks);
    for (const token of [tokens.id_token, tokens.access_token]) {
      const headers = { authorization: `Bearer ${token}`, origin: server.url };
      const answer = await user.post('/fidoapi/mykeys/list', {}, headers);
      expect([401, 404]).toContain(answer.status);
    }
  });

  it('gets no claims with a token of the four calls', async () => {
    const { body } = await user.signIn('alice');
    const authorization = `Bearer ${String(body['token'])}`;
    const answer = await fetch(`${shop.issuer}/me`, { headers: { authorization } });
    expect(answer.status).toBe(401);
  });

  it('shows an error page without a redirect for an unknown client', async () => {
    const { page } = await openChanged((query) => query.set('client_id', 'nobody'));
    expect(page.status).toBe(400);
    expect(page.text).toContain('invalid_client');
    expect(page.headers.get('content-security-policy')).not.toContain('unsafe');
  });

  it('cannot be led elsewhere after a sign-out', async () => {
    const address = new URL(`${shop.issuer}/session/end`);
    address.searchParams.set('client_id', shop.clientId);
    address.searchParams.set('post_logout_redirect_uri', 'https://evil.example/');
    const { page } = await newBrowser().open(String(address));
    expect(page.status).toBe(400);
  });
});

describe('a server without OpenID Connect', () => {
  it('opens no route without --oidc', async () => {
    const server = await TestServer.start();
    try {
      const anybody = new Client(server.url);
      const answer = await anybody.get('/oidc/localhost/.well-known/openid-configuration');
      expect(answer.status).toBe(404);
    } finally {
      await server.stop();
    }
  });
});
