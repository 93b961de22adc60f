import type { Contact, PostalAddress, Syntax } from '../../platform/config/booking.js';
import { plainText } from '../../platform/pages/languages/languages.js';
import type { Invoice, InvoiceParty, InvoicedVat } from '../invoices/invoice.schema.js';
import { itemPhrase, opposite } from '../pricing/pricing.js';

/** Seller or buyer (BG-4, BG-7). Members are `undefined` if the billing file does not set them. */
export interface ElectronicParty {
  readonly name: string | undefined;
  readonly vatId: string | undefined;
  readonly postal: PostalAddress | undefined;
  readonly address: { readonly scheme: string; readonly id: string } | undefined;
}

/** An invoice line (BG-25). */
export interface ElectronicLine {
  readonly id: string;
  readonly name: string;
  readonly quantity: number;
  readonly price: number;
  readonly amount: number;
}

/**
 * The parts of EN 16931 that the documents use; the comments name the terms of the standard. All amounts are
 * integers in the currency's minor unit. The amounts of a credit note are positive, as its type code
 * requires.
 */
export interface ElectronicInvoice {
  /** BT-1 */
  readonly number: string | undefined;
  /** BT-3: 380 is an invoice, 381 a credit note. */
  readonly typeCode: '380' | '381';
  /** BT-2 and BT-9 */
  readonly issuedOn: string | undefined;
  readonly dueOn: string | undefined;
  /** BT-5 */
  readonly currency: string;
  /** BT-10 */
  readonly reference: string | undefined;
  /** BT-20 */
  readonly terms: string | undefined;
  /** BT-22 */
  readonly note: string | undefined;
  /** BT-25: the number of the invoice that a credit note cancels. */
  readonly preceding: string | undefined;
  readonly seller: ElectronicParty;
  /** BG-6 */
  readonly contact: Contact | undefined;
  readonly buyer: ElectronicParty;
  /** BT-73 and BT-74 */
  readonly period: { readonly from: string; readonly to: string };
  /** BT-81: 58 is a SEPA credit transfer, 30 any other. */
  readonly paymentCode: '58' | '30';
  /** BT-84 */
  readonly iban: string | undefined;
  readonly lines: readonly ElectronicLine[];
  /** BG-23, exactly one: a tenant has one VAT rate. */
  readonly vat: ElectronicVat;
  /** BT-106, the sum of the lines, and BT-109, without VAT. They are equal, because there are no allowances. */
  readonly net: number;
  /** BT-112, with VAT, and BT-115, due. They are equal, because nothing is prepaid. */
  readonly gross: number;
}

interface ElectronicVat {
  /** BT-118: S is a rate, Z the rate 0, E exempt, AE reverse charge. */
  readonly category: 'S' | 'Z' | 'E' | 'AE' | undefined;
  /** BT-119, percent. */
  readonly rate: string;
  /** BT-120 */
  readonly reason: string | undefined;
  /** BT-116 and BT-117 */
  readonly taxable: number;
  readonly amount: number;
}

/** The specification of the electronic invoices: XRechnung, based on EN 16931 (BT-24). */
export const SPECIFICATION =
  'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0';
/** The business process: invoicing (BT-23). */
export const BUSINESS_PROCESS = 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0';
/** UNECE Rec 20: one. */
export const UNIT_CODE = 'C62';

/** The syntax of a document; `undefined` for statements, and if its recipient wants none. */
export const syntaxOf = ({ kind, recipient, tenants }: Invoice): Syntax | undefined => {
  const isCharged = kind !== 'statement' && tenants.some(({ lines }) => lines.length > 0);
  return isCharged ? recipient?.electronic : undefined;
};

/** Converts a document of one tenant to the terms of EN 16931. */
export function electronicOf(invoice: Invoice): ElectronicInvoice {
  const { number, issuedOn, dueOn, currency, issuer, recipient, cancels, reason } = invoice;
  const amountOf = (amount: number) => (cancels === undefined ? amount : opposite(amount));
  const [tenant] = invoice.tenants;
  const { lines = [], total = 0, vat, gross = total } = tenant ?? {};
  return {
    number: number === undefined ? undefined : `${number}`,
    typeCode: cancels === undefined ? '380' : '381',
    issuedOn,
    dueOn,
    currency,
    reference: recipient?.reference,
    terms: cancels === undefined ? invoice.terms : `Takes back invoice ${cancels}.`,
    note: reason,
    preceding: cancels === undefined ? undefined : `${cancels}`,
    seller: partyOf(issuer),
    contact: issuer?.contact,
    buyer: partyOf(recipient),
    period: invoice.period,
    paymentCode: currency === 'EUR' ? '58' : '30',
    iban: issuer?.iban,
    lines: lines.map(({ item, quantity, unitPrice, amount }, n) => ({
      id: `${n + 1}`,
      name: plainText('en', itemPhrase(item)),
      quantity,
      price: unitPrice,
      amount: amountOf(amount),
    })),
    vat: { ...categoryOf(vat), taxable: amountOf(total), amount: amountOf(vat?.amount ?? 0) },
    net: amountOf(total),
    gross: amountOf(gross),
  };
}

function partyOf(party: InvoiceParty | undefined): ElectronicParty {
  const { name, vatId, postal, electronicAddress } = party ?? {};
  const [scheme, ...id] = electronicAddress?.split(':') ?? [];
  return { name, vatId, postal, address: scheme ? { scheme, id: id.join(':') } : undefined };
}

function categoryOf(vat: InvoicedVat | undefined): Omit<ElectronicVat, 'taxable' | 'amount'> {
  const { rate, note, category } = vat ?? {};
  if (rate === undefined) return { category, rate: '0', reason: note };
  return { category: Number(rate) > 0 ? 'S' : 'Z', rate, reason: undefined };
}
