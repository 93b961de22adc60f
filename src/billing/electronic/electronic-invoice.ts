import { parseXml } from '@rgrove/parse-xml';
import Builder from 'fast-xml-builder';
import type { Syntax } from '../pricing/booking.js';
import { withoutForbidden } from '../../platform/validation/values/texts.js';
import { plainText } from '../../platform/pages/languages/languages.js';
import type { Invoice, InvoiceParty, InvoicedVat } from '../invoices/invoice.answer.js';
import { itemPhrase, negatedAmount } from '../pricing/pricing.js';

export type ElectronicInvoice = ReturnType<typeof electronicOf>;
export type ElectronicLine = ElectronicInvoice['lines'][number];
export type ElectronicParty = ReturnType<typeof partyOf>;

/** The specification of the electronic invoices: XRechnung, based on EN 16931 (BT-24). */
export const SPECIFICATION =
  'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0';
/** The business process: invoicing (BT-23). */
export const BUSINESS_PROCESS = 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0';
/** UNECE Rec 20: one. */
export const UNIT_CODE = 'C62';

/** An element: its text, or its attributes (`@name`), text (`#text`) and children, in order. */
export type XmlNode =
  string | undefined | readonly XmlNode[] | { readonly [name: string]: XmlNode };

const builder = new Builder({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  format: true,
});

/**
 * Writes an XML document in UTF-8. Elements that are `undefined` are omitted.
 *
 * @throws XmlError if a parser cannot read it
 */
export function writeXml(root: string, content: XmlNode): Buffer {
  const head = { '@version': '1.0', '@encoding': 'UTF-8' };
  const xml = withoutForbidden(builder.build({ '?xml': head, [root]: content }));
  parseXml(xml);
  return Buffer.from(xml);
}

/** Whether the document charges or credits an amount. */
export const isCharged = ({ kind, tenants }: Invoice): boolean =>
  kind !== 'statement' && tenants.some(({ lines }) => lines.length > 0);

/** The syntax of a document; `undefined` if it charges nothing, and if its recipient wants none. */
export const syntaxOf = (invoice: Invoice): Syntax | undefined =>
  isCharged(invoice) ? invoice.recipient?.electronic : undefined;

/**
 * Converts a document of one tenant to the parts of EN 16931 that it uses; the comments name the terms of the
 * standard. All amounts are integers in the currency's minor unit. The amounts of a credit note are positive, as
 * its type code requires.
 */
export function electronicOf(invoice: Invoice) {
  const { number, issuedOn, dueOn, currency, issuer, recipient, cancels, reason } = invoice;
  const amountOf = (amount: number) => (cancels === undefined ? amount : negatedAmount(amount));
  const [tenant] = invoice.tenants;
  const { lines = [], total = 0, vat, gross = total } = tenant ?? {};
  return {
    /** BT-1 */
    number: number === undefined ? undefined : `${number}`,
    /** BT-3: 380 is an invoice, 381 a credit note. */
    typeCode: cancels === undefined ? '380' : '381',
    /** BT-2 and BT-9 */
    issuedOn,
    dueOn,
    /** BT-5 */
    currency,
    /** BT-10 */
    reference: recipient?.reference,
    /** BT-20 */
    terms: cancels === undefined ? invoice.terms : `Cancels invoice ${cancels}.`,
    /** BT-22 */
    note: reason,
    /** BT-25: the number of the invoice that a credit note cancels. */
    preceding: cancels === undefined ? undefined : `${cancels}`,
    /** BG-4 and BG-6 */
    seller: partyOf(issuer),
    contact: issuer?.contact,
    /** BG-7 */
    buyer: partyOf(recipient),
    /** BT-73 and BT-74 */
    period: invoice.period,
    /** BT-81: 58 is a SEPA credit transfer, 30 any other. */
    paymentCode: currency === 'EUR' ? '58' : '30',
    /** BT-84 */
    iban: issuer?.iban,
    /** BG-25 */
    lines: lines.map(({ item, quantity, unitPrice, amount }, n) => ({
      id: `${n + 1}`,
      name: plainText('en', itemPhrase(item)),
      quantity,
      price: unitPrice,
      amount: amountOf(amount),
    })),
    /** BG-23, exactly one: a tenant has one VAT rate. */
    vat: {
      ...categoryOf(vat),
      /** BT-116 and BT-117 */
      taxable: amountOf(total),
      amount: amountOf(vat?.amount ?? 0),
    },
    /** BT-106, the sum of the lines, and BT-109, without VAT. They are equal, because there are no allowances. */
    net: amountOf(total),
    /** BT-112, with VAT, and BT-115, due. They are equal, because nothing is prepaid. */
    gross: amountOf(gross),
  };
}

/** Members are `undefined` if the billing file does not set them. */
function partyOf(party: InvoiceParty | undefined) {
  const { name, vatId, postal, electronicAddress } = party ?? {};
  const [scheme, ...id] = electronicAddress?.split(':') ?? [];
  return { name, vatId, postal, address: scheme ? { scheme, id: id.join(':') } : undefined };
}

interface VatCategory {
  /** BT-118: S is a rate, Z the rate 0, E exempt, AE reverse charge. */
  readonly category: 'S' | 'Z' | 'E' | 'AE' | undefined;
  /** BT-119, percent. */
  readonly rate: string;
  /** BT-120 */
  readonly reason: string | undefined;
}

function categoryOf(vat: InvoicedVat | undefined): VatCategory {
  const { rate, note, category } = vat ?? {};
  if (rate === undefined) return { category, rate: '0', reason: note };
  return { category: Number(rate) > 0 ? 'S' : 'Z', rate, reason: undefined };
}
