import { existsSync, readFileSync } from 'node:fs';
import { parse as parseYaml } from 'yaml';
import { projectPath } from './project.js';

/** What an invoice can charge for. Users and credentials are those at the end of the period. */
export const BILLING_ITEMS = [
  'base',
  'relyingParties',
  'users',
  'credentials',
  'activeUsers',
  'registrations',
  'authentications',
] as const;
export type BillingItem = (typeof BILLING_ITEMS)[number];

/** A price for the units up to `upTo` that no earlier tier has; the last tier has no end. */
export interface Tier {
  readonly upTo: number | undefined;
  /** Minor units of the currency for one unit. */
  readonly price: number;
}

export interface PlanLine {
  readonly item: BillingItem;
  /** What a unit is: so many of the item; a part of one counts as one. */
  readonly per: number;
  readonly tiers: readonly Tier[];
}

/** The prices that hold from a date on. */
export interface PriceList {
  /** `YYYY-MM-DD`; empty: always. */
  readonly from: string;
  /** The plan of tenants that have none of their own. */
  readonly defaultPlan: string;
  readonly plans: ReadonlyMap<string, readonly PlanLine[]>;
  /** Plans by tenant. */
  readonly tenants: ReadonlyMap<string, string>;
}

export interface Prices {
  /** ISO 4217, which also says how many digits its minor unit has. */
  readonly currency: string;
  /** By date, oldest first; at least one. */
  readonly lists: readonly PriceList[];
}

/** What is charged where there is no file: nothing, with all figures on the invoice. */
export const FREE: Prices = {
  currency: 'EUR',
  lists: [{ from: '', defaultPlan: 'free', plans: new Map([['free', []]]), tenants: new Map() }],
};

/** Products with a quantity below 90 million stay exact. */
const MAX_PRICE = 1e8;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Reads `--billing FILE`, else `config/billing.yaml` of the project where there is one.
 *
 * @param mistakes gets a line for each mistake in the file
 */
export function readPrices(file: string | undefined, mistakes: string[]): Prices {
  const path = file ?? projectPath('config/billing.yaml');
  if (file === undefined && !existsSync(path)) return FREE;
  const content = readYaml(path, mistakes);
  if (content === undefined) return FREE;
  const reader = new PriceReader();
  const prices = reader.prices(content);
  mistakes.push(...reader.mistakes.map((mistake) => `--billing: ${path}: ${mistake}`));
  return prices;
}

function readYaml(path: string, mistakes: string[]): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    mistakes.push(`--billing: ${path} cannot be read`);
    return undefined;
  }
  try {
    return parseYaml(text);
  } catch {
    mistakes.push(`--billing: ${path} is not YAML`);
    return undefined;
  }
}

/** Reads on behind a mistake, so that all of them are found in one go. */
class PriceReader {
  readonly mistakes: string[] = [];

  prices(content: unknown): Prices {
    const fields = this.fields('the file', content, ['currency', 'priceLists']);
    const { currency, priceLists } = fields;
    const known = typeof currency === 'string' && /^[A-Z]{3}$/.test(currency);
    this.check(known, 'currency', 'must be three capital letters, such as EUR');
    this.check(Array.isArray(priceLists) && priceLists.length > 0, 'priceLists', 'must be a list');
    const lists = (Array.isArray(priceLists) ? priceLists : []).map((list: unknown, n) =>
      this.list(`priceLists[${n}]`, list),
    );
    const rising = lists.every(({ from }, n) => n === 0 || (lists[n - 1]?.from ?? '') < from);
    this.check(
      rising,
      'priceLists',
      'must be in the order of "from", which only the first may lack',
    );
    return { currency: known ? currency : '', lists };
  }

  private list(at: string, content: unknown): PriceList {
    const fields = this.fields(at, content, ['from', 'default', 'plans', 'tenants']);
    const { from = '', default: fallback, plans = {}, tenants = {} } = fields;
    const dated = typeof from === 'string' && (from === '' || DATE.test(from));
    this.check(dated, `${at}.from`, 'must be a date, YYYY-MM-DD');
    const byName = new Map(
      Object.entries(this.fields(`${at}.plans`, plans)).map(([name, lines]) => [
        name,
        this.plan(`${at}.plans.${name}`, lines),
      ]),
    );
    const planNamed = (path: string, name: unknown): string => {
      const exists = typeof name === 'string' && byName.has(name);
      this.check(exists, path, 'must be the name of one of the plans');
      return exists ? name : '';
    };
    const chosen = Object.entries(this.fields(`${at}.tenants`, tenants));
    return {
      from: dated ? from : '',
      defaultPlan: planNamed(`${at}.default`, fallback),
      plans: byName,
      tenants: new Map(
        chosen.map(([name, plan]) => [name, planNamed(`${at}.tenants.${name}`, plan)]),
      ),
    };
  }

  private plan(at: string, content: unknown): PlanLine[] {
    this.check(Array.isArray(content), at, 'must be a list of lines');
    return (Array.isArray(content) ? content : []).map((line: unknown, n) =>
      this.line(`${at}[${n}]`, line),
    );
  }

  private line(at: string, content: unknown): PlanLine {
    const {
      item,
      per = 1,
      price,
      tiers,
    } = this.fields(at, content, ['item', 'per', 'price', 'tiers']);
    const known = BILLING_ITEMS.find((name) => name === item);
    this.check(known !== undefined, `${at}.item`, `must be one of ${BILLING_ITEMS.join(', ')}`);
    this.check((price === undefined) !== (tiers === undefined), at, 'needs "price" or "tiers"');
    return {
      item: known ?? 'base',
      per: this.whole(`${at}.per`, per, 1, 1e9),
      tiers: tiers === undefined ? this.flat(at, price) : this.tiers(`${at}.tiers`, tiers),
    };
  }

  private flat(at: string, price: unknown): Tier[] {
    return [{ upTo: undefined, price: this.whole(`${at}.price`, price ?? 0, 0, MAX_PRICE) }];
  }

  private tiers(at: string, content: unknown): Tier[] {
    const list: readonly unknown[] = Array.isArray(content) ? content : [];
    this.check(list.length > 0, at, 'must be a list of tiers');
    let before = 0;
    return list.map((tier, n) => {
      const { upTo, price } = this.fields(`${at}[${n}]`, tier, ['upTo', 'price']);
      const open = n === list.length - 1;
      this.check(!open || upTo === undefined, `${at}[${n}]`, 'is the last tier: it has no "upTo"');
      const end = open ? undefined : this.whole(`${at}[${n}].upTo`, upTo, before + 1, 1e12);
      before = end ?? before;
      return { upTo: end, price: this.whole(`${at}[${n}].price`, price, 0, MAX_PRICE) };
    });
  }

  private check(right: boolean, at: string, sentence: string): void {
    if (!right) this.mistakes.push(`${at} ${sentence}`);
  }

  private whole(at: string, value: unknown, from: number, to: number): number {
    const right = Number.isSafeInteger(value) && Number(value) >= from && Number(value) <= to;
    this.check(right, at, `must be a whole number from ${from} to ${to}`);
    return right ? Number(value) : from;
  }

  private fields(at: string, value: unknown, known?: readonly string[]): Fields {
    this.check(isFields(value), at, 'must hold named values');
    if (!isFields(value)) return {};
    for (const name of Object.keys(value)) {
      this.check(known?.includes(name) ?? true, at, `has "${name}", which means nothing`);
    }
    return value;
  }
}
