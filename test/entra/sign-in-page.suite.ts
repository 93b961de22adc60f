import { createServer } from 'node:http';
import type { BrowserContext, Page } from 'playwright-core';
import { MINUTE_MS } from '../../src/platform/common/durations.js';
import { barriersOf, overflowOf } from '../browser/support/admin-pages.js';
import { VirtualAuthenticator } from '../browser/support/authenticator.js';
import { complaintsOf, openBrowser, type SuiteBrowser } from '../browser/support/browser.js';
import { registerOnDemo } from '../browser/support/demo-page.js';
import { addMethod, setExternalId, startEntra } from '../support/entra/entra-server.js';
import {
  EntraTenant,
  MICROSOFT,
  RETURN,
  type ExternalMethod,
} from '../support/entra/entra-tenant.js';
import { listen } from '../support/listen.js';
import type { TestServer } from '../support/test-server.js';

describe('the page of External MFA', () => {
  let server: TestServer;
  let browser: SuiteBrowser;
  let page: Page;
  let contoso: EntraTenant;
  let method: ExternalMethod;
  /** The application for which the user signs in at Entra. */
  let application: string;
  const applicationServer = createServer((_, answer) => {
    answer.setHeader('content-type', 'text/html').end('<h1>accepted</h1>');
  });
  beforeAll(async () => {
    application = `http://localhost:${await listen(applicationServer)}/`;
    contoso = await EntraTenant.create();
    [server, browser] = await Promise.all([startEntra([contoso]), openBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    applicationServer.close();
    await server.stop();
  });
  beforeEach(async () => {
    const viewport = { width: 390, height: 844 };
    page = await (await browser.newContext({ viewport, locale: 'en' })).newPage();
    await VirtualAuthenticator.add(page);
  });
  afterEach(() => page.context().close());

  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const isJudged = (verdict: string) => page.getByRole('heading', { name: verdict }).waitFor();

  it('signs a user in between the page of Entra and the application', async () => {
    await register('anna');
    const complaints = complaintsOf(page);
    await visitEntra('anna');
    await page.getByRole('heading', { name: 'Confirm your sign-in to Microsoft' }).waitFor();
    await page.getByText('anna').waitFor();
    expect(await overflowOf(page)).toBe(0);
    expect(await barriersOf(page)).toEqual([]);
    // Until then the button has no script.
    await page.waitForURL('**/sign-in/*');
    await press('Sign in with a passkey');
    await isJudged('accepted');
    expect(page.url()).toBe(application);
    expect(complaints).toEqual([]);
  });

  it('goes back to Entra without a sign-in by its button, and after a reload', async () => {
    await register('bea');
    await visitEntra('bea');
    await page.getByRole('heading', { name: 'Confirm your sign-in to Microsoft' }).waitFor();
    await page.waitForLoadState();
    await page.reload();
    await press('Go back to Microsoft');
    await isJudged('access_denied');
  });

  it('signs nobody in with the passkey of another user on the same device', async () => {
    await register('carl');
    await register('dora');
    // A script of the browser begins the ceremony of the other user.
    await page.addInitScript(`const send = window.fetch;
      window.fetch = (url, init) =>
        send(url, init?.body ? { ...init, body: init.body.replace('"carl"', '"dora"') } : init);`);
    await visitEntra('carl');
    // Until then the button has no script.
    await page.waitForURL('**/sign-in/*');
    await press('Sign in with a passkey');
    await page.getByText('This key does not belong to this name').waitFor();
    expect(page.url()).toContain('/sign-in/');
  });

  it('tells a user without a key what to do, in the reader’s language', async () => {
    await register('emil');
    await setExternalId(server, 'emil', 'oid of somebody else');
    const german = await browser.newContext({ locale: 'de' });
    page = await german.newPage();
    await visitEntra('emil');
    await page.getByRole('heading', { name: 'localhost kennt Sie noch nicht' }).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await press('Zurück zu Microsoft');
    await isJudged('access_denied');
  });

  it('sends the error of a faulty request at once', async () => {
    await register('finn');
    await visitEntra('finn', { response_type: 'code' });
    await isJudged('invalid_request');
  });

  it('has a button for the error where scripts are off', async () => {
    await register('gina');
    const context = await browser.newContext({ javaScriptEnabled: false, locale: 'en' });
    page = await context.newPage();
    await visitEntra('gina', { response_type: 'code' });
    await press('Go back to Microsoft');
    await isJudged('invalid_request');
  });

  it('ends on the Back button and a reload after the answer, and tells what to do', async () => {
    await register('hugo');
    await visitEntra('hugo');
    await page.waitForURL('**/sign-in/*');
    await press('Sign in with a passkey');
    await isJudged('accepted');
    await page.goBack();
    await page.getByText('This sign-in has ended').waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await page.reload();
    await page.getByText('This sign-in has ended').waitFor();
    // The page of Entra, whose form brings the same hint again.
    await page.goBack();
    await press('External MFA');
    await page.getByText('This sign-in has ended').waitFor();
  });

  it('signs in after the Back button to the page of Entra, and its form once more', async () => {
    await register('ines');
    await visitEntra('ines');
    await page.waitForURL('**/sign-in/*');
    await page.goBack();
    await press('External MFA');
    await page.waitForURL('**/sign-in/*');
    await press('Sign in with a passkey');
    await isJudged('accepted');
  });

  it('signs in once in two tabs with one hint, and in each tab with a hint of its own', async () => {
    await register('jana');
    await visitEntra('jana');
    await page.waitForURL('**/sign-in/*');
    const other = await page.context().newPage();
    await other.goto(`${MICROSOFT}/choose`);
    await other.getByRole('button', { name: 'External MFA' }).click();
    await other.waitForURL('**/sign-in/*');
    await press('Sign in with a passkey');
    await isJudged('accepted');
    await other.reload();
    await other.getByText('This sign-in has ended').waitFor();
    const first = await visitEntra('jana');
    await page.waitForURL('**/sign-in/*');
    const url = page.url();
    await visitEntra('jana');
    await page.waitForURL((address) => address.href.includes('/sign-in/') && address.href !== url);
    await press('Sign in with a passkey');
    await isJudged('accepted');
    await answerTo(first);
    await page.goto(url);
    await press('Sign in with a passkey');
    await isJudged('accepted');
  });

  it('says that it has ended on a page that was open for too long', async () => {
    await register('karl');
    await visitEntra('karl');
    await page.waitForURL('**/sign-in/*');
    server.clock.advance(11 * MINUTE_MS);
    await press('Sign in with a passkey');
    await page.getByText('This sign-in has ended').waitFor();
    expect(await barriersOf(page)).toEqual([]);
  });

  async function register(username: string) {
    await registerOnDemo(page, server, username);
    await setExternalId(server, username, `oid of ${username}`);
    method ??= await addMethod(server, contoso);
  }

  /** Sends the browser from Entra's page; answers the request. */
  async function visitEntra(username: string, more: Record<string, string> = {}) {
    const hint = await contoso.hint(`oid of ${username}`, { now: server.clock.now() });
    const request = contoso.request(method.clientId, hint, more);
    await answerTo(request);
    await page.goto(`${MICROSOFT}/choose`);
    await press('External MFA');
    return request;
  }

  /** Lets the browser find Entra at Microsoft's host: its page with the choice, and its judgement of the answer. */
  async function answerTo(request: URLSearchParams) {
    const context: BrowserContext = page.context();
    await context.unrouteAll();
    await context.route(`${MICROSOFT}/**`, async (route) => {
      if (!route.request().url().endsWith(RETURN)) {
        const body = formOf(`${method.issuer}/authorize`, request);
        return route.fulfill({ contentType: 'text/html', body });
      }
      const sent = new URLSearchParams(route.request().postData() ?? '');
      const verdict = await contoso.judge(method, request, Object.fromEntries(sent));
      const body = `<h1>${verdict}</h1>`;
      if (verdict !== 'accepted') return route.fulfill({ contentType: 'text/html', body });
      return route.fulfill({ status: 302, headers: { location: application } });
    });
  }
});

function formOf(action: string, request: URLSearchParams) {
  return `<form action="${action}" method="post">${[...request]
    .map(
      ([name, value]) =>
        `<input type="hidden" name="${name}" value="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}">`,
    )
    .join('')}<button>External MFA</button></form>`;
}
