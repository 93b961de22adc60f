import { phrase, type Phrase } from '../../platform/pages/languages/phrase.js';
import type { InvoiceLine, InvoicedVat } from '../invoices/invoice.answer.js';
import type { Booking, Vat } from './booking.js';
import type { BillingItem, PlanLine, PriceList, Prices, PriceTier } from './price-list.js';

export type Quantities = Readonly<Record<BillingItem, number>>;

/** Returns the price list that applies on a date (`YYYY-MM-DD`); `undefined` before the first one begins. */
export const priceListOn = ({ lists }: Prices, date: string): PriceList | undefined =>
  lists.findLast(({ from }) => from <= date);

export const planOf = (list: PriceList | undefined, tenant: string): readonly PlanLine[] =>
  list?.plans.get(list.tenants.get(tenant) ?? list.defaultPlan) ?? [];

/** Computes the lines of a plan. A tier without units has no line, except the first. */
export function planLines(plan: readonly PlanLine[], quantities: Quantities): InvoiceLine[] {
  return plan.flatMap(({ item, per, tiers }) => {
    const units = Math.ceil(quantities[item] / per);
    const name = per === 1 ? item : `${item} per ${per}`;
    return tiers.flatMap((tier, n): InvoiceLine[] => {
      const below = tiers[n - 1]?.upTo ?? 0;
      const quantity = Math.max(0, Math.min(units, tier.upTo ?? Infinity) - below);
      if (quantity === 0 && n > 0) return [];
      const range = tiers.length === 1 ? '' : ` (${rangeOf(tier, below)})`;
      const amount = exact(BigInt(quantity) * BigInt(tier.price));
      return [{ item: `${name}${range}`, quantity, unitPrice: tier.price, amount }];
    });
  });
}

const rangeOf = ({ upTo }: PriceTier, below: number): string =>
  upTo === undefined ? `from ${below + 1}` : `${below + 1} to ${upTo}`;

/** `activeUsers per 100 (1 to 500)`: the charged quantity, the number of units per price, and the range of units. */
const ITEM = /^(\w+)(?: per (\d+))?(?: \((?:from (\d+)|(\d+) to (\d+))\))?$/;

/** The item of a line, as stored in documents, in words. */
export function itemPhrase(item: string): Phrase {
  const [, name = '', per, from, first, last] = ITEM.exec(item) ?? [];
  const named = phrase(`invoices:items.${name}`);
  const each = per ? phrase('invoices:line.per', { item: named, per: Number(per) }) : named;
  if (from) return phrase('invoices:line.from', { item: each, from: Number(from) });
  if (!first) return each;
  return phrase('invoices:line.range', { item: each, from: Number(first), to: Number(last) });
}

/**
 * Returns the exact sum: an amount is never rounded.
 *
 * @throws RangeError for a sum that a number cannot represent
 */
export const totalOf = (amounts: readonly number[]): number =>
  exact(amounts.reduce((sum, amount) => sum + BigInt(amount), 0n));

/** @throws RangeError for an amount that a number cannot represent */
function exact(amount: bigint): number {
  const number = Number(amount);
  if (!Number.isSafeInteger(number)) throw new RangeError('The amount is too large to be exact.');
  return number;
}

/** The opposite amount, but 0 instead of -0, which JSON does not preserve. */
export const negatedAmount = (amount: number): number => (amount === 0 ? 0 : -amount);

/** Rates are in hundredths of a percent; this is 100 %. */
const WHOLE = 10_000n;

/** The VAT of a tenant: its own, otherwise the VAT of the price list; `undefined` if neither is set. */
export const vatOf = (
  tenant: string,
  { vat: own }: Booking,
  list: PriceList | undefined,
): Vat | undefined => own.get(tenant) ?? list?.vat;

/** Computes the VAT on a net amount, and the gross amount; halves are rounded up. */
export function withTax(
  net: number,
  vat: Vat | undefined,
): { readonly vat?: InvoicedVat; readonly gross: number } {
  if (vat === undefined) return { gross: net };
  if ('note' in vat) return { vat: { ...vat, amount: 0 }, gross: net };
  const amount = exact((BigInt(net) * BigInt(vat.rate) + WHOLE / 2n) / WHOLE);
  // `1900` as `19`, `770` as `7.7`.
  const rate = String(vat.rate / 100);
  return { vat: { rate, amount }, gross: totalOf([net, amount]) };
}

const formatOf = (currency: string, locale = 'en') =>
  new Intl.NumberFormat(locale, { style: 'currency', currency });

/** The number of decimals of the currency: 2 for EUR, 0 for JPY. */
export const digitsOf = (currency: string): number =>
  formatOf(currency).resolvedOptions().maximumFractionDigits ?? 0;

/** An amount in the currency's unit, for example `1234.50`: as text, since a number would be rounded. */
export function decimalText(amount: number, currency: string): string {
  const digits = digitsOf(currency);
  const text = String(Math.abs(amount)).padStart(digits + 1, '0');
  const point = text.length - digits;
  const decimal = digits === 0 ? text : `${text.slice(0, point)}.${text.slice(point)}`;
  return amount < 0 ? `-${decimal}` : decimal;
}

/** An amount for reading, for example `€1,234.50`, or `1.234,50 €` in German. */
export const moneyText = (amount: number, currency: string, locale = 'en'): string =>
  formatOf(currency, locale).format(decimalText(amount, currency) as Intl.StringNumericLiteral);
