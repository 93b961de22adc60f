import type { Page } from 'playwright-core';
import { overflowOf } from './support/admin-pages.js';
import { openState } from './support/every-page.js';
import { FurnishedPages } from './support/furnished-pages.js';

const WIDTHS = [1280, 390];

describe('the layout of every page', () => {
  let pages: FurnishedPages;
  beforeAll(async () => {
    pages = await FurnishedPages.open();
  });
  afterAll(() => pages.close());

  it('overlaps nothing, squeezes no table, fits its window and has one solid button at most', async () => {
    const found: string[] = [];
    for (const state of pages.states) {
      const page = await openState(pages.admin, state);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        const overflow = await overflowOf(page);
        const flaws = await flawsOf(page);
        if (overflow > 0) flaws.unshift(`${overflow} px wider than its window`);
        const name = `${state.template}, ${state.state}, ${width} px`;
        found.push(...flaws.map((flaw) => `${name}: ${flaw}`));
      }
      await page.close();
    }
    expect(found).toEqual([]);
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

/** Controls and texts that cover each other, squeezed tables, and more than one solid button. */
const flawsOf = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const all = (selector) =>
      [...document.querySelectorAll(selector)].filter(
        (node) => node.checkVisibility() && !node.closest('.visually-hidden, .skip-link, .save, thead'),
      );
    const nameOf = (node) => node.outerHTML.replace(/\\s+/g, ' ').slice(0, 80);
    const parts = all('h1, h2, h3, p, a, button, input, select, textarea, summary, .badge, td, th, dt, dd')
      .map((node) => ({ node, box: node.getBoundingClientRect() }))
      .filter(({ node, box }) => box.width > 1 && box.height > 1 && getComputedStyle(node).display !== 'inline');
    const overlapping = parts.flatMap(({ node, box }, n) =>
      parts.slice(n + 1).flatMap((other) => {
        if (node.contains(other.node) || other.node.contains(node)) return [];
        const across = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
        const down = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
        return across > 1 && down > 1 ? ['covers another: ' + nameOf(node) + ' / ' + nameOf(other.node)] : [];
      }),
    );
    const squeezed = all('.table-scroll').flatMap((node) => {
      const { display } = getComputedStyle(node);
      const isSqueezed = display !== 'block' || node.scrollWidth > node.clientWidth + 1;
      return isSqueezed ? ['a table is squeezed or cut off: ' + nameOf(node)] : [];
    });
    const thin = all('td, th').filter((cell) => {
      const words = cell.textContent.trim();
      return words.length > 12 && cell.clientWidth < 48 && !cell.matches('.tick');
    });
    const solid = all('main :is(button, [role=button]):not(.secondary)').filter((node) => {
      const { backgroundColor, color } = getComputedStyle(node);
      return node.matches('.danger.solid, :not(.danger)') && color !== backgroundColor && !/, 0\\)$/.test(backgroundColor) && !node.closest('[role=group]');
    });
    const menu = document.querySelector('.site-header.side')?.getBoundingClientRect();
    const footer = document.querySelector('.site-footer').getBoundingClientRect();
    const isUnderMenu = menu && menu.width < innerWidth / 2 && footer.left < menu.right - 1;
    return [
      ...(isUnderMenu ? ['the footer is below the menu'] : []),
      ...overlapping,
      ...squeezed,
      ...thin.map((node) => 'a cell is too narrow: ' + nameOf(node)),
      ...(solid.length > 1 ? [solid.length + ' solid buttons: ' + solid.map((node) => node.textContent.trim())] : []),
    ];
  })()`);
