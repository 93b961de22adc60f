import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { FidoClient } from '../support/fido-client.js';
import { countOf } from '../support/rows.js';
import { ADMIN, TestServer } from '../support/test-server.js';
import { complaintsOf, openBrowser } from './support/browser.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

describe('the invoice pages', () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([TestServer.start(), openBrowser()]);
    const ann = new FidoClient(server.url);
    await ann.register('ann');
    await ann.signIn('ann');
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  const visit = async (path: string, options: Parameters<Browser['newPage']>[0] = {}) => {
    const page = await browser.newPage({
      httpCredentials: { username: ADMIN.user, password: ADMIN.password },
      ...options,
    });
    const complaints = complaintsOf(page);
    await page.goto(server.url + path);
    return { page, complaints };
  };
  const widerThanScreen = (page: Page) =>
    page.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );

  it('hold under the strict CSP, draw the trend and fit a narrow screen', async () => {
    const { page, complaints } = await visit('/userapi/invoice');
    expect(await page.locator('#trend-chart canvas').count()).toBe(1);
    expect(await page.locator('#trend tr[data-month]').count()).toBe(12);
    expect(await page.textContent('main')).toContain('localhost');
    await page.setViewportSize({ width: 360, height: 720 });
    expect(await widerThanScreen(page)).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it.each(['light', 'dark'] as const)('have no barrier that axe knows of, %s', async (scheme) => {
    for (const path of ['/userapi/invoice', '/userapi/invoices']) {
      const { page } = await visit(path, { colorScheme: scheme });
      await page.evaluate(AXE);
      const { violations } = await page.evaluate<AxeResults>('axe.run()');
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
      await page.close();
    }
  });

  it('show another month by a form that needs no script', async () => {
    const { page } = await visit('/userapi/invoice', { javaScriptEnabled: false });
    await page.fill('#date', '2026-02-28');
    await page.click('.invoice-date button');
    expect(await page.textContent('.lead')).toBe('1 February 2026 to 28 February 2026 (UTC)');
    expect(await page.inputValue('#date')).toBe('2026-02-28');
    await page.close();
  });

  it('print the sheet alone', async () => {
    const { page } = await visit('/userapi/invoice');
    await page.emulateMedia({ media: 'print' });
    for (const part of ['.site-header', '.invoice-tools', '.invoice-issue', '.invoice-trend']) {
      expect(await page.locator(part).isVisible()).toBe(false);
    }
    expect(await page.locator('.invoice-tenant').first().isVisible()).toBe(true);
    expect((await page.pdf({ preferCSSPageSize: true })).subarray(0, 4).toString()).toBe('%PDF');
    await page.close();
  });

  it('save CSV and JSON', async () => {
    const { page } = await visit('/userapi/invoice');
    for (const form of ['csv', 'json']) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.click(`[data-download=${form}]`),
      ]);
      expect(download.suggestedFilename()).toBe(`invoice.${form}`);
    }
    await page.close();
  });

  it('issue a numbered invoice only when that is confirmed, and list it', async () => {
    const { page, complaints } = await visit('/userapi/invoice');
    await page.click('.invoice-issue button');
    expect(await countOf(server, 'invoices')).toBe(0);
    await page.check('.invoice-issue input[type=checkbox]');
    await Promise.all([
      page.waitForURL('**/userapi/invoices/1'),
      page.click('.invoice-issue button'),
    ]);
    expect(await page.textContent('h1')).toBe('Invoice 1');
    expect(await page.locator('.invoice-issue').count()).toBe(0);
    await Promise.all([
      page.waitForURL('**/userapi/invoices'),
      page.click('text=Numbered invoices'),
    ]);
    expect(await page.locator('tbody tr').count()).toBe(1);
    await page.setViewportSize({ width: 360, height: 720 });
    expect(await widerThanScreen(page)).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  });
});
