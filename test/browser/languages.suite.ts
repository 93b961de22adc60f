import type { Page } from 'playwright-core';
import { TestServer } from '../support/test-server.js';
import { AdminBrowser, barriersOf, overflowOf } from './support/admin-pages.js';

const PHONE = { width: 390, height: 800 };
const GERMAN = { locale: 'de-AT', viewport: PHONE };
const FRENCH = { locale: 'fr-CH', viewport: PHONE };

describe('the console in the language of the browser', () => {
  let server: TestServer;
  let admin: AdminBrowser;

  beforeAll(async () => {
    admin = await AdminBrowser.start({
      users: [{ username: 'ada', devices: ['Security key', 'Phone'] }],
    });
    ({ server } = admin);
  });
  afterAll(() => admin.close());

  const heading = (page: Page) => page.locator('h1').innerText();

  it('shows users with German words and dates, and in English when chosen', async () => {
    const { page, complaints } = await admin.open('/userapi', GERMAN);
    expect(await page.title()).toBe('Benutzer · ServiceFido');
    expect(await overflowOf(page)).toBe(0);
    await page.getByLabel('ada auswählen').check();
    expect(await page.locator('#ticked').innerText()).toBe('1 ausgewählt:');
    await page.getByRole('link', { name: 'ada' }).click();
    await page.getByRole('heading', { name: 'Schlüssel', exact: true }).waitFor();
    // The page's script writes the times.
    await page.waitForLoadState();
    expect(await page.locator('.lead time').innerText()).toMatch(
      /^\d{2}\.\d{2}\.\d{4}, \d{2}:\d{2}$/,
    );
    await page.getByText('Text zeigen').click();
    expect(await page.locator('#ticket').innerText()).toContain('Benutzer ada bei localhost');
    expect(await overflowOf(page)).toBe(0);
    expect(complaints).toEqual([]);
    expect(await barriersOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByRole('heading', { name: 'Keys', exact: true }).waitFor();
    await page.goto(`${server.url}/userapi/audit`);
    expect(await heading(page)).toBe('Audit');
    await page.getByRole('button', { name: 'Deutsch' }).click();
    await page.getByRole('heading', { name: 'Protokoll' }).waitFor();
    await page.close();
  });

  it.each([
    ['Ihr Konto', '/console/account', GERMAN],
    ['Konten', '/console/accounts', GERMAN],
    ['Protokoll', '/userapi/audit', GERMAN],
    ['Anmelden', '/console/sign-in', GERMAN],
    ['Diese Adresse gibt es nicht.', '/nowhere', GERMAN],
    ['Utilisateurs', '/userapi', FRENCH],
    ['Connexion', '/console/sign-in', FRENCH],
    ['Vos clés pour localhost', '/my-keys?relyingParty=localhost', FRENCH],
    ['Cette adresse n’existe pas.', '/nowhere', FRENCH],
  ])('fits a phone without axe findings in %s', async (title, path, settings) => {
    const { page } = await admin.open(path, settings);
    expect(await heading(page)).toBe(title);
    expect(await overflowOf(page)).toBe(0);
    expect(await barriersOf(page)).toEqual([]);
    await page.close();
  });

  it.each([
    ['German', GERMAN, 'Dieses Gerät kann einen Schlüssel aufbewahren'],
    ['French', FRENCH, 'Cet appareil peut conserver une clé'],
  ])('names the device in %s on the demo page', async (_, settings, text) => {
    const { page } = await admin.open('/demo', settings);
    await page.getByText(text).waitFor();
    expect(await overflowOf(page)).toBe(0);
    await page.close();
  });
});
