import type { Page } from 'playwright-core';
import { AdminBrowser, barriersOf } from './support/admin-pages.js';

const LANGUAGES = [
  ['en-GB', 'Loading…'],
  ['de-DE', 'Wird geladen …'],
  ['fr-FR', 'Chargement…'],
] as const;

describe('a search whose answer takes long', () => {
  let admin: AdminBrowser;
  beforeAll(async () => {
    admin = await AdminBrowser.start({ users: ['ada', 'bert'] });
  });
  afterAll(() => admin.close());

  const sign = (page: Page) => page.locator('.busy-sign');
  const shown = (page: Page, text: string) => sign(page).getByText(text, { exact: true }).waitFor();
  const isEnded = (page: Page) => page.locator('.busy-sign:empty').waitFor({ state: 'attached' });
  /** Holds the requests of an address until the returned function is called. */
  async function hold(page: Page, address: string): Promise<() => void> {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route(address, async (route) => {
      await released;
      // A search that was replaced by the next one wants no answer.
      await route.continue().catch(() => undefined);
    });
    return release;
  }

  it.each(LANGUAGES)(
    'says so in %s, moves nothing, and stops when it ends',
    async (locale, text) => {
      const { page, complaints } = await admin.open('/userapi', { locale });
      const search = page.locator('#search');
      const place = () => page.locator('#results').boundingBox();
      const before = await place();
      const release = await hold(page, '**/userapi?*');
      await search.locator('input[type="search"]').fill('ber');
      await shown(page, text);
      expect(await search.getAttribute('aria-busy')).toBe('true');
      expect(await place()).toEqual(before);
      const asked = page.waitForRequest(/bert/);
      await search.locator('input[type="search"]').fill('bert');
      await asked;
      expect(await sign(page).innerText()).toBe(text);
      expect(await sign(page).getAttribute('aria-live')).toBe('polite');
      expect(await page.evaluate<number>('document.getAnimations().length')).toBe(0);
      expect(complaints).toEqual([]);
      expect(await barriersOf(page)).toEqual([]);
      release();
      await isEnded(page);
      expect(await search.getAttribute('aria-busy')).toBeNull();
      expect(await page.locator('tbody th a').allTextContents()).toEqual(['bert']);
      await page.close();
    },
  );

  it('says so for the search of the header, and for a page of the menu', async () => {
    const { page } = await admin.open('/userapi');
    const release = await hold(page, '**/userapi/search?*');
    await page.locator('#one-search input').fill('bert');
    await shown(page, 'Loading…');
    expect(await page.locator('#one-search').getAttribute('aria-busy')).toBe('true');
    release();
    await isEnded(page);
    // A held navigation would hold this test too: the page stays, after its own script has seen the click.
    await page.evaluate(`addEventListener('click', (event) => event.preventDefault())`);
    await page.getByRole('link', { name: 'Audit', exact: true }).click();
    await shown(page, 'Loading…');
    await page.keyboard.press('Escape');
    await isEnded(page);
    await page.close();
  });

  it('says nothing more after the reader stopped the page that was loading', async () => {
    const { page } = await admin.open('/userapi');
    const release = await hold(page, '**/userapi/audit');
    // While a page is loading, only its own script can read it.
    await page.evaluate(`addEventListener('click', () => setTimeout(() => {
      window.saidBefore = document.querySelector('.busy-sign').textContent;
      stop();
    }, 1000))`);
    const audit = page.getByRole('link', { name: 'Audit', exact: true });
    await Promise.all([page.waitForEvent('requestfailed'), audit.click({ noWaitAfter: true })]);
    await isEnded(page);
    expect(await page.evaluate('window.saidBefore')).toBe('Loading…');
    release();
    await page.close();
  });

  it('says nothing more after the server stopped answering', async () => {
    const { page } = await admin.open('/userapi');
    const release = await hold(page, '**/userapi?*');
    await page.locator('#search input[type="search"]').fill('bert');
    await shown(page, 'Loading…');
    await page.route('**/userapi?*', (route) => route.abort());
    await page.locator('#search input[type="search"]').fill('ber');
    await page.getByRole('alert').waitFor();
    await isEnded(page);
    release();
    await page.close();
  });
});
