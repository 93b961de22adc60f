import type { Page } from 'playwright-core';

/** As if our font had not loaded and the machine's font were 15 % wider. */
export const widenLetters = (page: Page): Promise<unknown> =>
  page.evaluate(`(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('* { letter-spacing: 0.075em !important }');
    document.adoptedStyleSheets = [sheet];
  })()`);

/** Controls and texts that cover each other, squeezed tables, and more than one solid button. */
export const crowdedPartsOf = (page: Page): Promise<string[]> =>
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

/** Tables and placeholders that are cut off, short words that are broken, and buttons that leave their card. */
export const brokenPartsOf = (page: Page): Promise<string[]> =>
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
