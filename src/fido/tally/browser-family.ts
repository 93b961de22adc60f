import { browserIn } from '../../platform/common/browser-name.js';
import type { Browser } from '../../platform/common/browser-name.js';
import type { BrowserFamily } from '../../events/ceremony-counts/ceremony-count.entity.js';

const FAMILIES: Readonly<Record<Browser, BrowserFamily>> = {
  Edge: 'edge',
  Opera: 'opera',
  'Samsung Internet': 'samsung',
  Firefox: 'firefox',
  Chrome: 'chrome',
  Safari: 'safari',
};

/** The family of a browser by its `User-Agent`. */
export function browserFamily(program = ''): BrowserFamily {
  const browser = browserIn(program);
  return browser ? FAMILIES[browser.name] : 'other';
}
