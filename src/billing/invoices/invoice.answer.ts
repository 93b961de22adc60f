import { EXEMPTIONS, SYNTAXES, type Exemption, type Syntax } from '../pricing/booking.js';
import { OkAnswer } from '../../platform/http/ok.js';
import { ApiCount, ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { DOCUMENT_KINDS, type DocumentKind } from './invoice.entity.js';

export const MONEY_SCHEMA = {
  type: 'integer',
  description: 'amount in the minor unit of the currency',
} as const;
export const NET_SCHEMA = {
  ...MONEY_SCHEMA,
  example: 80,
  description: 'net total in the minor unit of the currency',
} as const;
export const CURRENCY_SCHEMA = { example: 'EUR' };
/** `12`, or `S-12` for a statement; `R1-12` and `S-R1-12` after a restore. */
export const NUMBER_SCHEMA: { oneOf: { type: string; pattern?: string }[]; example: number } = {
  oneOf: [
    { type: 'integer' },
    { type: 'string', pattern: '^(S-(R[1-9][0-9]*-)?|R[1-9][0-9]*-)[1-9][0-9]*$' },
  ],
  example: 1,
};
export const KIND_SCHEMA = { enum: DOCUMENT_KINDS, example: 'invoice' } as const;
const DATE = { format: 'date', example: '2026-02-01' } as const;

class InvoicedCredentials {
  @ApiCount({ example: 12 })
  readonly enabled!: number;

  @ApiCount({ example: 1 })
  readonly disabled!: number;
}

/** The activity of a relying party in the period, and its counts at the end. */
export class InvoicedRelyingParty {
  @ApiProperty({ example: 'localhost', description: 'domain of the relying party' })
  readonly relyingParty!: string;

  @ApiCount({ example: 10 })
  readonly users!: number;

  @ApiProperty({ type: InvoicedCredentials })
  readonly credentials!: InvoicedCredentials;

  @ApiCount({ example: 3 })
  readonly registrations!: number;

  @ApiCount({ example: 200 })
  readonly authentications!: number;

  @ApiCount({
    example: 8,
    description: 'number of users who registered a key or signed in',
  })
  readonly activeUsers!: number;
}

export class InvoiceLine {
  @ApiProperty({ example: 'activeUsers' })
  readonly item!: string;

  @ApiCount({ example: 8 })
  readonly quantity!: number;

  @ApiProperty({ ...MONEY_SCHEMA, example: 10 })
  readonly unitPrice!: number;

  @ApiProperty({ ...MONEY_SCHEMA, example: 80 })
  readonly amount!: number;
}

/** The tax on a tenant's total. */
export class InvoicedVat {
  @ApiPropertyOptional({ example: '19', description: 'VAT rate in percent' })
  readonly rate?: string;

  @ApiPropertyOptional({ description: 'reason why no VAT is charged' })
  readonly note?: string;

  @ApiPropertyOptional({
    enum: EXEMPTIONS,
    description: 'E: exempt, AE: reverse charge (the recipient owes the VAT)',
  })
  readonly category?: Exemption;

  @ApiProperty({ ...MONEY_SCHEMA, example: 15 })
  readonly amount!: number;
}

export class InvoicedTenant {
  @ApiProperty({ example: 'default' })
  readonly tenant!: string;

  @ApiPropertyOptional({
    example: 'Default',
    description: 'display name of the tenant; absent on invoices stored before version 0.2',
  })
  readonly displayName?: string;

  @ApiProperty({ type: [InvoicedRelyingParty] })
  readonly relyingParties!: readonly InvoicedRelyingParty[];

  @ApiProperty({ type: [InvoiceLine] })
  readonly lines!: readonly InvoiceLine[];

  @ApiProperty(NET_SCHEMA)
  readonly total!: number;

  @ApiPropertyOptional({ type: InvoicedVat })
  readonly vat?: InvoicedVat;

  @ApiPropertyOptional({ ...MONEY_SCHEMA, example: 95 })
  readonly gross?: number;
}

class InvoicePostalAddress {
  @ApiPropertyOptional({ example: 'Bahnhofstrasse 1' })
  readonly street?: string;

  @ApiProperty({ example: '8000' })
  readonly postcode!: string;

  @ApiProperty({ example: 'Zürich' })
  readonly city!: string;

  @ApiProperty({ pattern: '^[A-Z]{2}$', example: 'CH' })
  readonly country!: string;
}

class InvoiceContact {
  @ApiProperty({ example: 'Accounts receivable' })
  readonly name!: string;

  @ApiProperty({ example: '+49 30 1234567' })
  readonly phone!: string;

  @ApiProperty({ example: 'billing@example.com' })
  readonly email!: string;
}

/** The issuer or the recipient of an invoice. */
export class InvoiceParty {
  @ApiProperty({ example: 'Acme AG' })
  readonly name!: string;

  @ApiProperty({ type: [String], example: ['1 Main Street', '8000 Zürich'] })
  readonly address!: readonly string[];

  @ApiPropertyOptional({ example: 'CHE-123.456.789 MWST' })
  readonly vatId?: string;

  @ApiPropertyOptional({ description: 'bank details for the payment; only for the issuer' })
  readonly bank?: string;

  @ApiPropertyOptional({
    description: 'reference of the recipient, for example an order number',
    example: 'PO-4711',
  })
  readonly reference?: string;

  @ApiPropertyOptional({ type: InvoicePostalAddress })
  readonly postal?: InvoicePostalAddress;

  @ApiPropertyOptional({ example: 'EM:billing@example.com' })
  readonly electronicAddress?: string;

  @ApiPropertyOptional({ type: InvoiceContact })
  readonly contact?: InvoiceContact;

  @ApiPropertyOptional({
    example: 'DE02120300000000202051',
    description: 'IBAN; only for the issuer',
  })
  readonly iban?: string;

  @ApiPropertyOptional({
    enum: SYNTAXES,
    description: "XML syntax of the recipient's electronic invoice; only for the recipient",
  })
  readonly electronic?: Syntax;
}

class InvoicePeriod {
  @ApiProperty({ format: 'date', example: '2026-01-01' })
  readonly from!: string;

  @ApiProperty({ format: 'date', example: '2026-01-31' })
  readonly to!: string;
}

/** The invoice of a month up to a date. All dates are UTC. */
export class Invoice {
  @ApiProperty({ format: 'date', example: '2026-01-31' })
  readonly date!: string;

  @ApiProperty({ type: InvoicePeriod })
  readonly period!: InvoicePeriod;

  @ApiProperty(CURRENCY_SCHEMA)
  readonly currency!: string;

  @ApiProperty({ type: [InvoicedTenant] })
  readonly tenants!: readonly InvoicedTenant[];

  @ApiProperty(NET_SCHEMA)
  readonly total!: number;

  @ApiPropertyOptional({ ...MONEY_SCHEMA, example: 95 })
  readonly gross?: number;

  @ApiPropertyOptional({
    ...NUMBER_SCHEMA,
    description: 'number of the document; this and all further fields only for a stored document',
  })
  readonly number?: number | string;

  @ApiPropertyOptional({
    ...KIND_SCHEMA,
    description: 'kind of the document; a statement charges nothing',
  })
  readonly kind?: DocumentKind;

  @ApiPropertyOptional(DATE)
  readonly issuedOn?: string;

  @ApiPropertyOptional({ ...DATE, example: '2026-03-03' })
  readonly dueOn?: string;

  @ApiPropertyOptional({ example: 'Payable without deduction.' })
  readonly terms?: string;

  @ApiPropertyOptional({ type: InvoiceParty })
  readonly issuer?: InvoiceParty;

  @ApiPropertyOptional({ type: InvoiceParty })
  readonly recipient?: InvoiceParty;

  @ApiPropertyOptional({
    ...NUMBER_SCHEMA,
    description: 'for a credit note: number of the invoice that it cancels',
  })
  readonly cancels?: number | string;

  @ApiPropertyOptional({ description: 'for a credit note: reason for the cancellation' })
  readonly reason?: string;
}

/** A document that a call stored for one tenant, or found stored. */
export class StoredInvoice {
  @ApiProperty({ example: 'default' })
  readonly tenant!: string;

  @ApiProperty(KIND_SCHEMA)
  readonly kind!: DocumentKind;

  @ApiProperty(NUMBER_SCHEMA)
  readonly number!: number | string;

  @ApiProperty({ ...MONEY_SCHEMA, example: 80 })
  readonly total!: number;
}

/** Answer of `invoice`; a stored invoice has the same form. */
export class InvoiceJson extends OkAnswer {
  @ApiProperty({ type: Invoice })
  readonly invoice!: Invoice;

  @ApiPropertyOptional({
    type: [StoredInvoice],
    description: 'stored documents; only with invoicelog=yes',
  })
  readonly stored?: readonly StoredInvoice[];

  @ApiPropertyOptional({
    description:
      'notice that a statement, which charges nothing, was stored, and how to get the invoice',
  })
  readonly notice?: string;
}
