import { existsSync } from 'node:fs';
import { dirname, extname, resolve } from 'node:path';
import { isScalar, parseDocument, visit } from 'yaml';
import { projectPath } from '../../platform/project.js';
import { OptionMistakes } from '../../platform/config/option-types.js';
import type { ServerOptions } from '../../platform/config/server-config.js';
import { YamlReader } from '../../platform/config/yaml-reader.js';
import { readOptionFile } from '../../platform/config/files/option-file.js';
import { BOOKING_FIELDS, BookingReader, NO_BOOKING, type Booking, type Vat } from './booking.js';

/** The items that an invoice can charge for. Users and credentials are counted at the end of the period. */
const BILLING_ITEMS = [
  'base',
  'relyingParties',
  'users',
  'credentials',
  'activeUsers',
  'registrations',
  'authentications',
] as const;
export type BillingItem = (typeof BILLING_ITEMS)[number];

/** The price of the units from the previous tier's end up to `upTo`; the last tier has no end. */
export interface PriceTier {
  readonly upTo: number | undefined;
  /** Minor units of the currency for one unit. */
  readonly price: number;
}

export interface PlanLine {
  readonly item: BillingItem;
  /** How many of the item make up one unit; a started unit counts as a whole one. */
  readonly per: number;
  readonly tiers: readonly PriceTier[];
}

/** The prices that apply from a date on. */
export interface PriceList {
  /** `YYYY-MM-DD`; empty in the first list, which then applies from the beginning. */
  readonly from: string;
  readonly defaultPlan: string;
  readonly plans: ReadonlyMap<string, readonly PlanLine[]>;
  readonly tenants: ReadonlyMap<string, string>;
  /** VAT of tenants without their own. */
  readonly vat: Vat | undefined;
}

/** The prices of `--billing`, and the token by which they are injected. */
export abstract class Prices {
  /** ISO 4217, which also defines the number of digits of its minor unit. */
  abstract readonly currency: string;
  /** At least one list, sorted by date, oldest first. */
  abstract readonly lists: readonly PriceList[];
  abstract readonly booking: Booking;
}

/** Prices without a file: nothing is charged, but invoices show all figures. */
const FREE: Prices = {
  currency: 'EUR',
  lists: [
    {
      from: '',
      defaultPlan: 'free',
      plans: new Map([['free', []]]),
      tenants: new Map(),
      vat: undefined,
    },
  ],
  booking: NO_BOOKING,
};

/** Multiplied by a quantity below 90 million, a price stays an exact integer. */
const MAX_PRICE = 1e8;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Reads `--billing FILE`, else `config/billing.yaml` of the project if it exists.
 *
 * @throws OptionMistakes with all mistakes of the file
 */
export function readPrices({ billing }: Pick<ServerOptions, 'billing'>): Prices {
  const path = billing ?? projectPath('config/billing.yaml');
  if (billing === undefined && !existsSync(path)) return FREE;
  const reader = new PriceReader();
  const prices = reader.prices(parsed(path));
  const mistakes = reader.mistakes.map((mistake) => `--billing: ${path}: ${mistake}`);
  if (mistakes.length > 0) throw new OptionMistakes(mistakes);
  const { logo } = prices.booking;
  if (logo === undefined) return prices;
  return { ...prices, booking: { ...prices.booking, logo: imageOf(resolve(dirname(path), logo)) } };
}

const IMAGE_TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.svg': 'image/svg+xml',
};
/** It is in each page of an invoice. */
const MAX_IMAGE_BYTES = 48 * 1024;

/**
 * An image as a `data:` URL, which the pages' policy allows and no script in it can use.
 *
 * @throws OptionMistakes for another type, or one that is too large
 */
function imageOf(path: string): string {
  const type = IMAGE_TYPES[extname(path).toLowerCase()];
  const bytes = readOptionFile('--billing', path);
  if (type === undefined || bytes.length > MAX_IMAGE_BYTES)
    throw new OptionMistakes([
      `--billing: ${path}: must be a PNG, JPG or SVG file of at most 48 KB`,
    ]);
  return `data:${type};base64,${bytes.toString('base64')}`;
}

function parsed(path: string): unknown {
  const text = readOptionFile('--billing', path).toString('utf8');
  try {
    return parsedYaml(text);
  } catch {
    throw new OptionMistakes([`--billing: ${path} is not YAML`]);
  }
}

/** The content of the file, with prices that have a decimal point as texts: YAML reads `49.00` as 49, which is cents. */
function parsedYaml(text: string): unknown {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error) throw error;
  visit(document, {
    Pair(_, { key, value }) {
      if (isScalar(key) && key.value === 'price' && isScalar(value) && value.source?.includes('.'))
        value.value = value.source;
    },
  });
  return document.toJS();
}

class PriceReader extends YamlReader {
  private readonly parties = new BookingReader();

  prices(content: unknown): Prices {
    const fields = this.fields('the file', content, ['currency', 'priceLists', ...BOOKING_FIELDS]);
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
    const booking = this.parties.booking(fields);
    this.mistakes.push(...this.parties.mistakes);
    return { currency: known ? currency : '', lists, booking };
  }

  private list(at: string, content: unknown): PriceList {
    const fields = this.fields(at, content, ['from', 'default', 'plans', 'tenants', 'vat']);
    const { from = '', default: fallback, plans = {}, tenants = {}, vat } = fields;
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
      vat: this.parties.vat(`${at}.vat`, vat),
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

  private flat(at: string, price: unknown): PriceTier[] {
    return [{ upTo: undefined, price: this.price(`${at}.price`, price ?? 0) }];
  }

  private price(at: string, value: unknown): number {
    const right = Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= MAX_PRICE;
    this.check(right, at, `must be a whole number of cents from 0 to ${MAX_PRICE}: 4900 for 49.00`);
    return right ? Number(value) : 0;
  }

  private tiers(at: string, content: unknown): PriceTier[] {
    const list: readonly unknown[] = Array.isArray(content) ? content : [];
    this.check(list.length > 0, at, 'must be a list of tiers');
    let before = 0;
    return list.map((tier, n) => {
      const { upTo, price } = this.fields(`${at}[${n}]`, tier, ['upTo', 'price']);
      const open = n === list.length - 1;
      this.check(!open || upTo === undefined, `${at}[${n}]`, 'is the last tier: it has no "upTo"');
      const end = open ? undefined : this.whole(`${at}[${n}].upTo`, upTo, before + 1, 1e12);
      before = end ?? before;
      return { upTo: end, price: this.price(`${at}[${n}].price`, price) };
    });
  }
}
