import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { AuditTrail } from '../../src/audit/audit-trail.js';
import { TestServer } from '../support/test-server.js';
import { AdminBrowser, flawsOf } from './support/admin-pages.js';

const HOSTILE = `"><img src=x onerror=alert(1)>{{7*7}}`;

describe('the audit page', () => {
  let server: TestServer;
  let admin: AdminBrowser;
  beforeAll(async () => {
    admin = await AdminBrowser.start({ options: { console: 'basic' } });
    ({ server } = admin);
    for (let n = 1; n <= 120; n += 1) {
      await server.get(AuditTrail).append({
        account: n % 3 ? 'anna' : 'bert',
        role: 'helpdesk',
        address: '192.0.2.1',
        action: n % 2 ? 'credential.disable' : 'user.delete',
        tenant: 'acme',
        relyingParty: 'acme.example',
        target: n === 118 ? HOSTILE : `user-${n}@example.com`,
        result: n % 10 ? 'ok' : 'refused',
        ...(n % 10 ? {} : { code: 'E0043R' }),
        requestId: `r${n}`,
        detail: { credentials: n },
      });
    }
  });
  afterAll(() => admin.close());

  const open = (path = '/userapi/audit', options = {}) => admin.open(path, options);
  const numbers = async (page: Page) =>
    (await page.locator('.audit dt').allTextContents()).flatMap((text) =>
      text.startsWith('No. ') ? [Number(text.replace('No. ', ''))] : [],
    );

  it.each(['light', 'dark'] as const)('has no axe finding, %s', async (colorScheme) => {
    const { page, complaints } = await open('/userapi/audit?limit=30', { colorScheme });
    expect(complaints).toEqual([]);
    expect(await flawsOf(page)).toEqual([]);
    await page.close();
  });

  it('shows markup in names as text', async () => {
    const { page, complaints } = await open();
    expect(await page.locator('bdi', { hasText: HOSTILE }).count()).toBe(1);
    expect(await page.locator('main img').count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  });

  /** The page that the click opens, once it has loaded. */
  async function follow(page: Page, target: Locator): Promise<void> {
    await Promise.all([page.waitForEvent('load'), target.click()]);
  }

  it.each([true, false])(
    'searches the trail page by page, with scripts: %s',
    async (javaScriptEnabled) => {
      const { page } = await open('/userapi/audit', { javaScriptEnabled });
      expect((await numbers(page)).slice(0, 2)).toEqual([120, 119]);
      await follow(page, page.getByRole('link', { name: 'Older' }));
      expect((await numbers(page))[0]).toBe(20);
      await follow(page, page.getByRole('link', { name: 'Newest' }));
      expect((await numbers(page))[0]).toBe(120);

      await page.getByRole('textbox', { name: 'Account' }).fill('bert');
      await page.getByLabel('Result').selectOption('Refused');
      await follow(page, page.getByRole('button', { name: 'Search' }));
      expect(await numbers(page)).toEqual([120, 90, 60, 30]);
      await follow(page, page.getByRole('link', { name: 'Delete a user' }).first());
      expect(await numbers(page)).toHaveLength(60);
      await page.getByLabel('On, begins with').fill('nobody');
      await follow(page, page.getByRole('button', { name: 'Search' }));
      expect(await page.textContent('main')).toContain('No change fits this search.');
      await page.close();
    },
  );

  it('filters by days of the reader’s time zone, which the page names', async () => {
    const timezoneId = 'Pacific/Kiritimati';
    const { page, complaints } = await open('/userapi/audit', { timezoneId });
    expect(await page.locator('[data-zone]').textContent()).toBe(timezoneId);
    expect(await page.locator('tbody time').first().getAttribute('title')).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/,
    );
    await follow(page, page.getByRole('button', { name: '7 days' }));
    expect(new URL(page.url()).searchParams.get('zone')).toBe(timezoneId);
    expect((await numbers(page))[0]).toBe(120);
    await follow(page, page.getByRole('button', { name: 'Last month' }));
    expect(await page.textContent('main')).toContain('No change fits this search.');
    expect(complaints).toEqual([]);
    await page.close();
  });

  it.each([
    [50 * 60 + 30, 'in 50 minutes'],
    [20, 'in 1 minute'],
    [-20, 'just now'],
    [-2 * 86_400 - 60, '2 days ago'],
  ])('says of a time %d seconds from now: %s', async (seconds, words) => {
    const { page } = await open('/userapi/audit?limit=1');
    const shown = await page.evaluate<string>(`import('/static/js/shell.js').then((shell) => {
      const time = document.createElement('time');
      time.dateTime = new Date(Date.now() + ${seconds} * 1000).toISOString();
      time.dataset.relative = '';
      document.body.append(time);
      shell.localiseTimes(document.body);
      return time.textContent;
    })`);
    expect(shown).toBe(words);
    await page.close();
  });

  it('offers the shown rows of the trail as a file', async () => {
    const { page } = await open('/userapi/audit?account=bert');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('audit.csv');
    const rows = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(rows).toHaveLength(41);
    await page.close();
  });
});
