import type { Page } from 'playwright-core';
import { TestServer } from '../support/test-server.js';
import { openBrowser, type SuiteBrowser } from './support/browser.js';
import { Sdk } from './support/sdk.js';

/** To a browser, plain HTTP is secure only from this machine (W3C Secure Contexts §3.1). */
describe('a page over plain HTTP, of another host than localhost', () => {
  let server: TestServer;
  let browser: SuiteBrowser;
  let page: Page;
  let base: string;
  beforeAll(async () => {
    [server, browser] = await Promise.all([TestServer.start(), openBrowser()]);
    base = `http://fido.test:${new URL(server.url).port}`;
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });
  beforeEach(async () => {
    page = await browser.newPage();
  });
  afterEach(() => page.close());

  it.each([
    ['/my-keys?relyingParty=localhost', 'Keys need HTTPS.'],
    ['/enrol', 'Keys need HTTPS.'],
    ['/demo', 'Keys need HTTPS.'],
    ['/demo#nameless', 'Keys need HTTPS.'],
    ['/console/sign-in', 'A session needs HTTPS.'],
  ])('explains on %s that HTTPS is required', async (path, words) => {
    await page.goto(base + path);
    await page.getByText(words).first().waitFor();
  });

  it('makes every call of the SDK fail with the reason that HTTPS is required', async () => {
    await page.goto(`${base}/sdk/servicefido.d.ts`);
    const sdk = new Sdk(page, base);
    const message = 'Keys need HTTPS: this page was opened over plain HTTP.';
    for (const { error } of [
      await sdk.register({ username: 'ada', displayName: 'Ada' }),
      await sdk.authenticate({ username: 'ada' }),
      await sdk.signIn(),
      await sdk.autofill(),
    ]) {
      expect(error).toMatchObject({ kind: 'insecure', message });
    }
  });
});
