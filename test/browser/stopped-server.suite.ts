import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { createServerDatabase } from '../support/server-database.js';
import type { TestDatabase } from '../support/databases.js';
import { settle } from '../support/settled-users.js';
import { countOf, relyingPartyOf } from '../support/rows.js';
import { freePort } from '../support/server-process.js';
import { TestServer } from '../support/test-server.js';
import { AdminBrowser, barriersOf, overflowOf } from './support/admin-pages.js';
import { openBrowser, type SuiteBrowser } from './support/browser.js';

const USER = '/userapi/user?rp=localhost&name=ada';
const REASON = 'lost in the park';

describe('a form that is sent while the server is stopped', () => {
  let database: TestDatabase;
  let server: TestServer;
  let browser: SuiteBrowser;
  let admin: AdminBrowser;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'servicefido-list-'));
    database = await createServerDatabase('SQLite');
    // It starts again at the same port, which nobody else may get meanwhile.
    const port = await freePort();
    [server, browser] = await Promise.all([TestServer.start({ database, port }), openBrowser()]);
    admin = new AdminBrowser(browser, server);
    await settle(server, relyingPartyOf(server, 'localhost'), [
      { username: 'ada', devices: ['Security key', 'Phone', 'Tablet'] },
    ]);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
    await database.remove();
    rmSync(folder, { recursive: true });
  });

  const disabledKeys = () => countOf(server, 'credentials WHERE enabled = 0');
  const alert = (page: Page) => page.getByRole('alert');
  const startAgain = async () => {
    const port = Number(new URL(server.url).port);
    server = await TestServer.start({ database, port });
  };

  it.each([
    ['en-GB', 'The server cannot be reached. Your entries are kept; try again in a moment.'],
    [
      'de-DE',
      'Der Server ist nicht erreichbar. Ihre Eingaben bleiben erhalten; versuchen Sie es gleich noch einmal.',
    ],
    [
      'fr-FR',
      'Le serveur est injoignable. Votre saisie est conservée\u202f; réessayez dans un instant.',
    ],
  ])('says so beside the button in %s, and keeps the input', async (locale, sentence) => {
    const { page } = await admin.open(USER, { locale, viewport: { width: 390, height: 800 } });
    const form = page.locator('form:has(button[value="disable-key"])').first();
    const reason = form.locator('[name="reason"]');
    const disable = form.locator('button');
    const said = form.getByRole('alert');
    await reason.fill(REASON);
    await server.stop();
    await disable.click();
    await said.waitFor();
    expect(await said.innerText()).toBe(sentence);
    expect(await reason.inputValue()).toBe(REASON);
    expect(await overflowOf(page)).toBe(0);
    expect(await barriersOf(page)).toEqual([]);
    await disable.click();
    await said.waitFor();
    expect(await said.count()).toBe(1);
    await startAgain();
    const before = await disabledKeys();
    await disable.dblclick();
    await page.locator('.notice.good').waitFor();
    expect(await disabledKeys()).toBe(before + 1);
    expect(await page.getByText(REASON).count()).toBeGreaterThan(0);
    await page.close();
  });

  it('keeps a chosen file, which a second press uploads', async () => {
    const list = join(folder, 'leavers.csv');
    writeFileSync(list, 'name\nada\n');
    const { page } = await admin.open('/userapi/deletelistusers');
    await page.locator('input[type="file"]').setInputFiles(list);
    await server.stop();
    const check = page.locator('form:has(input[type="file"]) button[type="submit"]');
    await check.click();
    await alert(page).waitFor();
    await startAgain();
    await check.click();
    await page.locator('.steps [aria-current]', { hasText: 'Preview' }).waitFor();
    await page.close();
  });

  it('says so if a proxy answers in its place, and sends nothing', async () => {
    const { page } = await admin.open('/console/accounts');
    await page.getByLabel('Name', { exact: true }).fill('late');
    await page.route('**/health/live', (route) => route.fulfill({ status: 502 }));
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await alert(page).waitFor();
    expect(await countOf(server, 'console_accounts')).toBe(0);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('textbox', { name: 'Setup link' }).waitFor();
    expect(await countOf(server, 'console_accounts')).toBe(1);
    await page.close();
  });
});
