import { XMLParser } from 'fast-xml-parser';

/** An element of a document: its name without the prefix, its text and its children. */
export interface XmlElement {
  readonly name: string;
  readonly text: string;
  readonly children: readonly XmlElement[];
}

type Parsed = Readonly<Record<string, readonly Parsed[] | string>>;

const parser = new XMLParser({ preserveOrder: true, parseTagValue: false, removeNSPrefix: true });

/** The root element of a document. */
export function readXml(xml: Buffer): XmlElement {
  const [root] = (parser.parse(xml.toString('utf8')) as Parsed[])
    .flatMap(elementOf)
    .filter(({ name }) => name !== '?xml');
  if (!root) throw new Error('The document has no root.');
  return root;
}

function elementOf(parsed: Parsed): XmlElement[] {
  const [found] = Object.entries(parsed).filter(([name]) => name !== ':@' && name !== '#text');
  if (!found) return [];
  const [name, content] = found;
  const parts = content as readonly Parsed[];
  return [
    {
      name,
      text: parts.map((part) => part['#text'] ?? '').join(''),
      children: parts.flatMap(elementOf),
    },
  ];
}

/** Every text at a path of names, such as `TaxTotal/TaxAmount`. */
export function textsAt(element: XmlElement, path: string): string[] {
  const [first, ...rest] = path.split('/');
  const next = element.children.filter(({ name }) => name === first);
  if (rest.length === 0) return next.map(({ text }) => text);
  return next.flatMap((child) => textsAt(child, rest.join('/')));
}

/**
 * Names of children in the order of the schema; those with `!` are mandatory, those with `!*` may repeat too.
 * Children that our documents never have are left out.
 */
type Order = Readonly<Record<string, string>>;

const AMOUNT_TOTALS = 'LineExtensionAmount! TaxExclusiveAmount! TaxInclusiveAmount! PayableAmount!';
const HEAD = 'DocumentCurrencyCode! BuyerReference! InvoicePeriod!';
const BODY =
  'AccountingSupplierParty! AccountingCustomerParty! Delivery PaymentMeans! PaymentTerms TaxTotal! LegalMonetaryTotal!';

/** UBL 2.1, UBL-Invoice-2.1.xsd and UBL-CreditNote-2.1.xsd. */
export const UBL: Order = {
  Invoice: `CustomizationID! ProfileID! ID! IssueDate! DueDate InvoiceTypeCode! Note ${HEAD} ${BODY} InvoiceLine!*`,
  CreditNote: `CustomizationID! ProfileID! ID! IssueDate! CreditNoteTypeCode! Note ${HEAD} BillingReference! ${BODY} CreditNoteLine!*`,
  InvoicePeriod: 'StartDate! EndDate!',
  BillingReference: 'InvoiceDocumentReference!',
  InvoiceDocumentReference: 'ID!',
  AccountingSupplierParty: 'Party!',
  AccountingCustomerParty: 'Party!',
  Party: 'EndpointID! PostalAddress! PartyTaxScheme PartyLegalEntity! Contact',
  PostalAddress: 'StreetName CityName! PostalZone! Country!',
  Country: 'IdentificationCode!',
  PartyTaxScheme: 'CompanyID! TaxScheme!',
  TaxScheme: 'ID!',
  PartyLegalEntity: 'RegistrationName!',
  Contact: 'Name! Telephone! ElectronicMail!',
  Delivery: 'ActualDeliveryDate!',
  PaymentMeans: 'PaymentMeansCode! PayeeFinancialAccount!',
  PayeeFinancialAccount: 'ID! Name!',
  PaymentTerms: 'Note!',
  TaxTotal: 'TaxAmount! TaxSubtotal!',
  TaxSubtotal: 'TaxableAmount! TaxAmount! TaxCategory!',
  TaxCategory: 'ID! Percent! TaxExemptionReason TaxScheme!',
  LegalMonetaryTotal: AMOUNT_TOTALS,
  InvoiceLine: 'ID! InvoicedQuantity! LineExtensionAmount! Item! Price!',
  CreditNoteLine: 'ID! CreditedQuantity! LineExtensionAmount! Item! Price!',
  Item: 'Name! ClassifiedTaxCategory!',
  ClassifiedTaxCategory: 'ID! Percent! TaxScheme!',
  Price: 'PriceAmount!',
};

