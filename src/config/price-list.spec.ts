import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OptionMistakes, loadOptions } from './load-options.js';
import { FREE, readPrices } from './price-list.js';
import { projectPath } from './project.js';

function fileOf(content: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'servicefido-')), 'billing.yaml');
  writeFileSync(path, content);
  return path;
}

function mistakesOf(content: string): string[] {
  const file = fileOf(content);
  try {
    loadOptions(['--billing', file], {});
  } catch (error) {
    if (!(error instanceof OptionMistakes)) throw error;
    return error.mistakes.map((mistake) => mistake.replace(`--billing: ${file}: `, ''));
  }
  return [];
}

describe('the price list', () => {
  it('that is shipped has no mistake', () => {
    const mistakes: string[] = [];
    const { currency, lists } = readPrices(projectPath('config/billing.yaml'), mistakes);
    expect(mistakes).toEqual([]);
    expect(currency).toBe('EUR');
    expect(lists[0]?.plans.get(lists[0].defaultPlan)?.[0]).toEqual({
      item: 'base',
      per: 1,
      tiers: [{ upTo: undefined, price: 4900 }],
    });
  });

  it('is checked at start, with all mistakes together', () => {
    const content = `
currency: euro
vat: 19
priceLists:
  - from: 2026-1-1
    default: gold
    tenants: { acme: silver }
    plans:
      standard:
        - { item: logins, price: 1 }
        - { item: users, price: 0.5 }
        - { item: users, price: 1, tiers: [] }
        - { item: users }
        - item: users
          per: 0
          tiers: [{ upTo: 10, price: 1 }, { upTo: 10, price: 1 }, { upTo: 20, price: -1 }]
`;
    const plan = 'priceLists[0].plans.standard';
    expect(mistakesOf(content)).toEqual([
      'the file has "vat", which means nothing',
      'currency must be three capital letters, such as EUR',
      'priceLists[0].from must be a date, YYYY-MM-DD',
      `${plan}[0].item must be one of base, relyingParties, users, credentials, activeUsers, registrations, authentications`,
      `${plan}[1].price must be a whole number from 0 to 100000000`,
      `${plan}[2] needs "price" or "tiers"`,
      `${plan}[2].tiers must be a list of tiers`,
      `${plan}[3] needs "price" or "tiers"`,
      `${plan}[4].per must be a whole number from 1 to 1000000000`,
      `${plan}[4].tiers[1].upTo must be a whole number from 11 to 1000000000000`,
      `${plan}[4].tiers[2] is the last tier: it has no "upTo"`,
      `${plan}[4].tiers[2].price must be a whole number from 0 to 100000000`,
      'priceLists[0].default must be the name of one of the plans',
      'priceLists[0].tenants.acme must be the name of one of the plans',
    ]);
  });

  it.each([
    ['', 'the file must hold named values'],
    ['currency: EUR', 'priceLists must be a list'],
    ['- 1', 'the file must hold named values'],
    [
      `currency: EUR
priceLists:
  - { default: a, plans: { a: [] }, from: 2026-02-01 }
  - { default: a, plans: { a: [] }, from: 2026-01-01 }`,
      'priceLists must be in the order of "from", which only the first may lack',
    ],
  ])('refuses %j', (content, mistake) => {
    expect(mistakesOf(content)[0]).toBe(mistake);
  });

  it('refuses a file that is not there or no YAML', () => {
    const mistakes: string[] = [];
    expect(readPrices('/nowhere.yaml', mistakes)).toBe(FREE);
    readPrices(fileOf('{'), mistakes);
    expect(mistakes[0]).toBe('--billing: /nowhere.yaml cannot be read');
    expect(mistakes[1]).toMatch(/is not YAML$/);
  });
});
