import { LRUCache } from 'lru-cache';
import type { BrowserFamily } from '../../ledger/ceremony-counts/ceremony-count.entity.js';

/** In this order: most browsers also claim to be those below them. */
const MARKS: readonly (readonly [BrowserFamily, RegExp])[] = [
  ['edge', /\bEdg(?:e|A|iOS)?\//],
  ['opera', /\bOPR\//],
  ['samsung', /\bSamsungBrowser\//],
  ['firefox', /\b(?:Firefox|FxiOS)\//],
  ['chrome', /\b(?:Chrome|Chromium|CriOS)\//],
  ['safari', /\bVersion\/\d.* Safari\//],
];
/** The longest of honest browsers has less. */
const MOST_CHARACTERS = 400;

const known = new LRUCache<string, BrowserFamily>({ max: 500 });

/** The family of a browser by its `User-Agent`. Of what it says nothing else is kept. */
export function browserFamily(program: string | undefined): BrowserFamily {
  if (program === undefined || program.length > MOST_CHARACTERS) return 'other';
  const remembered = known.get(program);
  if (remembered) return remembered;
  const [family = 'other'] = MARKS.find(([, mark]) => mark.test(program)) ?? [];
  known.set(program, family);
  return family;
}
