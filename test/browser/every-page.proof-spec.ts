import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { IS_HARNESS, report, sized } from '../support/harness.js';
import { allFlawsOf, overflowOf } from './support/admin-pages.js';
import { openState } from './support/every-page.js';
import { FurnishedPages } from './support/furnished-pages.js';

/** `npm run long -- pages` checks each state in each look; an ordinary run checks each template in one. */
const PHONE = 390;
const WIDTHS = [PHONE, 768, 1024, 1280, 1920].slice(0, sized(5));
const THEMES = ['light', 'dark', 'forced'] as const;
const LOOKS = THEMES.flatMap((theme) => WIDTHS.map((width) => ({ theme, width })));
const EVERYTHING = IS_HARNESS;
/** A folder for a screenshot of each look, if set. */
const PICTURES = process.env['TEST_PAGE_PICTURES'];

/** In an ordinary run, the pages that no other suite checks with axe. */
const FEW = ['bulk-result', 'inbox', 'metadata', 'model', 'models', 'relying-party', 'status'];
const templates = readdirSync(new URL('../../views', import.meta.url))
  .filter((name) => name.endsWith('.hbs') && name !== 'layout.hbs')
  .map((name) => name.slice(0, -'.hbs'.length));

describe('every page (WCAG 2.2 AA)', () => {
  let pages: FurnishedPages;
  beforeAll(async () => {
    pages = await FurnishedPages.open();
  });
  afterAll(() => pages.close());

  it('exists in a test for each template', () => {
    expect(new Set(pages.states.map(({ template }) => template))).toEqual(new Set(templates));
  });

  it.each([
    ['my-keys', false],
    ['enrol', false],
    ['oidc-sign-in', false],
    ['entra-sign-in', false],
    ['entra-back', true],
    ['oidc-message', true],
  ])(
    '%s shows users neither our name nor the version; it shows the request ID: %s',
    async (template, hasFailed) => {
      const state = pages.states.find((one) => one.template === template);
      const page = await openState(pages.admin, state ?? { template, state: '', path: '' });
      const footer = (await page.locator('.site-footer').textContent()) ?? '';
      expect(footer).toContain('Deutsch');
      expect(footer).not.toMatch(/ServiceFido|\d\.\d\.\d/);
      expect(/Request/.test(footer)).toBe(hasFailed);
      await page.close();
    },
  );

  it.each(EVERYTHING ? templates : FEW)(
    '%s has no axe finding and fits its window',
    async (template) => {
      const own = pages.states.filter((state) => state.template === template);
      const at = templates.indexOf(template);
      const looks = EVERYTHING ? LOOKS : LOOKS.filter((_, n) => n === at % LOOKS.length);
      const found: string[] = [];
      for (const state of EVERYTHING ? own : own.slice(0, 1)) {
        const page = await openState(pages.admin, state);
        for (const look of looks) {
          await wear(page, look);
          const name = `${template}, ${state.state}, ${look.theme}, ${look.width} px`;
          const overflow = await overflowOf(page);
          if (overflow > 0) found.push(`${name}: ${overflow} px wider than its window`);
          const flaws = await flawsOfLook(page, template, look.width);
          // After axe, which waits until colours have changed.
          if (PICTURES)
            await picture(page, join(PICTURES, `${name.replaceAll(/[, ]+/g, '-')}.png`));
          found.push(...flaws.map((flaw) => `${name}: ${flaw}`));
        }
        await page.close();
      }
      expect(found).toEqual([]);
      report({ looks: (EVERYTHING ? own.length : 1) * looks.length });
    },
  );
});

/** All faults of a page at a width, except that it is too wide. */
const flawsOfLook = async (page: Page, template: string, width: number): Promise<string[]> => [
  ...(await allFlawsOf(page)),
  ...(await doublesOf(page)),
  ...(await textsUnderBoxesOf(page)),
  ...(width === PHONE ? await cutTablesOf(page) : []),
  ...(width === PHONE && template !== 'relying-party' ? [] : await cutChoicesOf(page)),
];

/** Tables that are read only by scrolling sideways (§1.4.10). */
const cutTablesOf = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('.table-scroll')]
    .filter((node) => node.scrollWidth > node.clientWidth && node.tagName !== 'PRE')
    .map((node) => 'a table is cut off: ' + node.outerHTML.slice(0, 120))`);

/**
 * Selects too narrow for the chosen option: it can be read only after the list is opened. On a phone this is accepted
 * for long options, except for the many of a policy.
 */
const cutChoicesOf = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const pen = document.createElement('canvas').getContext('2d');
    const isCut = (node) => {
      const { font, paddingLeft, paddingRight } = getComputedStyle(node);
      pen.font = font;
      const room = node.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
      return pen.measureText(node.selectedOptions[0]?.text ?? '').width > room + 1;
    };
    return [...document.querySelectorAll('select')]
      .filter((node) => node.checkVisibility() && isCut(node))
      .map((node) => 'a choice is cut off: ' + node.selectedOptions[0].text);
  })()`);

/** Labels of boxes whose second line begins below the box instead of beside it. */
const textsUnderBoxesOf = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const isUnder = (box) => {
      const range = document.createRange();
      range.setStartAfter(box);
      range.setEndAfter(box.parentElement.lastChild);
      const { right, bottom } = box.getBoundingClientRect();
      return [...range.getClientRects()].some(
        (line) => line.width > 0 && line.left < right && line.top >= bottom - 2,
      );
    };
    return [...document.querySelectorAll('label > input[type=checkbox]')]
      .filter((box) => box.checkVisibility() && isUnder(box))
      .map((box) => 'a text runs under its box: ' + box.parentElement.textContent.trim());
  })()`);

/** Buttons that have the same name and do not do the same (§2.4.6). */
const doublesOf = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const nameOf = (node) => node.ariaLabel ?? node.textContent.trim().replace(/\\s+/g, ' ');
    const shown = (node) => node.checkVisibility();
    const names = [...document.querySelectorAll('button, summary')].filter(shown).map(nameOf);
    return [...new Set(names.filter((name, n) => names.indexOf(name) !== n))]
      .map((name) => 'two buttons are called: ' + name);
  })()`);

async function wear(page: Page, { theme, width }: (typeof LOOKS)[number]): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({
    colorScheme: theme === 'dark' ? 'dark' : 'light',
    forcedColors: theme === 'forced' ? 'active' : 'none',
  });
}

async function picture(page: Page, path: string): Promise<void> {
  mkdirSync(join(path, '..'), { recursive: true });
  await page.screenshot({ path, fullPage: true });
}
