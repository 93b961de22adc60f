import { hash } from 'node:crypto';
import type { Frame, Page } from 'playwright-core';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { relyingPartyOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';
import { VirtualAuthenticator } from './support/authenticator.js';
import { openPermissiveProfile, openUsualProfile, type Profile } from './support/browser.js';
import { OtherSite } from './support/other-site.js';
import { Sdk } from './support/sdk.js';

/** The service is at localhost; to a browser, a page below `shop.localhost` is another site. */
describe.each([
  ['third-party cookies blocked', openUsualProfile],
  ['third-party cookies allowed', openPermissiveProfile],
])('a page of another origin, %s', (_, open) => {
  let server: TestServer;
  let site: OtherSite;
  let profile: Profile;
  let page: Page;
  let sdk: Sdk;

  beforeAll(async () => {
    [server, site, profile] = await Promise.all([TestServer.start(), OtherSite.open(), open()]);
    await server.addRelyingParty('shop', {
      domain: 'shop.localhost',
      origins: ['http://shop.localhost:*'],
    });
  });
  afterAll(async () => {
    await profile.close();
    await Promise.all([server.stop(), site.close()]);
  });

  beforeEach(async () => {
    page = await profile.context.newPage();
    sdk = new Sdk(page, server.url);
  });
  afterEach(() => page.close());

  const roundTrip = async (username: string, relyingParty?: string) => {
    await VirtualAuthenticator.add(page);
    const setup = relyingParty === undefined ? {} : { relyingParty };
    const registered = await sdk.register({ username, displayName: username }, setup);
    expect(registered).toEqual({ answer: expect.objectContaining({ username }) });
    const signedIn = await sdk.authenticate({ username }, setup);
    expect(signedIn).toEqual({ answer: expect.objectContaining({ username }) });
  };

  it('registers and signs in from another site, with the relying party found by its origin', async () => {
    await page.goto(site.address('shop.localhost'));
    await roundTrip('by-origin');
  });

  it('registers and signs in from another site, with the relying party in the header', async () => {
    await page.goto(site.address('shop.localhost'));
    await roundTrip('by-header', 'shop.localhost');
  });

  it('registers and signs in from another port of the same host', async () => {
    await page.goto(site.address('localhost'));
    await roundTrip('other-port');
  });

  it.each([
    ['publickey-credentials-get', 'embedded', 'aborted'],
    ['publickey-credentials-create', 'aborted', 'embedded'],
    ['', 'embedded', 'embedded'],
  ])('says whether a frame with allow="%s" permits the call', async (allow, creating, getting) => {
    site.content = `<iframe src="${site.address('shop.localhost')}" allow="${allow}"></iframe>`;
    await page.goto(site.address('outer.localhost'));
    site.content = '';
    const frame = page.frames().at(-1) as Frame;
    const framed = new Sdk(frame, server.url);
    // A permitted call is ended before its prompt.
    const setup = { after: 'client.abort();' };
    const user = { username: 'framed', displayName: 'Framed' };
    expect((await framed.register(user, setup)).error?.kind).toBe(creating);
    expect((await framed.signIn({}, setup)).error?.kind).toBe(getting);
  });

  it('registers and signs in under a Content Security Policy that names the server', async () => {
    const policy = `default-src 'none'; script-src ${server.url}; connect-src ${server.url}`;
    site.content = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
    await page.goto(site.address('shop.localhost'));
    site.content = '';
    await roundTrip('under-a-policy');
  });

  it('loads the SDK only if it has the hash in the import map of the page', async () => {
    const file = await fetch(`${server.url}/sdk/servicefido.js`).then((answer) => answer.text());
    const load = async (content: string) => {
      const integrity = `sha384-${hash('sha384', content, 'base64')}`;
      const map = { integrity: { [`${server.url}/sdk/servicefido.js`]: integrity } };
      site.content = `<script type="importmap">${JSON.stringify(map)}</script>`;
      await page.goto(site.address('shop.localhost'));
      site.content = '';
      return sdk.evaluate<string>('typeof sdk.createClient').catch(() => 'refused');
    };
    expect(await load(file)).toBe('function');
    expect(await load(`${file} `)).toBe('refused');
  });

  it('can read an error of the server', async () => {
    await page.goto(site.address('shop.localhost'));
    const { error } = await sdk.authenticate({ username: 'nobody' });
    expect(error).toMatchObject({ kind: 'server', status: 403 });
    expect(error?.requestId).toBeDefined();
  });

  it('cannot call the server if no relying party lists its origin', async () => {
    await page.goto(site.address('evil.localhost'));
    const thief = { username: 'thief', displayName: 'Thief' };
    const { error } = await sdk.register(thief, { relyingParty: 'shop.localhost' });
    expect(error).toMatchObject({ kind: 'bad_domain', reason: 'origin.notAllowed' });
    const { origin } = new URL(site.address('evil.localhost'));
    expect(error?.message).toBe(`The server does not list the origin of this page, ${origin}.`);
    const listed = await sdk.evaluate(`fetch('${server.url}/fidoapi/test').then((a) => a.json())`);
    expect(listed).toEqual({ status: 'ok', errorMessage: '', originListed: false });
  });

  it('cannot manage keys if no relying party lists its origin, and says why', async () => {
    await page.goto(site.address('evil.localhost'));
    const error = await page.evaluate(`import('${server.url}/sdk/keys.js').then(({ createKeys }) =>
      createKeys({ token: () => 'x' }).list().catch(({ kind, reason }) => ({ kind, reason })))`);
    expect(error).toEqual({ kind: 'bad_domain', reason: 'origin.notAllowed' });
  });

  it('does not report an unavailable server as a wrong origin', async () => {
    await page.goto(site.address('shop.localhost'));
    const { error } = await sdk.authenticate({ username: 'x' }, { baseUrl: 'http://localhost:1' });
    expect(error).toMatchObject({ kind: 'network', message: 'The server cannot be reached.' });
  });

  it('cannot read the answer if another relying party lists its origin', async () => {
    await server.addRelyingParty('shop', {
      domain: 'a.shop.localhost',
      origins: ['http://a.shop.localhost:*'],
    });
    await page.goto(site.address('a.shop.localhost'));
    const user = { username: 'neighbour', displayName: 'Neighbour' };
    const { error } = await sdk.register(user, { relyingParty: 'shop.localhost' });
    expect(error).toMatchObject({ kind: 'bad_domain', reason: 'origin.notAllowed' });
  });

  it('cannot call the server even as its own page if the relying party does not list that origin', async () => {
    const { listedOrigins } = relyingPartyOf(server, 'localhost');
    const list = (origins: readonly string[]) =>
      server
        .get(TenancyService)
        .changeRelyingParty(server.call, 'default', 'localhost', { origins: [...origins] });
    await list(['https://localhost']);
    await page.goto(`${server.url}/sdk/servicefido.d.ts`);
    await VirtualAuthenticator.add(page);
    const { error } = await sdk.register({ username: 'own', displayName: 'Own' });
    expect(error).toMatchObject({ kind: 'server', errorCode: 'E0029R', status: 401 });
    await list(listedOrigins);
  });
});
