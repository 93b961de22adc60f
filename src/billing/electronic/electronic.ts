import { ApiError } from '../../platform/errors/api-error.js';
import type { Syntax } from '../pricing/booking.js';
import type { Invoice } from '../invoices/invoice.answer.js';
import { digitsOf } from '../pricing/pricing.js';
import { ciiOf } from './cii.js';
import {
  electronicOf,
  syntaxOf,
  type ElectronicInvoice,
  type ElectronicParty,
} from './electronic-invoice.js';
import { ublOf } from './ubl.js';

type Check = (document: ElectronicInvoice) => boolean;

/**
 * A business rule of EN 16931 (BR-…), of XRechnung (BR-DE-…), or of Peppol as XRechnung requires it. `needs` is
 * the billing file entry that is missing if the rule fails; `{recipient}` is `recipients.NAME`.
 */
type BusinessRule = readonly [id: string, needs: string, holds: Check];

const EMAIL = /^[^@\s]+@(?:[^@.\s]+\.)+[^@.\s]+$/;
/** A cash discount in XRechnung syntax. */
const DISCOUNT = /^#SKONTO#TAGE=\d+#PROZENT=\d+\.\d{2}(?:#BASISBETRAG=-?\d+\.\d{2})?#$/;
const THREE_DIGITS = /(?:\d.*){3}/;
/** Greece uses EL, Northern Ireland XI. */
const VAT_PREFIX = /^[A-Z]{2}/;
/** Amounts of EN 16931 have at most two decimals. */
const MAX_DIGITS = 2;

const isCredit = ({ typeCode }: ElectronicInvoice) => typeCode === '381';
const isCurrency = (currency: string) => /^[A-Z]{3}$/.test(currency);
const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);
const isNotMalformedDiscount = (line: string) =>
  !line.trim().startsWith('#') || DISCOUNT.test(line.trim());
const hasPrefix = ({ vatId }: ElectronicParty) => vatId === undefined || VAT_PREFIX.test(vatId);

/** Passes if the VAT category is another one. */
const only =
  (category: 'S' | 'Z' | 'E' | 'AE', holds: Check): Check =>
  (document) =>
    document.vat.category !== category || holds(document);

const isTaxExact = ({ vat: { taxable, rate, amount } }: ElectronicInvoice) => {
  const hundredths = BigInt(Math.round(Number(rate) * 100));
  return BigInt(amount) === (BigInt(taxable) * hundredths + 5_000n) / 10_000n;
};
/** Validators round the rate to whole percents, and allow no tax if that results in 0. */
const isTaxSeen = ({ vat: { rate, amount }, currency }: ElectronicInvoice) => {
  const unit = isCurrency(currency) ? 10 ** digitsOf(currency) : 1;
  return Math.round(Number(rate)) !== 0 || Math.round(amount / unit) === 0;
};
const isUntaxed = ({ vat }: ElectronicInvoice) => vat.amount === 0 && Number(vat.rate) === 0;
const isBasis = ({ vat, lines }: ElectronicInvoice) =>
  vat.taxable === sumOf(lines.map(({ amount }) => amount));
const sellerHasVatId = ({ seller }: ElectronicInvoice) => Boolean(seller.vatId);
const bothHaveVatIds = ({ seller, buyer }: ElectronicInvoice) =>
  Boolean(seller.vatId) && Boolean(buyer.vatId);
const hasReason = ({ vat }: ElectronicInvoice) => Boolean(vat.reason);
const hasNoReason = ({ vat }: ElectronicInvoice) => !vat.reason;

/** For rules about parts that every document contains: they fail only because of a bug. */
const OURS = 'a correct document';

/**
 * The rules for documents with one VAT rate, no allowances or charges, and no prepaid amounts. Rules on
 * other parts are omitted.
 */
