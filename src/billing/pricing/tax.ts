import type { Booking, Vat } from '../../platform/config/booking.js';
import type { PriceList } from '../../platform/config/files/price-list.js';
import type { InvoicedVat } from '../invoices/invoice.schema.js';
import { exact, totalOf } from './pricing.js';

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
  return { vat: { rate: percentText(vat.rate), amount }, gross: totalOf([net, amount]) };
}

/** `1900` as `19`, `770` as `7.7`. */
const percentText = (rate: number): string => String(rate / 100);
