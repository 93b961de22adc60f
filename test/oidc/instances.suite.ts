import * as client from 'openid-client';
import { AdminClient } from '../support/admin-client.js';
import { adminClient } from '../support/client.js';
import { REDIS_URL, type TestDatabase } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { describeWith } from '../support/needs.js';
import { OidcBrowser } from '../support/oidc-browser.js';
import {
  addClient,
  authorizationRequest,
  discover,
  startIssuer,
  type IssuedClient,
} from '../support/oidc-issuer.js';
import { OidcSession } from '../support/oidc-session.js';
import { createServerDatabase } from '../support/server-database.js';
import type { TestServer } from '../support/test-server.js';

const CLIENTS = '/tenantapi/tenants/default/relying-parties/localhost/clients';
const OFFLINE = { scope: 'openid offline_access', prompt: 'consent' };
/** How often two requests are sent at the same moment. */
const ROUNDS = 5;

describeWith('MariaDB', 'Redis')('OpenID Connect on two instances', () => {
  let database: TestDatabase;
  let first: TestServer;
  let second: TestServer;
  let shop: IssuedClient;
  let user: FidoClient;
  /** The same application, whose requests reach the first instance and the second one. */
  let configs: readonly [client.Configuration, client.Configuration];
  beforeAll(async () => {
    database = await createServerDatabase('MariaDB');
    const sessions = REDIS_URL ?? '';
    first = await startIssuer({ database, options: { sessions } });
    second = await startIssuer({ database, options: { sessions, issuer: first.url } });
    user = new FidoClient(first.url);
    await user.register('alice');
    shop = await addClient(first);
    configs = await bothFor(shop);
  });
  afterAll(async () => {
    await first.stop();
    await second.stop();
    await database.remove();
  });

  const bothFor = async (issued: IssuedClient) => {
    const [here, there] = [await discover(issued), await discover(issued)];
    there[client.customFetch] = (url, options) =>
      fetch(url.replace(first.url, second.url), options as RequestInit);
    return [here, there] as const;
  };
  const fulfilled = async (answers: readonly Promise<unknown>[]) =>
    (await Promise.allSettled(answers)).filter(({ status }) => status === 'fulfilled').length;
  const there = () => new AdminClient(second.url, 'localhost');

  it('redeems a code once, and a replay at the other instance ends its tokens', async () => {
    const [here, elsewhere] = configs;
    const redeem = await codeFor(here);
    const tokens = await redeem(elsewhere);
    const { sub = '' } = tokens.claims() ?? {};
    await client.fetchUserInfo(here, tokens.access_token, sub);
    await expect(redeem(here)).rejects.toThrow();
    for (const config of configs) {
      await expect(client.fetchUserInfo(config, tokens.access_token, sub)).rejects.toThrow();
    }
  });

  it('redeems a code once if it comes to both at the same moment', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const redeem = await codeFor(configs[0]);
      expect(await fulfilled(configs.map(redeem))).toBe(1);
    }
  });

  it('uses a refresh token of a public client once if it comes to both at the same moment', async () => {
    const both = await bothFor(await addClient(first, { kind: 'public' }));
    for (let round = 0; round < ROUNDS; round += 1) {
      const tokens = await (await codeFor(both[0], OFFLINE))(both[0]);
      const refresh = (at: client.Configuration) =>
        client.refreshTokenGrant(at, String(tokens.refresh_token));
      expect(await fulfilled(both.map(refresh))).toBe(1);
      await expect(refresh(both[0])).rejects.toThrow();
    }
  });

  it.each([
    ['disabled', (filter: string) => there().manage({ type: 'disableall', filter })],
    ['deleted', (filter: string) => there().manage({ type: 'deluser', filter })],
    [
      'suspended',
      (username: string) =>
        there().post('/userapi/users/suspension', { username, suspended: true }),
    ],
  ])('ends session, code and tokens when the user is %s at the other one', async (how, lockOut) => {
    const one = await OidcSession.begin(first.url, configs[0], `bob-${how}`);
    expect(await one.silentError()).toBeNull();
    expect((await lockOut(`bob-${how}`)).status).toBe(200);
    await one.expectOver();
  });

  it('ends codes and tokens when the client is removed at the other one', async () => {
    const issued = await addClient(first);
    const both = await bothFor(issued);
    const redeem = await codeFor(both[0]);
    const tokens = await (await codeFor(both[0], OFFLINE))(both[0]);
    const removed = await adminClient(second.url).send(`${CLIENTS}/${issued.clientId}`, {
      method: 'DELETE',
    });
    expect(removed.status).toBe(200);
    await expect(redeem(both[0])).rejects.toThrow();
    const refresh = String(tokens.refresh_token);
    await expect(client.refreshTokenGrant(both[0], refresh)).rejects.toThrow();
  });

  it('completes at the second what the first began, and asks there for no other sign-in', async () => {
    const { address, checks } = await authorizationRequest(configs[0]);
    const browser = new OidcBrowser(first.url, user);
    const { url } = await browser.open(String(address));
    const assertion = await browser.assertionOf('alice');
    // The proxy in front passes the host of the issuer on.
    const moved = url.replace(first.url, second.url);
    const { text } = await browser.complete(moved, assertion, { origin: second.url });
    const { returnTo } = JSON.parse(text) as { returnTo: string };
    const back = new URL((await browser.open(returnTo)).url);
    expect(await fulfilled([client.authorizationCodeGrant(configs[1], back, checks)])).toBe(1);
    const again = await authorizationRequest(configs[0], { prompt: 'none' });
    const there = await browser.send(String(again.address).replace(first.url, second.url));
    expect(there.headers.get('location')).toContain('code=');
  });

  it('publishes no stolen key any longer, within seconds at the other one', async () => {
    const kids = async ({ url }: TestServer) => {
      const answer = await fetch(`${url}/oidc/localhost/jwks`);
      const { keys } = (await answer.json()) as { keys: { kid: string }[] };
      return keys.map(({ kid }) => kid);
    };
    const stolen = await kids(first);
    const { status } = await adminClient(second.url).post(`${CLIENTS}/rotate-keys`, {
      revoke: true,
    });
    expect(status).toBe(201);
    await eventually(async () => expect(await kids(first)).toEqual(await kids(second)));
    expect((await kids(first)).filter((kid) => stolen.includes(kid))).toEqual([]);
  });

  async function codeFor(config: client.Configuration, more: Record<string, string> = {}) {
    const { address, checks } = await authorizationRequest(config, more);
    const back = await new OidcBrowser(first.url, user).authorize(address, 'alice');
    return (at: client.Configuration) => client.authorizationCodeGrant(at, back, checks);
  }
});
