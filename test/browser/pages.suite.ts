import type { BrowserContextOptions, Page } from 'playwright-core';
import { ADMIN, TestServer } from '../support/test-server.js';
import { overflowOf } from './support/admin-pages.js';
import { complaintsOf, openBrowser, type SuiteBrowser } from './support/browser.js';

const PAGES = ['/', '/userapi/aaguid', '/demo', '/docs', '/status', '/getversion'];

describe('pages in a browser', () => {
  let server: TestServer;
  let browser: SuiteBrowser;

  beforeAll(async () => {
    [server, browser] = await Promise.all([
      TestServer.start({ options: { console: 'basic' } }),
      openBrowser(),
    ]);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  const visit = async (path: string, options: BrowserContextOptions = {}) => {
    const page = await browser.newPage({
      httpCredentials: { username: ADMIN.user, password: ADMIN.password },
      ...options,
    });
    const complaints = complaintsOf(page);
    const response = await page.goto(server.url + path);
    return { page, complaints, response };
  };
  const background = (page: Page) =>
    page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');

  it.each(PAGES)(
    '%s conforms to its strict CSP without errors and fits a narrow screen',
    async (path) => {
      const { page, complaints, response } = await visit(path);
      expect(response?.status()).toBe(200);
      const policy = response?.headers()['content-security-policy'];
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(await page.locator('main > h1').count()).toBe(1);
      expect(complaints).toEqual([]);
      await page.setViewportSize({ width: 360, height: 720 });
      expect(await overflowOf(page)).toBe(0);
      await page.close();
    },
  );

  it('show the console menu on every page to a signed-in account, and never to visitors', async () => {
    const entries = (page: Page) => page.locator('.site-header nav a').allTextContents();
    const administration = [
      ...['Dashboard', 'Findings', 'Users', 'Models', 'Adoption', 'Tenants'],
      ...['Accounts', 'Invoices', 'Audit'],
    ];
    const visitor = await browser.newPage();
    for (const path of ['/demo', '/docs', '/status', '/getversion', '/nowhere']) {
      await visitor.goto(server.url + path);
      expect(await entries(visitor)).toEqual(['Status', 'Demo', 'API']);
    }
    await visitor.close();
    const { page } = await visit('/');
    for (const path of ['/', '/demo', '/nowhere']) {
      await page.goto(server.url + path);
      expect(await entries(page)).toEqual([...administration, 'Status', 'Demo', 'API']);
    }
    await page.close();
  });

  it('require the administrator’s name and password on the dashboard', async () => {
    const response = await fetch(server.url, { headers: { accept: 'text/html' } });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toMatch(/^Basic /);
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
    expect(await response.text()).toContain('E0042R');
  });

  it('show figures, relying parties and the warning of open registration on the dashboard', async () => {
    const { page } = await visit('/');
    expect(await page.textContent('main')).toContain('Registration is open.');
    expect(await page.locator('.figure').allTextContents()).toHaveLength(7);
    expect(await page.getByRole('row', { name: /^localhost/ }).count()).toBe(1);
    await page.close();
  });

  it('list the parts and their state on the status page', async () => {
    const { page } = await visit('/status');
    expect(await page.textContent('main')).toContain('The server answers.');
    expect(await page.locator('.badge.good').allTextContents()).toEqual([' up', ' up']);
    await page.close();
  });

  it('show on the status page that the server no longer answers, and that it is back', async () => {
    const { page } = await visit('/status');
    const look = () => page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await page.route('**/status', (route) => route.abort());
    await look();
    await page.getByText('This server no longer answers.').waitFor();
    await page.unroute('**/status');
    await look();
    await page.getByText('This server no longer answers.').waitFor({ state: 'detached' });
    expect(await page.textContent('main')).toContain('The server answers.');
    await page.close();
  });

  it('keep the focus while the status page is renewed', async () => {
    const page = await browser.newPage();
    await page.goto(`${server.url}/status`);
    await page.locator('main [role="group"]').first().focus();
    await page.route('**/status', async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace('The server answers.', 'It answers again.');
      await route.fulfill({ response, body });
    });
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await page.getByText('It answers again.').waitFor();
    expect(await page.locator('[role="group"]:focus').count()).toBe(1);
    await page.close();
  });

  it('explain an unknown page and what to do', async () => {
    const { page, response } = await visit('/nowhere');
    expect(response?.status()).toBe(404);
    const text = await page.textContent('main');
    expect(text).toContain('E0047R');
    expect(text).toContain('Check the address');
    expect(text).toContain(response?.headers()['x-request-id']);
    await page.close();
  });

  it('explain how to enable a feature that is off', async () => {
    const { page, response } = await visit('/userapi/mds');
    expect(response?.status()).toBe(404);
    const text = await page.textContent('main');
    expect(text).toContain('start the server with --mds');
    expect(text).not.toContain('Check the address');
    await page.close();
  });

  it('move the demo from a loopback address to localhost', async () => {
    const page = await browser.newPage();
    await page.goto(`${server.url.replace('localhost', '127.0.0.1')}/demo`);
    expect(page.url()).toBe(`${server.url}/demo`);
    await page.close();
  });

  it('follow the system’s colour theme until one is chosen, which is kept', async () => {
    const { page } = await visit('/status', { colorScheme: 'dark' });
    const dark = await background(page);
    await page.getByRole('button', { name: 'Light' }).click();
    const light = await background(page);
    expect(light).not.toBe(dark);
    await page.reload();
    expect(await background(page)).toBe(light);
    await page.getByRole('button', { name: 'System' }).click();
    expect(await background(page)).toBe(dark);
    await page.close();
  });

  it('pages are readable without JavaScript', async () => {
    const { page } = await visit('/demo', { javaScriptEnabled: false });
    expect(await page.textContent('main')).toContain('This page needs JavaScript.');
    expect(await page.getByRole('group', { name: 'Colour theme' }).count()).toBe(0);
    await page.close();
  });
});
