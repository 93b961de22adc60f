import { OkAnswer } from '../../platform/http/ok.js';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import type { DocumentKind } from './invoice.entity.js';
import {
  CURRENCY_SCHEMA,
  InvoicedVat,
  KIND_SCHEMA,
  MONEY_SCHEMA,
  NET_SCHEMA,
  NUMBER_SCHEMA,
} from './invoice.answer.js';

/** A SHA-256 hash in hexadecimal. */
const DIGEST = {
  pattern: '^[0-9a-f]{64}$',
  example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
};

/** A stored invoice, statement or credit note, without its contents. */
export class InvoiceEntry {
  @ApiProperty(NUMBER_SCHEMA)
  readonly number!: number | string;

  @ApiProperty(KIND_SCHEMA)
  readonly kind!: DocumentKind;

  @ApiProperty({ type: [String], example: ['default'] })
  readonly tenants!: readonly string[];

  @ApiPropertyOptional({
    ...NUMBER_SCHEMA,
    description: 'for a credit note: number of the invoice that it cancels',
  })
  readonly cancels?: number | string;

  @ApiPropertyOptional({
    ...NUMBER_SCHEMA,
    description: 'for a cancelled invoice: number of its credit note',
  })
  readonly cancelledBy?: number | string;

  @ApiProperty({ format: 'date', example: '2026-01-31' })
  readonly date!: string;

  @ApiProperty({
    format: 'date',
    example: '2026-01-01',
    description: 'first day of the invoiced period',
  })
  readonly from!: string;

  @ApiPropertyOptional({ format: 'date', example: '2026-02-01' })
  readonly issuedOn?: string;

  @ApiPropertyOptional({ format: 'date', example: '2026-03-03' })
  readonly dueOn?: string;

  @ApiPropertyOptional({ example: 'Acme AG', description: 'name of the recipient' })
  readonly recipient?: string;

  @ApiProperty(CURRENCY_SCHEMA)
  readonly currency!: string;

  @ApiProperty(NET_SCHEMA)
  readonly total!: number;

  @ApiPropertyOptional({ type: InvoicedVat })
  readonly vat?: InvoicedVat;

  @ApiProperty({
    ...MONEY_SCHEMA,
    example: 95,
    description: 'total including VAT in the minor unit of the currency',
  })
  readonly gross!: number;

  @ApiPropertyOptional({
    ...MONEY_SCHEMA,
    description:
      "net total of the tenant's invoice of the previous month; absent if there is none, or it is cancelled",
  })
  readonly lastMonth?: number;

  @ApiProperty({ ...DIGEST, description: 'SHA-256 of the stored bytes' })
  readonly digest!: string;

  @ApiPropertyOptional({
    ...DIGEST,
    description: 'SHA-256 of the electronic invoice, if there is one',
  })
  readonly xmlDigest?: string;

  @ApiProperty({ format: 'date-time' })
  readonly issuedAt!: string;

  @ApiProperty({ example: 'admin' })
  readonly issuedBy!: string;
}

/** Answer of GET /userapi/invoices. */
export class InvoiceListAnswer extends OkAnswer {
  @ApiProperty({ type: [InvoiceEntry] })
  readonly invoices!: readonly InvoiceEntry[];

  /** Absent if none is lost. */
  @ApiPropertyOptional({
    type: 'array',
    items: { oneOf: NUMBER_SCHEMA.oneOf },
    example: [13],
    description: 'numbers that were issued before a restore but are in no backup',
  })
  readonly lost?: readonly (number | string)[];

  @ApiPropertyOptional({
    ...NUMBER_SCHEMA,
    description: 'value of `before` for the next page; absent on the last page',
  })
  readonly next?: number | string;
}
