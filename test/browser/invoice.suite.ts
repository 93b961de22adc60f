import { FidoClient } from '../support/fido-client.js';
import { countOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';
import { AdminBrowser, flawsOf, overflowOf } from './support/admin-pages.js';
import type { SuiteBrowser } from './support/browser.js';

describe('the invoice pages', () => {
  let server: TestServer;
  let browser: SuiteBrowser;
  let admin: AdminBrowser;
  beforeAll(async () => {
    admin = await AdminBrowser.start();
    ({ server, browser } = admin);
    const ann = new FidoClient(server.url);
    await ann.register('ann');
    await ann.signIn('ann');
    await server.addRelyingParty('default', { domain: 'sign-in.customers.nordbank.test' });
  });
  afterAll(() => admin.close());

  /** The page of the current month: the last one, with which it begins, has no figures yet. */
  const thisMonth = () => `/userapi/invoice?date=${server.clock.today()}`;

  it('conform to the strict CSP, draw the trend and fit a narrow screen', async () => {
    const { page, complaints } = await admin.open(thisMonth());
    expect(await page.locator('#trend-chart canvas').count()).toBe(1);
    expect(await page.locator('#trend tr[data-month]').count()).toBe(12);
    expect(await page.textContent('main')).toContain('localhost');
    await page.setViewportSize({ width: 360, height: 720 });
    expect(await overflowOf(page)).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('name the months of the trend in the language of the page', async () => {
    const { page } = await admin.open('/userapi/invoice', { locale: 'de-DE' });
    // A canvas contains no text afterwards, so this records what is drawn on it.
    await page.addInitScript(`
      const write = CanvasRenderingContext2D.prototype.fillText;
      globalThis.written = [];
      CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
        written.push(text);
        return write.call(this, text, ...rest);
      };`);
    await page.reload();
    const months = await page.waitForFunction('written.length > 12 && written');
    const written = await months.jsonValue();
    expect(written).toContain('Dez');
    expect(written).not.toContain('Dec');
    await page.close();
  });

  it.each(['light', 'dark'] as const)(
    'the invoice pages have no axe finding, %s',
    async (scheme) => {
      for (const path of [thisMonth(), '/userapi/invoice', '/userapi/invoices']) {
        const { page } = await admin.open(path, { colorScheme: scheme });
        expect(await flawsOf(page)).toEqual([]);
        await page.close();
      }
    },
  );

  it('the invoice pages show another month by a form without scripts', async () => {
    const { page } = await admin.open('/userapi/invoice', { javaScriptEnabled: false });
    const press = (button: string) => Promise.all([page.waitForEvent('load'), page.click(button)]);
    await page.click('summary');
    await page.fill('#date', '2026-02-28');
    await press('details button');
    expect(await page.textContent('.lead')).toBe('1 February 2026 to 28 February 2026 (UTC)');
    expect(await page.inputValue('#date')).toBe('2026-02-28');
    expect(await page.inputValue('#month')).toBe('2026-02-28');
    await page.selectOption('#month', { index: 1 });
    await press('.find button');
    expect(await page.inputValue('#date')).toBe(await page.inputValue('#month'));
    await page.close();
  });

  it('print only the invoice itself', async () => {
    const { page } = await admin.open(thisMonth());
    await page.emulateMedia({ media: 'print' });
    for (const part of ['.site-header', '.invoice-tools', '.invoice-issue', '.invoice-trend']) {
      expect(await page.locator(part).isVisible()).toBe(false);
    }
    expect(await page.locator('.invoice-tenant').first().isVisible()).toBe(true);
    expect((await page.pdf({ preferCSSPageSize: true })).subarray(0, 4).toString()).toBe('%PDF');
    await page.close();
  });

  it.each(['en-GB', 'de-DE'])('print every column on A4, in %s', async (locale) => {
    const { page } = await admin.open(thisMonth(), { locale });
    await page.emulateMedia({ media: 'print' });
    // A4 without the margins of the sheet.
    await page.setViewportSize({ width: Math.floor(((210 - 2 * 15) / 25.4) * 96), height: 900 });
    expect(await overflowOf(page)).toBe(0);
    const beyond = await page.$$eval('.table-scroll', (frames) =>
      frames.map((frame) => frame.scrollWidth - frame.clientWidth),
    );
    expect(beyond.filter((width) => width > 0)).toEqual([]);
    await page.close();
  });

  it('save an invoice as CSV and JSON', async () => {
    const { page } = await admin.open(thisMonth());
    for (const form of ['csv', 'json']) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.click(`[download$=".${form}"]`),
      ]);
      const today = await page.inputValue('#date');
      expect(download.suggestedFilename()).toBe(`invoice-preview-default-${today}.${form}`);
    }
    await page.close();
  });

  it('issue a numbered invoice only after confirmation, and list it', async () => {
    const { page, complaints } = await admin.open(thisMonth());
    expect(await page.textContent('.invoice-issue button')).toMatch(
      /^Store interim statement up to /,
    );
    await page.click('.invoice-issue button');
    expect(await countOf(server, 'invoices')).toBe(0);
    await page.check('.invoice-issue input[type=checkbox]');
    await Promise.all([
      page.waitForURL('**/userapi/invoices/S-1'),
      page.click('.invoice-issue button'),
    ]);
    expect(await page.textContent('h1')).toBe('Statement S-1');
    expect(await page.locator('.invoice-issue').count()).toBe(0);
    await Promise.all([page.waitForURL('**/userapi/invoices'), page.click('text=Stored invoices')]);
    expect(await page.locator('tbody tr').count()).toBe(1);
    await page.setViewportSize({ width: 360, height: 720 });
    expect(await overflowOf(page)).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('print the sums before the figures, which go on on the next page, and no empty page', async () => {
    const full = await TestServer.start();
    for (let n = 0; n < 30; n += 1) {
      await full.addRelyingParty('long', { domain: `login-${n}.long.example` });
    }
    const { page } = await new AdminBrowser(browser, full).open(`${thisMonth()}&tenant=long`);
    const headings = await page.locator('.invoice-tenant th[scope=col]').allTextContents();
    expect(headings.indexOf('Amount')).toBeLessThan(headings.indexOf('Relying party'));
    const sheets = await page.pdf({ preferCSSPageSize: true });
    expect(sheets.toString('latin1').match(/\/Type \/Page\b/g)).toHaveLength(2);
    await page.context().close();
    await full.stop();
  });
});
