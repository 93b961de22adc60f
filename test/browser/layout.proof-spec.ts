import type { Page } from 'playwright-core';
import { languages } from '../../src/platform/pages/languages/languages.js';
import { overflowOf } from './support/admin-pages.js';
import { showState } from './support/every-page.js';
import { FurnishedPages } from './support/furnished-pages.js';
import { brokenPartsOf, crowdedPartsOf, widenLetters } from './support/layout-flaws.js';

const WIDTHS = [1280, 390];
/** As if our font had not loaded and the machine's font were wider. */
const WIDTHS_OF_WIDER_FONT = [360, 768];
/** Pages with tables, or with names and buttons in a narrow column. */
const TEMPLATES = new Set([
  ...['account', 'accounts', 'adoption', 'application-keys', 'audit', 'bulk-preview', 'dashboard'],
  ...['delete-list', 'deleted', 'finding-keys', 'inbox', 'invitation', 'invited', 'invoice'],
  ...['invoices'],
  ...['metadata', 'models', 'relying-party', 'status', 'tenant', 'user', 'users', 'webhooks'],
]);

/** Where long words have the least room: a phone, and the narrowest window in which tables keep their columns. */
const WIDTHS_OF_LONG_WORDS = { fr: [360, 1024], de: [1024] };
const MOST_BYTES = 100_000;

describe('the layout of every page', () => {
  let pages: FurnishedPages;
  beforeAll(async () => {
    pages = await FurnishedPages.open();
  });
  afterAll(() => pages.close());

  it('overlaps nothing, cuts off and breaks nothing, with a wider font too, and has one solid button at most', async () => {
    const found: string[] = [];
    // One tab for all: a new one would take as long as the page.
    const { page } = await pages.admin.open('/health/live');
    for (const state of pages.states) {
      const name = `${state.template}, ${state.state}`;
      const hasTables = TEMPLATES.has(state.template);
      await showState(page, pages.server, state);
      for (const width of WIDTHS) {
        const wide = await tooWideAt(page, width);
        const broken = hasTables ? await brokenPartsOf(page) : [];
        const flaws = [...wide, ...(await crowdedPartsOf(page)), ...broken];
        found.push(...flaws.map((flaw) => `${name}, ${width} px: ${flaw}`));
      }
      if (!hasTables) continue;
      await widenLetters(page);
      for (const width of WIDTHS_OF_WIDER_FONT) {
        const flaws = [...(await tooWideAt(page, width)), ...(await brokenPartsOf(page))];
        found.push(...flaws.map((flaw) => `${name}, wider font, ${width} px: ${flaw}`));
      }
    }
    await page.close();
    expect(found).toEqual([]);
  });

  it('contains its texts in French, in at most 100 KB with all files and headers for a new browser', async () => {
    const { page } = await pages.admin.open('/health/live', { locale: 'fr' });
    const network = await page.context().newCDPSession(page);
    await network.send('Network.enable');
    await network.send('Network.setCacheDisabled', { cacheDisabled: true });
    let bytes = 0;
    network.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));

    const weights: Record<string, number> = {};
    const found: string[] = [];
    for (const [path, hasTables] of pathsOf(pages)) {
      bytes = 0;
      await page.goto(pages.server.url + path, { waitUntil: 'load' });
      await page.evaluate('document.fonts.ready.then(() => 0)');
      weights[path] = bytes;
      if (hasTables) found.push(...(await longWordsOf(page, path, WIDTHS_OF_LONG_WORDS.fr)));
    }
    await page.close();
    expect(found).toEqual([]);
    const heavy = Object.entries(weights).filter(([, bytes]) => bytes > MOST_BYTES);
    expect(heavy).toEqual([]);
    expect(Math.min(...Object.values(weights))).toBeGreaterThan(MOST_BYTES / 4);
  });

  it('contains its texts in German', async () => {
    const { page } = await pages.admin.open('/health/live', { locale: 'de' });
    const found: string[] = [];
    for (const [path, hasTables] of pathsOf(pages)) {
      if (!hasTables) continue;
      await page.goto(pages.server.url + path);
      found.push(...(await longWordsOf(page, path, WIDTHS_OF_LONG_WORDS.de)));
    }
    await page.close();
    expect(found).toEqual([]);
  });

  it('has a font of its own, whatever fonts the machine has', async () => {
    const { page, complaints } = await pages.admin.open('/status');
    const fonts = page.evaluate<string[]>(
      `document.fonts.ready.then((fonts) => [...fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family))`,
    );
    expect(new Set(await fonts)).toEqual(new Set(['Source Sans 3 Variable']));
    expect(complaints).toEqual([]);
    const path = '/assets/source-sans/files/source-sans-3-latin-wght-normal.woff2';
    const { headers } = await fetch(`${pages.server.url}${path}`);
    expect(headers.get('content-type')).toBe('font/woff2');
    expect(headers.get('cache-control')).toBe('public, max-age=2592000');
    await page.close();
  });

  it.each(languages)(
    'shows the menu beside the page at 1280 px and in one row at 768 px, in language %s',
    async (language) => {
      const { page } = await pages.admin.open('/userapi', { locale: language });
      const headerAt = async (width: number) => {
        await page.setViewportSize({ width, height: 900 });
        expect(await overflowOf(page)).toBe(0);
        return (await page.locator('.site-header').boundingBox()) ?? { width: 0, height: 0 };
      };
      expect(await page.locator('html').getAttribute('lang')).toBe(language);
      const row = (await page.locator('.site-header .sign-out').boundingBox())?.height ?? 0;
      const beside = await headerAt(1280);
      expect([beside.height, beside.width < 240]).toEqual([900, true]);
      for (const part of ['nav', '.who'])
        expect(await page.locator(`.site-header ${part}`).evaluate(isCutOff)).toBe(false);
      // The menu is below the name there.
      expect((await headerAt(768)).height).toBeLessThan(3 * row);
      await page.close();
    },
  );

  it('keeps the arrow of a fold inside it, also on a line of its own', async () => {
    const path = pages.states.find(({ template }) => template === 'enrol')?.path ?? '';
    const { page } = await pages.admin.open(path, { locale: 'de' });
    for (const width of [360, 375, 390, 412]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await overflowOf(page)).toBe(0);
      const heights = await page.evaluate<number[]>(
        `[...document.querySelectorAll('summary')].map((one) => one.scrollHeight - one.clientHeight)`,
      );
      expect([width, ...new Set(heights)]).toEqual([width, 0]);
    }
    await page.close();
  });

  it('shows the dashboard’s figures and the first matches of a search without scrolling', async () => {
    for (const [path, target] of [
      ['/', '.tiles .figure:last-child'],
      ['/userapi', 'tbody tr:first-child'],
      ['/userapi/audit', 'tbody tr:first-child'],
    ] as const) {
      const { page } = await pages.admin.open(path, { viewport: { width: 1280, height: 800 } });
      const { y, height } = (await page.locator(target).boundingBox()) ?? { y: 801, height: 0 };
      expect([path, y + height <= 800]).toEqual([path, true]);
      await page.close();
    }
  });

  it('fills the last row of the dashboard’s figures', async () => {
    const { page } = await pages.admin.open('/');
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      expect(await overflowOf(page)).toBe(0);
      const edges = await page.evaluate<number[]>(
        `['.tiles', '.tiles > :last-child'].map((one) => document.querySelector(one).getBoundingClientRect().right)`,
      );
      expect(edges[1]).toBeCloseTo(edges[0] ?? 0, 0);
    }
    await page.close();
  });

  it('shows a row of the audit trail in one line until it is unfolded', async () => {
    const { page } = await pages.admin.open('/userapi/audit', {
      viewport: { width: 1280, height: 800 },
    });
    const row = page.locator('tbody tr').first();
    const heightOf = async () => (await row.boundingBox())?.height ?? 0;
    expect(await heightOf()).toBeLessThan(48);
    await row.locator('summary').click();
    expect(await heightOf()).toBeGreaterThan(96);
    await page.close();
  });

  it('marks what is current or chosen with an outline in forced colours', async () => {
    const { page } = await pages.admin.open('/userapi', { forcedColors: 'active' });
    const outlines = await page.evaluate<string[]>(
      `[...document.querySelectorAll('a, button')].flatMap((entry) =>
        getComputedStyle(entry).outlineStyle === 'solid' ? [entry.textContent] : [])`,
    );
    expect(outlines).toEqual(['Users', 'Find users', 'Everybody', 'English', 'System']);
    await page.close();
  });
});

