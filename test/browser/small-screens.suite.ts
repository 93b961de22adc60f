import type { Page } from 'playwright-core';
import { languages } from '../../src/platform/pages/languages/languages.js';
import { overflowOf } from './support/admin-pages.js';
import { openState } from './support/every-page.js';
import { FurnishedPages } from './support/furnished-pages.js';

const LOOKS = [
  { font: 'own', width: 390 },
  { font: 'own', width: 1280 },
  { font: 'wider', width: 360 },
  { font: 'wider', width: 768 },
];
/** Pages with tables, or with names and buttons in a narrow column. */
const TEMPLATES = new Set([
  ...['account', 'accounts', 'adoption', 'application-keys', 'audit', 'bulk-preview', 'dashboard'],
  ...['delete-list', 'deleted', 'finding-keys', 'inbox', 'invitation', 'invited', 'invoice'],
  ...['invoices'],
  ...['metadata', 'models', 'relying-party', 'status', 'tenant', 'user', 'users', 'webhooks'],
]);

/** Where long words have the least room: a phone, and the narrowest window in which tables keep their columns. */
const LONG_WORDS = [
  { locale: 'fr', widths: [360, 1024] },
  { locale: 'de', widths: [1024] },
];
const OPEN_ALL = `document.querySelectorAll('details').forEach((node) => { node.open = true; })`;

/** Resolves once nothing on the page moves any more. */
const ANIMATED =
  'Promise.allSettled(document.getAnimations().map(({ finished }) => finished)).then(() => 0)';

describe('pages on small screens', () => {
  let pages: FurnishedPages;
  beforeAll(async () => {
    pages = await FurnishedPages.open();
  });
  afterAll(() => pages.close());

  it('have a font of their own, whatever fonts the machine has', async () => {
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
    'show the menu beside the page at 1280 px and in one row at 768 px, in language %s',
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

  it('keep the arrow of a fold inside it, also on a line of its own', async () => {
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

  it('contain their tables, words and buttons at every width, with a wider font too', async () => {
    const found: string[] = [];
    for (const state of pages.states.filter(({ template }) => TEMPLATES.has(template))) {
      const page = await openState(pages.admin, state);
      for (const { font, width } of LOOKS) {
        if (font === 'wider') await widenLetters(page);
        await page.setViewportSize({ width, height: 900 });
        await page.evaluate(ANIMATED);
        const overflow = await overflowOf(page);
        const flaws = await flawsOf(page);
        if (overflow > 0) flaws.unshift(`${overflow} px wider than its window`);
        const name = `${state.template}, ${state.state}, ${font} font, ${width} px`;
        found.push(...flaws.map((flaw) => `${name}: ${flaw}`));
      }
      await page.close();
    }
    expect(found).toEqual([]);
  });

  it.each(LONG_WORDS)('contain their texts in the language $locale', async ({ locale, widths }) => {
    const paths = pages.states
      .filter(({ template }) => TEMPLATES.has(template))
      .map(({ path }) => path);
    const found: string[] = [];
    for (const path of new Set(paths)) {
      const { page } = await pages.admin.open(path, { locale });
      await page.evaluate(OPEN_ALL);
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 });
        await page.evaluate(ANIMATED);
        const overflow = await overflowOf(page);
        const flaws = await flawsOf(page);
        if (overflow > 0) flaws.unshift(`${overflow} px wider than its window`);
        found.push(...flaws.map((flaw) => `${path} at ${width} px: ${flaw}`));
      }
      await page.close();
    }
    expect(found).toEqual([]);
  });
});

const isCutOff = (node: { scrollWidth: number; clientWidth: number }): boolean =>
  node.scrollWidth > node.clientWidth;

/** As if our font had not loaded and the machine's font were 15 % wider. */
const widenLetters = (page: Page): Promise<unknown> =>
  page.evaluate(`(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('* { letter-spacing: 0.075em !important }');
    document.adoptedStyleSheets = [sheet];
  })()`);

/** Tables and placeholders that are cut off, short words that are broken, and buttons that leave their card. */
const flawsOf = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const shown = (node) => node.checkVisibility();
    const cut = [...document.querySelectorAll('.table-scroll')]
      .filter((node) => node.scrollWidth > node.clientWidth && node.tagName !== 'PRE')
      .map((node) => 'a table is cut off: ' + node.textContent.trim().slice(0, 40));
    const outside = [...document.querySelectorAll('.card :is(button, input, select, a)')]
      .filter((node) => {
        const [own, card] = [node, node.closest('.card')].map((one) => one.getBoundingClientRect());
        return shown(node) && (own.right > card.right + 1 || own.left < card.left - 1);
      })
      .map((node) => 'leaves its card: ' + node.outerHTML.slice(0, 80));
    const pen = document.createElement('canvas').getContext('2d');
    const unread = [...document.querySelectorAll('input[placeholder]')]
      .filter((node) => {
        const { font, letterSpacing, paddingLeft, paddingRight } = getComputedStyle(node);
        Object.assign(pen, { font, letterSpacing: letterSpacing === 'normal' ? '0px' : letterSpacing });
        const room = node.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
        return shown(node) && pen.measureText(node.placeholder).width > room + 1;
      })
      .map((node) => 'a placeholder is cut off: ' + node.placeholder);
    const linesOf = (text, start, end) => {
      const range = document.createRange();
      range.setStart(text, start);
      range.setEnd(text, end);
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
    };
    const broken = [];
    const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { currentNode: text } = texts;
      if (text.parentElement.closest('code, pre, .visually-hidden') || !shown(text.parentElement)) continue;
      if (linesOf(text, 0, text.length) < 2) continue;
      for (const { 0: word, index } of text.data.matchAll(/[^\\s\\-–\\/]{2,20}/g)) {
        const long = /[^\\s\\-–\\/]{21}/.test(text.data.slice(Math.max(0, index - 21), index + 21));
        if (!long && linesOf(text, index, index + word.length) > 1) broken.push('a word is broken: ' + word);
      }
    }
    return [...cut, ...outside, ...unread, ...broken];
  })()`);