export const BUSINESS_RULES: readonly BusinessRule[] = [
  ['BR-02', OURS, ({ number }) => Boolean(number)],
  ['BR-03', OURS, ({ issuedOn }) => Boolean(issuedOn)],
  ['BR-05', 'currency', ({ currency }) => isCurrency(currency)],
  ['BR-06', 'issuer.name', ({ seller }) => Boolean(seller.name)],
  ['BR-07', '{recipient}.name', ({ buyer }) => Boolean(buyer.name)],
  ['BR-08', 'issuer.postal', ({ seller }) => Boolean(seller.postal)],
  ['BR-09', 'issuer.postal.country', ({ seller }) => Boolean(seller.postal?.country)],
  ['BR-10', '{recipient}.postal', ({ buyer }) => Boolean(buyer.postal)],
  ['BR-11', '{recipient}.postal.country', ({ buyer }) => Boolean(buyer.postal?.country)],
  ['BR-16', OURS, ({ lines }) => lines.length > 0],
  ['BR-21', OURS, ({ lines }) => new Set(lines.map(({ id }) => id)).size === lines.length],
  ['BR-22', OURS, ({ lines }) => lines.every(({ quantity }) => Number.isSafeInteger(quantity))],
  ['BR-24', OURS, ({ lines }) => lines.every(({ amount }) => Number.isSafeInteger(amount))],
  ['BR-25', OURS, ({ lines }) => lines.every(({ name }) => name !== '')],
  ['BR-27', OURS, ({ lines }) => lines.every(({ price }) => price >= 0)],
  ['BR-29', OURS, ({ period }) => period.from <= period.to],
  ['BR-47', 'vat.category', ({ vat }) => vat.category !== undefined],
  ['BR-50', 'issuer.iban', ({ iban }) => Boolean(iban)],
  ['BR-55', OURS, (document) => isCredit(document) === Boolean(document.preceding)],
  [
    'BR-DEC-09',
    'currency',
    ({ currency }) => !isCurrency(currency) || digitsOf(currency) <= MAX_DIGITS,
  ],
  ['BR-CO-09', 'vatId', ({ seller, buyer }) => hasPrefix(seller) && hasPrefix(buyer)],
  ['BR-CO-10', OURS, ({ net, lines }) => net === sumOf(lines.map((one) => one.amount))],
  ['BR-CO-13', OURS, ({ net, vat }) => net === vat.taxable],
  ['BR-CO-15', OURS, ({ net, gross, vat }) => gross === sumOf([net, vat.amount])],
  ['BR-CO-16', OURS, ({ gross }) => Number.isSafeInteger(gross)],
  [
    'BR-CO-17',
    'vat.rate (0, or at least 0.5)',
    (document) => isTaxExact(document) && isTaxSeen(document),
  ],
  ['BR-CO-25', 'dueDays or terms', ({ gross, dueOn, terms }) => gross <= 0 || !!(dueOn ?? terms)],
  ['BR-CO-26', 'issuer.vatId', sellerHasVatId],
  ['BR-S-02', 'issuer.vatId', only('S', sellerHasVatId)],
  ['BR-S-05', OURS, only('S', ({ vat }) => Number(vat.rate) > 0)],
  ['BR-S-08', OURS, only('S', isBasis)],
  ['BR-S-09', OURS, only('S', isTaxExact)],
  ['BR-S-10', OURS, only('S', hasNoReason)],
  ['BR-Z-02', 'issuer.vatId', only('Z', sellerHasVatId)],
  ['BR-Z-05', OURS, only('Z', ({ vat }) => Number(vat.rate) === 0)],
  ['BR-Z-08', OURS, only('Z', isBasis)],
  ['BR-Z-09', OURS, only('Z', isUntaxed)],
  ['BR-Z-10', OURS, only('Z', hasNoReason)],
  ['BR-E-02', 'issuer.vatId', only('E', sellerHasVatId)],
  ['BR-E-05', OURS, only('E', ({ vat }) => Number(vat.rate) === 0)],
  ['BR-E-08', OURS, only('E', isBasis)],
  ['BR-E-09', OURS, only('E', isUntaxed)],
  ['BR-E-10', 'vat.note', only('E', hasReason)],
  ['BR-AE-02', 'issuer.vatId and {recipient}.vatId', only('AE', bothHaveVatIds)],
  ['BR-AE-05', OURS, only('AE', ({ vat }) => Number(vat.rate) === 0)],
  ['BR-AE-08', OURS, only('AE', isBasis)],
  ['BR-AE-09', OURS, only('AE', isUntaxed)],
  ['BR-AE-10', 'vat.note', only('AE', hasReason)],
  ['BR-DE-2', 'issuer.contact', ({ contact }) => contact !== undefined],
  ['BR-DE-3', 'issuer.postal.city', ({ seller }) => Boolean(seller.postal?.city)],
  ['BR-DE-4', 'issuer.postal.postcode', ({ seller }) => Boolean(seller.postal?.postcode)],
  ['BR-DE-5', 'issuer.contact.name', ({ contact }) => Boolean(contact?.name)],
  ['BR-DE-8', '{recipient}.postal.city', ({ buyer }) => Boolean(buyer.postal?.city)],
  ['BR-DE-9', '{recipient}.postal.postcode', ({ buyer }) => Boolean(buyer.postal?.postcode)],
  ['BR-DE-15', '{recipient}.reference', ({ reference }) => Boolean(reference)],
  [
    'BR-DE-18',
    'terms (a line that begins with # is a cash discount)',
    ({ terms }) => (terms ?? '').split('\n').every(isNotMalformedDiscount),
  ],
  ['BR-DE-27', 'issuer.contact.phone', ({ contact }) => THREE_DIGITS.test(contact?.phone ?? '')],
  ['BR-DE-28', 'issuer.contact.email', ({ contact }) => EMAIL.test(contact?.email ?? '')],
  ['PEPPOL-EN16931-R010', '{recipient}.electronicAddress', ({ buyer }) => Boolean(buyer.address)],
  ['PEPPOL-EN16931-R020', 'issuer.electronicAddress', ({ seller }) => Boolean(seller.address)],
  [
    'PEPPOL-EN16931-R120',
    OURS,
    ({ lines }) => lines.every(({ quantity, price, amount }) => amount === quantity * price),
  ],
];

export const brokenRules = (document: ElectronicInvoice): readonly BusinessRule[] =>
  BUSINESS_RULES.filter(([, , holds]) => !holds(document));

const WRITERS: Readonly<Record<Syntax, (document: ElectronicInvoice) => Buffer>> = {
  ubl: ublOf,
  cii: ciiOf,
};

/**
 * Returns the electronic document (EN 16931) of an invoice or a credit note.
 *
 * @returns `undefined` for statements, and if the recipient wants none
 * @throws ApiError E0045R if it violates a business rule, with the names of the missing billing file
 *   entries
 */
export function electronicXml(invoice: Invoice): Buffer | undefined {
  const syntax = syntaxOf(invoice);
  if (syntax === undefined) return undefined;
  const document = electronicOf(invoice);
  const broken = brokenRules(document);
  if (broken.length > 0) {
    const tenant = invoice.tenants[0]?.tenant ?? '';
    const lacking = broken.map(
      ([id, needs]) => `${needs.replaceAll('{recipient}', `recipients.${tenant}`)} (${id})`,
    );
    throw new ApiError('E0045R', 'invoice.buyerIncomplete', {
      tenant,
      missing: lacking.join(', '),
    });
  }
  return WRITERS[syntax](document);
}