const isCutOff = (node: { scrollWidth: number; clientWidth: number }): boolean =>
  node.scrollWidth > node.clientWidth;

/** Each path of a page, and whether one of its templates is in `TEMPLATES`. */
function pathsOf({ states }: FurnishedPages): Map<string, boolean> {
  const tables = states.filter(({ template }) => TEMPLATES.has(template));
  const withTables = new Set(tables.map(({ path }) => path));
  return new Map(states.map(({ path }) => [path, withTables.has(path)]));
}

/** What the page does not contain at these widths, when all of it is unfolded. */
async function longWordsOf(page: Page, path: string, widths: readonly number[]): Promise<string[]> {
  await page.evaluate(OPEN_ALL);
  const found: string[] = [];
  for (const width of widths) {
    const flaws = [...(await tooWideAt(page, width)), ...(await brokenPartsOf(page))];
    found.push(...flaws.map((flaw) => `${path} at ${width} px: ${flaw}`));
  }
  return found;
}

/** Gives the page a width, and says so if it does not fit. */
async function tooWideAt(page: Page, width: number): Promise<string[]> {
  await page.setViewportSize({ width, height: 800 });
  await page.evaluate(ANIMATED);
  const overflow = await overflowOf(page);
  return overflow > 0 ? [`${overflow} px wider than its window`] : [];
}

const OPEN_ALL = `document.querySelectorAll('details').forEach((node) => { node.open = true; })`;

/** Resolves once nothing on the page moves any more. */
const ANIMATED =
  'Promise.allSettled(document.getAnimations().map(({ finished }) => finished)).then(() => 0)';
