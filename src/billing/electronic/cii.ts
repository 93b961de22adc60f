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
  '@xmlns:rsm': 'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100',
  '@xmlns:ram':
    'urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100',
  '@xmlns:udt': 'urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100',
};

/** A date in CII; format 102 is YYYYMMDD. */
const dateOf = (day: string | undefined): XmlNode =>
  day && { 'udt:DateTimeString': { '@format': '102', '#text': day.replaceAll('-', '') } };

/** An invoice or credit note in UN/CEFACT Cross Industry Invoice D16B. The schema requires this order. */
export const ciiOf = (document: ElectronicInvoice): Buffer =>
  writeXml('rsm:CrossIndustryInvoice', {
    ...NAMESPACES,
    'rsm:ExchangedDocumentContext': {
      'ram:BusinessProcessSpecifiedDocumentContextParameter': { 'ram:ID': BUSINESS_PROCESS },
      'ram:GuidelineSpecifiedDocumentContextParameter': { 'ram:ID': SPECIFICATION },
    },
    'rsm:ExchangedDocument': {
      'ram:ID': document.number,
      'ram:TypeCode': document.typeCode,
      'ram:IssueDateTime': dateOf(document.issuedOn),
      'ram:IncludedNote': document.note && { 'ram:Content': document.note },
    },
    'rsm:SupplyChainTradeTransaction': {
      'ram:IncludedSupplyChainTradeLineItem': document.lines.map((line) => lineOf(line, document)),
      'ram:ApplicableHeaderTradeAgreement': {
        'ram:BuyerReference': document.reference,
        'ram:SellerTradeParty': partyOf(document.seller, contactOf(document)),
        'ram:BuyerTradeParty': partyOf(document.buyer),
      },
      'ram:ApplicableHeaderTradeDelivery': {
        'ram:ActualDeliverySupplyChainEvent': {
          'ram:OccurrenceDateTime': dateOf(document.period.to),
        },
      },
      'ram:ApplicableHeaderTradeSettlement': settlementOf(document),
    },
  });

function lineOf(
  { id, name, quantity, price, amount }: ElectronicLine,
  { currency, vat }: ElectronicInvoice,
): XmlNode {
  return {
    'ram:AssociatedDocumentLineDocument': { 'ram:LineID': id },
    'ram:SpecifiedTradeProduct': { 'ram:Name': name },
    'ram:SpecifiedLineTradeAgreement': {
      'ram:NetPriceProductTradePrice': { 'ram:ChargeAmount': decimalText(price, currency) },
    },
    'ram:SpecifiedLineTradeDelivery': {
      'ram:BilledQuantity': { '@unitCode': UNIT_CODE, '#text': `${quantity}` },
    },
    'ram:SpecifiedLineTradeSettlement': {
      'ram:ApplicableTradeTax': {
        'ram:TypeCode': 'VAT',
        'ram:CategoryCode': vat.category,
        'ram:RateApplicablePercent': vat.rate,
      },
      'ram:SpecifiedTradeSettlementLineMonetarySummation': {
        'ram:LineTotalAmount': decimalText(amount, currency),
      },
    },
  };
}

const contactOf = ({ contact }: ElectronicInvoice): XmlNode => ({
  'ram:PersonName': contact?.name,
  'ram:TelephoneUniversalCommunication': { 'ram:CompleteNumber': contact?.phone },
  'ram:EmailURIUniversalCommunication': { 'ram:URIID': contact?.email },
});

const partyOf = (
  { name, vatId, postal, address }: ElectronicParty,
  contact?: XmlNode,
): XmlNode => ({
  'ram:Name': name,
  'ram:DefinedTradeContact': contact,
  'ram:PostalTradeAddress': {
    'ram:PostcodeCode': postal?.postcode,
    'ram:LineOne': postal?.street,
    'ram:CityName': postal?.city,
    'ram:CountryID': postal?.country,
  },
  'ram:URIUniversalCommunication': {
    'ram:URIID': { '@schemeID': address?.scheme, '#text': address?.id },
  },
  'ram:SpecifiedTaxRegistration': vatId && { 'ram:ID': { '@schemeID': 'VA', '#text': vatId } },
});

function settlementOf(document: ElectronicInvoice): XmlNode {
  const { currency, vat, period, terms, dueOn, net, gross, preceding } = document;
  const money = (amount: number) => decimalText(amount, currency);
  return {
    'ram:InvoiceCurrencyCode': currency,
    'ram:SpecifiedTradeSettlementPaymentMeans': {
      'ram:TypeCode': document.paymentCode,
      'ram:PayeePartyCreditorFinancialAccount': {
        'ram:IBANID': document.iban,
        'ram:AccountName': document.seller.name,
      },
    },
    'ram:ApplicableTradeTax': {
      'ram:CalculatedAmount': money(vat.amount),
      'ram:TypeCode': 'VAT',
      'ram:ExemptionReason': vat.reason,
      'ram:BasisAmount': money(vat.taxable),
      'ram:CategoryCode': vat.category,
      'ram:RateApplicablePercent': vat.rate,
    },
    'ram:BillingSpecifiedPeriod': {
      'ram:StartDateTime': dateOf(period.from),
      'ram:EndDateTime': dateOf(period.to),
    },
    'ram:SpecifiedTradePaymentTerms': (terms || dueOn) && {
      'ram:Description': terms,
      'ram:DueDateDateTime': dateOf(dueOn),
    },
    'ram:SpecifiedTradeSettlementHeaderMonetarySummation': {
      'ram:LineTotalAmount': money(net),
      'ram:TaxBasisTotalAmount': money(net),
      'ram:TaxTotalAmount': { '@currencyID': currency, '#text': money(vat.amount) },
      'ram:GrandTotalAmount': money(gross),
      'ram:DuePayableAmount': money(gross),
    },
    'ram:InvoiceReferencedDocument': preceding && { 'ram:IssuerAssignedID': preceding },
  };
}
