import type { BrowserContext, Page } from 'playwright-core';
import { ProviderProcess } from '../support/oidc/provider-process.js';
import { freePort } from '../support/server-process.js';
import { TestServer } from '../support/test-server.js';
import { barriersOf, overflowOf } from './support/admin-pages.js';
import { VirtualAuthenticator } from './support/authenticator.js';
import { complaintsOf, openBrowser, type SuiteBrowser } from './support/browser.js';

const ANNA = { sub: 'u-anna', preferred_username: 'anna', groups: ['fido-admins'] };
const STRICT = { sub: 'u-strict', preferred_username: 'stella', groups: ['fido-strict'] };

describe('the sign-in at the OpenID provider in a browser', () => {
  let browser: SuiteBrowser;
  let provider: ProviderProcess;
  let server: TestServer;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    const port = await freePort();
    provider = await ProviderProcess.start(port);
    [server, browser] = await Promise.all([
      TestServer.start({ port, options: { consoleOidc: provider.file() } }),
      openBrowser(),
    ]);
  });
  afterAll(async () => {
    await browser.close();
    await Promise.all([server.stop(), provider.stop()]);
  });
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    page = await context.newPage();
    complaints = complaintsOf(page);
  });
  afterEach(async () => {
    await context.close();
    // Nothing violates the content security policy, and only refused requests fail.
    expect(complaints.filter((text) => !/status of 401/.test(text))).toEqual([]);
  });

  const signIn = async (path: string) => {
    await page.goto(server.url + path);
    await page.getByRole('button', { name: 'Sign in with Example Login', exact: true }).click();
  };

  it('leads by a button to the provider and back to the requested page', async () => {
    await provider.signInAs(ANNA);
    await page.goto(`${server.url}/userapi/audit`);
    expect(await barriersOf(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
    await signIn('/userapi/audit');
    await page.waitForURL(`${server.url}/userapi/audit`);
    await page.getByText('anna (oidc)').first().waitFor();
  });

  it('shows on an accessible page why there is no access', async () => {
    await provider.signInAs({ ...ANNA, groups: [] });
    await signIn('/tenants');
    await page.getByText('none of your groups may open this console').waitFor();
    expect(await barriersOf(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
  });

  it('asks for a key of the console if the provider has proved no second factor', async () => {
    await VirtualAuthenticator.add(page);
    await provider.signInAs({ ...STRICT, amr: ['mfa'] });
    await signIn('/console/account');
    await page.getByLabel('Name of a new key').fill('Laptop');
    await page.getByRole('button', { name: 'Add a key', exact: true }).click();
    await page.getByText('The key is added.').waitFor();
    await context.clearCookies();
    await provider.signInAs(STRICT);
    await signIn('/console/account');
    await page.getByText('The provider has confirmed your sign-in.').waitFor();
    await page.getByRole('button', { name: 'Use your key', exact: true }).click();
    await page.getByText('OpenID provider and key').first().waitFor();
  });
});
