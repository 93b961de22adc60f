import type { BrowserContext, Page } from 'playwright-core';
import { adminClient } from '../support/client.js';
import { ADMIN, TestServer } from '../support/test-server.js';
import { VirtualAuthenticator } from './support/authenticator.js';
import { barriersOf, flawsOf, overflowOf } from './support/admin-pages.js';
import { complaintsOf, openBrowser, type SuiteBrowser } from './support/browser.js';
import { contrastOf } from './support/contrast.js';

const PAGES = [
  '/docs',
  ...['completeRegistration', 'deleteList'].map((id) => `/docs/operations/${id}`),
];

interface Tried {
  readonly status: string;
  readonly text: string;
}

describe('the API pages in a browser', () => {
  let server: TestServer;
  let browser: SuiteBrowser;
  let context: BrowserContext;
  let key: string;

  beforeAll(async () => {
    [server, browser] = await Promise.all([TestServer.start(), openBrowser()]);
    context = await browser.newContext();
    const { body } = await adminClient(server.url).post('/tenantapi/keys', {
      name: 'docs',
      tenant: 'default',
      scopes: ['users:read', 'ceremonies'],
    });
    key = body['secret'] as string;
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  const address = () => server.url.replace('127.0.0.1', 'localhost');

  it.each(PAGES)('%s has no axe finding, light and dark, on a phone', async (path) => {
    const page = await context.newPage();
    await page.setViewportSize({ width: 390, height: 844 });
    const complaints = complaintsOf(page);
    await page.goto(address() + path);
    expect(await overflowOf(page)).toBe(0);
    expect(complaints).toEqual([]);
    expect(await flawsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await barriersOf(page)).toEqual([]);
    await page.close();
  });

  it('the API pages give every control a border in forced colours', async () => {
    const page = await open('createTenant');
    await page.emulateMedia({ forcedColors: 'active' });
    for (const part of ['#try-form select', '#try-form textarea', '#try-form button']) {
      expect(await contrastOf(page, part, 'border-top-color')).toBeGreaterThanOrEqual(3);
    }
    await page.close();
  });

  it('the API pages are readable without JavaScript, including the call by curl', async () => {
    const page = await browser.newPage({ javaScriptEnabled: false });
    await page.goto(`${address()}/docs`);
    await page.getByRole('link', { name: 'POST /userapi/tickets' }).click();
    await page.waitForURL(`${address()}/docs/operations/issueTicket`);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('ticket');
    const text = await page.textContent('main');
    for (const words of [
      'relyingParty',
      'E0043R',
      'Trying calls here needs JavaScript',
      'curl -X',
    ]) {
      expect(text).toContain(words);
    }
    expect(await page.getByRole('button', { name: /^Send/ }).count()).toBe(0);
    await page.close();
  });

  it('find calls by words, and link to each call', async () => {
    const page = await context.newPage();
    await page.goto(`${address()}/docs`);
    await page.getByLabel('Find a call').fill('post ticket');
    expect(await page.locator('.operations li:visible').count()).toBe(1);
    expect(await page.locator('.find [role=status]').textContent()).toMatch(/^1 of \d+ calls$/);
    await page.locator('.operations li:visible a').click();
    await page.waitForURL(`${address()}/docs/operations/issueTicket`);
    await page.close();
  });

  it('try calls without credentials: JSON and text', async () => {
    const page = await open('isLive');
    expect((await send(page)).status).toContain('200');
    await open('getMetrics', page);
    expect((await send(page)).text).toContain('# HELP');
    await page.close();
  });

  it('try an account’s calls: POST, PATCH and DELETE with the defaults', async () => {
    const page = await context.newPage();
    const complaints = complaintsOf(page);
    for (const id of ['createTenant', 'changeTenant', 'createRelyingParty', 'removeTenant']) {
      await open(id, page);
      await asAccount(page);
      const { status, text } = await send(page);
      expect([id, status]).toEqual([id, expect.stringMatching(/20[01]/)]);
      expect(JSON.parse(text)).toMatchObject({ status: 'ok' });
    }
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('try uploads: a text of the page or a file', async () => {
    const page = await open('uploadList');
    await asAccount(page);
    expect(JSON.parse((await send(page)).text)).toMatchObject({ total: 2 });
    await page.getByLabel('Or a file of yours').setInputFiles({
      name: 'list.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('anna\nbert\ncleo\n'),
    });
    expect(JSON.parse((await send(page)).text)).toMatchObject({ total: 3 });
    await open('deleteList', page);
    await asAccount(page);
    await page.getByLabel('Send the body as').selectOption('multipart/form-data');
    expect(JSON.parse((await send(page)).text)).toMatchObject({ total: 2, missing: 2 });
    await page.close();
  });

  it('try an application key’s calls, by the relying party of the header', async () => {
    const page = await open('listUsers');
    await asApplication(page);
    await page.getByLabel('X-ServiceFido-RelyingParty').fill('localhost');
    expect(JSON.parse((await send(page)).text)).toMatchObject({ status: 'ok' });
    await page.getByLabel('X-ServiceFido-RelyingParty').fill('nowhere.example');
    const refused = await send(page);
    expect(refused.status).toContain('400');
    expect(JSON.parse(refused.text)).toMatchObject({ errorCode: 'E0025R' });
    await page.close();
  });

  it.each(['a cookie', 'an application key'])(
    'try both ceremonies with an authenticator, by %s',
    async (by) => {
      const page = await context.newPage();
      await VirtualAuthenticator.add(page);
      for (const id of ['completeRegistration', 'completeAuthenticationAlias']) {
        await open(id, page);
        if (by !== 'a cookie') await asApplication(page);
        await page.getByLabel('User name').fill(by);
        await page.getByRole('button', { name: 'Fill in the body' }).click();
        await page.getByText('The body is filled in').waitFor();
        const { status, text } = await send(page);
        expect([id, status, text]).toEqual([id, expect.stringContaining('200'), text]);
        expect(JSON.parse(text)).toMatchObject({ status: 'ok', username: by });
      }
      await page.close();
    },
  );

  it('the API pages report a missing answer', async () => {
    const page = await open('isLive', await browser.newPage());
    await page.context().setOffline(true);
    await page.getByRole('button', { name: /^Send/ }).click();
    await page.getByText('There was no answer.').waitFor();
    await page.close();
  });

  async function open(id: string, page?: Page): Promise<Page> {
    const opened = page ?? (await context.newPage());
    await opened.goto(`${address()}/docs/operations/${id}`);
    await opened.getByRole('button', { name: /^Send/ }).waitFor();
    return opened;
  }

  /** Presses the button, and reads what the page shows of the answer. */
  async function send(page: Page): Promise<Tried> {
    await page.locator('#outcome').evaluate('(node) => node.replaceChildren()');
    await page.getByRole('button', { name: /^Send/ }).click();
    const status = await page.locator('#outcome .badge').textContent();
    const text = await page.getByRole('region', { name: 'Body of the answer' }).textContent();
    return { status: status ?? '', text: text ?? '' };
  }

  async function asAccount(page: Page): Promise<void> {
    await page.getByLabel('Credentials').selectOption('basic');
    await page.getByLabel('Name of the account').fill(ADMIN.user);
    await page.getByLabel('Password', { exact: true }).fill(ADMIN.password);
  }

  async function asApplication(page: Page): Promise<void> {
    await page.getByLabel('Credentials').selectOption('bearer');
    await page.getByLabel('Application key', { exact: true }).fill(key);
  }
});