/** UN/CEFACT Cross Industry Invoice, CrossIndustryInvoice_100pD16B.xsd. */
export const CII: Order = {
  CrossIndustryInvoice: 'ExchangedDocumentContext! ExchangedDocument! SupplyChainTradeTransaction!',
  ExchangedDocumentContext:
    'BusinessProcessSpecifiedDocumentContextParameter! GuidelineSpecifiedDocumentContextParameter!',
  BusinessProcessSpecifiedDocumentContextParameter: 'ID!',
  GuidelineSpecifiedDocumentContextParameter: 'ID!',
  ExchangedDocument: 'ID! TypeCode! IssueDateTime! IncludedNote',
  IssueDateTime: 'DateTimeString!',
  IncludedNote: 'Content!',
  SupplyChainTradeTransaction:
    'IncludedSupplyChainTradeLineItem!* ApplicableHeaderTradeAgreement! ApplicableHeaderTradeDelivery! ApplicableHeaderTradeSettlement!',
  IncludedSupplyChainTradeLineItem:
    'AssociatedDocumentLineDocument! SpecifiedTradeProduct! SpecifiedLineTradeAgreement! SpecifiedLineTradeDelivery! SpecifiedLineTradeSettlement!',
  AssociatedDocumentLineDocument: 'LineID!',
  SpecifiedTradeProduct: 'Name!',
  SpecifiedLineTradeAgreement: 'NetPriceProductTradePrice!',
  NetPriceProductTradePrice: 'ChargeAmount!',
  SpecifiedLineTradeDelivery: 'BilledQuantity!',
  SpecifiedLineTradeSettlement:
    'ApplicableTradeTax! SpecifiedTradeSettlementLineMonetarySummation!',
  ApplicableTradeTax:
    'CalculatedAmount TypeCode! ExemptionReason BasisAmount CategoryCode! RateApplicablePercent!',
  SpecifiedTradeSettlementLineMonetarySummation: 'LineTotalAmount!',
  ApplicableHeaderTradeAgreement: 'BuyerReference! SellerTradeParty! BuyerTradeParty!',
  SellerTradeParty:
    'Name! DefinedTradeContact! PostalTradeAddress! URIUniversalCommunication! SpecifiedTaxRegistration',
  BuyerTradeParty: 'Name! PostalTradeAddress! URIUniversalCommunication! SpecifiedTaxRegistration',
  DefinedTradeContact:
    'PersonName! TelephoneUniversalCommunication! EmailURIUniversalCommunication!',
  TelephoneUniversalCommunication: 'CompleteNumber!',
  EmailURIUniversalCommunication: 'URIID!',
  PostalTradeAddress: 'PostcodeCode! LineOne CityName! CountryID!',
  URIUniversalCommunication: 'URIID!',
  SpecifiedTaxRegistration: 'ID!',
  ApplicableHeaderTradeDelivery: 'ActualDeliverySupplyChainEvent!',
  ActualDeliverySupplyChainEvent: 'OccurrenceDateTime!',
  OccurrenceDateTime: 'DateTimeString!',
  ApplicableHeaderTradeSettlement:
    'InvoiceCurrencyCode! SpecifiedTradeSettlementPaymentMeans! ApplicableTradeTax! BillingSpecifiedPeriod! SpecifiedTradePaymentTerms SpecifiedTradeSettlementHeaderMonetarySummation! InvoiceReferencedDocument',
  SpecifiedTradeSettlementPaymentMeans: 'TypeCode! PayeePartyCreditorFinancialAccount!',
  PayeePartyCreditorFinancialAccount: 'IBANID! AccountName!',
  BillingSpecifiedPeriod: 'StartDateTime! EndDateTime!',
  StartDateTime: 'DateTimeString!',
  EndDateTime: 'DateTimeString!',
  SpecifiedTradePaymentTerms: 'Description DueDateDateTime',
  DueDateDateTime: 'DateTimeString!',
  SpecifiedTradeSettlementHeaderMonetarySummation:
    'LineTotalAmount! TaxBasisTotalAmount! TaxTotalAmount! GrandTotalAmount! DuePayableAmount!',
  InvoiceReferencedDocument: 'IssuerAssignedID!',
};

/** Violations of the schema in a document: unknown, missing, repeated, misplaced or empty elements. */
export function schemaFlaws(element: XmlElement, order: Order): string[] {
  const { name, text, children } = element;
  const slots = order[name]?.split(' ');
  if (!slots) return text === '' || children.length > 0 ? [`${name} is empty or unknown`] : [];
  const names = children.map((child) => child.name);
  const pattern = slots.map((slot) => {
    const [child] = /^\w+/.exec(slot) ?? [''];
    if (slot.endsWith('!*')) return `(?:${child} )+`;
    return slot.endsWith('!') ? `${child} ` : `(?:${child} )?`;
  });
  const isRight = new RegExp(`^${pattern.join('')}$`).test(names.map((one) => `${one} `).join(''));
  return [
    ...(isRight ? [] : [`${name} has ${names.join(', ')}`]),
    ...children.flatMap((child) => schemaFlaws(child, order)),
  ];
}
