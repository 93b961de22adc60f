import { decimalText } from '../pricing/pricing.js';
import {
  BUSINESS_PROCESS,
  SPECIFICATION,
  UNIT_CODE,
  writeXml,
  type ElectronicInvoice,
  type ElectronicLine,
  type ElectronicParty,
  type XmlNode,
} from './electronic-invoice.js';

const NAMESPACES = {
  '@xmlns:cac': 'urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2',
  '@xmlns:cbc': 'urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2',
};
const VAT_SCHEME = { 'cac:TaxScheme': { 'cbc:ID': 'VAT' } };

/** An invoice or credit note in UBL 2.1. The schema requires this order of the elements. */
export function ublOf(document: ElectronicInvoice): Buffer {
  const root = document.typeCode === '381' ? 'CreditNote' : 'Invoice';
  const schema = `urn:oasis:names:specification:ubl:schema:xsd:${root}-2`;
  return writeXml(root, { '@xmlns': schema, ...NAMESPACES, ...contentOf(document) });
}

function contentOf(document: ElectronicInvoice): Record<string, XmlNode> {
  const { typeCode, number, issuedOn, dueOn, currency, terms, note, preceding, period } = document;
  const isCredit = typeCode === '381';
  const money = (amount: number) => ({
    '@currencyID': currency,
    '#text': decimalText(amount, currency),
  });
  const category = {
    'cbc:ID': document.vat.category,
    'cbc:Percent': document.vat.rate,
  };
  const lineOf = ({ id, name, quantity, price, amount }: ElectronicLine): XmlNode => ({
    'cbc:ID': id,
    [isCredit ? 'cbc:CreditedQuantity' : 'cbc:InvoicedQuantity']: {
      '@unitCode': UNIT_CODE,
      '#text': `${quantity}`,
    },
    'cbc:LineExtensionAmount': money(amount),
    'cac:Item': {
      'cbc:Name': name,
      'cac:ClassifiedTaxCategory': { ...category, ...VAT_SCHEME },
    },
    'cac:Price': { 'cbc:PriceAmount': money(price) },
  });
  return {
    'cbc:CustomizationID': SPECIFICATION,
    'cbc:ProfileID': BUSINESS_PROCESS,
    'cbc:ID': number,
    'cbc:IssueDate': issuedOn,
    'cbc:DueDate': isCredit ? undefined : dueOn,
    [isCredit ? 'cbc:CreditNoteTypeCode' : 'cbc:InvoiceTypeCode']: typeCode,
    'cbc:Note': note,
    'cbc:DocumentCurrencyCode': currency,
    'cbc:BuyerReference': document.reference,
    'cac:InvoicePeriod': { 'cbc:StartDate': period.from, 'cbc:EndDate': period.to },
    'cac:BillingReference': preceding && {
      'cac:InvoiceDocumentReference': { 'cbc:ID': preceding },
    },
    'cac:AccountingSupplierParty': { 'cac:Party': sellerOf(document) },
    'cac:AccountingCustomerParty': { 'cac:Party': partyOf(document.buyer) },
    'cac:Delivery': { 'cbc:ActualDeliveryDate': period.to },
    'cac:PaymentMeans': {
      'cbc:PaymentMeansCode': document.paymentCode,
      'cac:PayeeFinancialAccount': { 'cbc:ID': document.iban, 'cbc:Name': document.seller.name },
    },
    'cac:PaymentTerms': terms && { 'cbc:Note': terms },
    'cac:TaxTotal': {
      'cbc:TaxAmount': money(document.vat.amount),
      'cac:TaxSubtotal': {
        'cbc:TaxableAmount': money(document.vat.taxable),
        'cbc:TaxAmount': money(document.vat.amount),
        'cac:TaxCategory': {
          ...category,
          'cbc:TaxExemptionReason': document.vat.reason,
          ...VAT_SCHEME,
        },
      },
    },
    'cac:LegalMonetaryTotal': {
      'cbc:LineExtensionAmount': money(document.net),
      'cbc:TaxExclusiveAmount': money(document.net),
      'cbc:TaxInclusiveAmount': money(document.gross),
      'cbc:PayableAmount': money(document.gross),
    },
    [isCredit ? 'cac:CreditNoteLine' : 'cac:InvoiceLine']: document.lines.map(lineOf),
  };
}

function partyOf({ name, vatId, postal, address }: ElectronicParty): Record<string, XmlNode> {
  return {
    'cbc:EndpointID': { '@schemeID': address?.scheme, '#text': address?.id },
    'cac:PostalAddress': {
      'cbc:StreetName': postal?.street,
      'cbc:CityName': postal?.city,
      'cbc:PostalZone': postal?.postcode,
      'cac:Country': { 'cbc:IdentificationCode': postal?.country },
    },
    'cac:PartyTaxScheme': vatId && { 'cbc:CompanyID': vatId, ...VAT_SCHEME },
    'cac:PartyLegalEntity': { 'cbc:RegistrationName': name },
  };
}

const sellerOf = ({ seller, contact }: ElectronicInvoice): XmlNode => ({
  ...partyOf(seller),
  'cac:Contact': {
    'cbc:Name': contact?.name,
    'cbc:Telephone': contact?.phone,
    'cbc:ElectronicMail': contact?.email,
  },
});
