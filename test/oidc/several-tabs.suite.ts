import * as client from 'openid-client';
import { FIND_RECORD } from '../../src/oidc/records/oidc-record.statements.js';
import { Database } from '../../src/platform/database/database.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { holdNextQuery } from '../support/held-query.js';
import { OidcBrowser } from '../support/oidc-browser.js';
import { addClient, authorizationRequest, discover, startIssuer } from '../support/oidc-issuer.js';
import type { TestServer } from '../support/test-server.js';

const USER = 'alice';

describe.each(DATABASES)('a session by OpenID Connect in several tabs, on %s', (on) => {
  let server: TestServer;
  let shop: client.Configuration;
  let wiki: client.Configuration;
  let browser: OidcBrowser;
  beforeAll(async () => {
    server = await startIssuer({ on });
    [shop, wiki] = [
      await discover(await addClient(server)),
      await discover(await addClient(server)),
    ];
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    const user = new FidoClient(server.url);
    await user.register(USER);
    browser = new OidcBrowser(server.url, user);
    await browser.authorize((await authorizationRequest(shop)).address, USER);
  });

  it('is not begun again by a request that read it before the sign-out', async () => {
    const copy = copyOf(browser);
    const { url } = await held(wiki, () => signOut());
    expect(url).toContain('/sign-in/');
    expect([await silentError(browser), await silentError(copy)]).toEqual([
      'login_required',
      'login_required',
    ]);
  });

  it('is not brought back under the ID that it had before the next sign-in', async () => {
    const copy = copyOf(browser);
    const { address } = await authorizationRequest(shop, { prompt: 'login' });
    const { url } = await held(wiki, () => browser.authorize(address, USER));
    expect(new URL(url).searchParams.get('code')).not.toBeNull();
    expect([await silentError(browser), await silentError(copy)]).toEqual([null, 'login_required']);
  });

  it('gives codes to two clients that ask for the first time at once', async () => {
    const notes = await discover(await addClient(server));
    const other = await authorizationRequest(notes);
    let second = '';
    const { url, checks } = await held(wiki, async () => {
      second = (await browser.open(String(other.address))).url;
    });
    const tokens = [
      await client.authorizationCodeGrant(wiki, new URL(url), checks),
      await client.authorizationCodeGrant(notes, new URL(second), other.checks),
    ];
    expect(tokens.map((one) => one.claims()?.sub)).not.toContain(undefined);
  });

  it('can be ended by a page that another request overtook', async () => {
    const reading = holdNextQuery(server.get(Database), FIND_RECORD);
    const end = client.buildEndSessionUrl(shop, { client_id: shop.clientMetadata().client_id });
    const opened = browser.open(String(end));
    await reading.reached;
    await browser.open(String((await authorizationRequest(wiki)).address));
    reading.letGo();
    await confirmSignOut((await opened).page.text);
    expect(await silentError(browser)).toBe('login_required');
  });

  /** Sends an authorization request, and does something else after it has read the session. */
  async function held(config: client.Configuration, between: () => Promise<unknown>) {
    const { address, checks } = await authorizationRequest(config);
    const reading = holdNextQuery(server.get(Database), FIND_RECORD);
    const opened = browser.open(String(address));
    await reading.reached;
    await between();
    reading.letGo();
    return { ...(await opened), checks };
  }

  async function signOut() {
    const end = client.buildEndSessionUrl(shop, { client_id: shop.clientMetadata().client_id });
    await confirmSignOut((await browser.open(String(end))).page.text);
  }

  async function confirmSignOut(page: string) {
    const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(page) ?? [];
    const { issuer } = shop.serverMetadata();
    const { url } = await browser.open(`${issuer}/session/end/confirm`, {
      method: 'POST',
      body: new URLSearchParams({ xsrf, logout: 'yes' }),
    });
    expect(url).toContain('/session/end/success');
  }

  function copyOf(original: OidcBrowser): OidcBrowser {
    const copy = new OidcBrowser(server.url);
    copy.takeCookiesOf(original);
    return copy;
  }

  /** The error of a request that must not show a page; `null` if the browser has a session. */
  async function silentError(of: OidcBrowser): Promise<string | null> {
    const { address } = await authorizationRequest(shop, { prompt: 'none' });
    const { url } = await of.open(String(address));
    return new URL(url).searchParams.get('error');
  }
});
