import { OkAnswer } from '../http/ok.js';
import { ApiProperty, ApiPropertyOptional } from '../http/openapi.js';

const COUNT = { type: 'integer', minimum: 0 } as const;
const MONEY = { type: 'integer', description: "in the currency's minor unit" } as const;
const CURRENCY = { example: 'EUR' };
const NUMBER = { type: 'integer', minimum: 1, example: 1 } as const;

class InvoicedCredentials {
  @ApiProperty({ ...COUNT, example: 12 })
  readonly enabled!: number;

  @ApiProperty({ ...COUNT, example: 1 })
  readonly disabled!: number;
}

/** What a relying party did in the period, and had at its end. */
export class InvoicedRelyingParty {
  @ApiProperty({ example: 'localhost', description: 'its domain' })
  readonly relyingParty!: string;

  @ApiProperty({ ...COUNT, example: 10 })
  readonly users!: number;

  @ApiProperty({ type: InvoicedCredentials })
  readonly credentials!: InvoicedCredentials;

  @ApiProperty({ ...COUNT, example: 3 })
  readonly registrations!: number;

  @ApiProperty({ ...COUNT, example: 200 })
  readonly authentications!: number;

  @ApiProperty({ ...COUNT, example: 8, description: 'who registered or signed in' })
  readonly activeUsers!: number;
}

export class InvoiceLine {
  @ApiProperty({ example: 'activeUsers' })
  readonly item!: string;

  @ApiProperty({ ...COUNT, example: 8 })
  readonly quantity!: number;

  @ApiProperty({ ...MONEY, example: 10 })
  readonly unitPrice!: number;

  @ApiProperty({ ...MONEY, example: 80 })
  readonly amount!: number;
}

export class InvoicedTenant {
  @ApiProperty({ example: 'default' })
  readonly tenant!: string;

  @ApiProperty({ type: [InvoicedRelyingParty] })
  readonly relyingParties!: readonly InvoicedRelyingParty[];

  @ApiProperty({ type: [InvoiceLine] })
  readonly lines!: readonly InvoiceLine[];

  @ApiProperty({ ...MONEY, example: 80 })
  readonly total!: number;
}

class InvoicePeriod {
  @ApiProperty({ format: 'date', example: '2026-01-01' })
  readonly from!: string;

  @ApiProperty({ format: 'date', example: '2026-01-31' })
  readonly to!: string;
}

/** The invoice of a month up to a date. All dates are of UTC. */
export class Invoice {
  @ApiProperty({ format: 'date', example: '2026-01-31' })
  readonly date!: string;

  @ApiProperty({ type: InvoicePeriod })
  readonly period!: InvoicePeriod;

  @ApiProperty(CURRENCY)
  readonly currency!: string;

  @ApiProperty({ type: [InvoicedTenant] })
  readonly tenants!: readonly InvoicedTenant[];

  @ApiProperty({ ...MONEY, example: 80 })
  readonly total!: number;

  @ApiPropertyOptional({ ...NUMBER, description: 'only of an invoice that is stored' })
  readonly number?: number;
}

/** What `invoice` answers, and what is stored of an invoice. */
export class InvoiceJson extends OkAnswer {
  @ApiProperty({ type: Invoice })
  readonly invoice!: Invoice;
}

/** A stored invoice, without what it says. */
export class InvoiceEntry {
  @ApiProperty(NUMBER)
  readonly number!: number;

  @ApiProperty({ format: 'date', example: '2026-01-31' })
  readonly date!: string;

  @ApiProperty(CURRENCY)
  readonly currency!: string;

  @ApiProperty({ ...MONEY, example: 80 })
  readonly total!: number;

  @ApiProperty({
    pattern: '^[0-9a-f]{64}$',
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    description: 'SHA-256 of the stored bytes',
  })
  readonly digest!: string;

  @ApiProperty({ format: 'date-time' })
  readonly issuedAt!: string;

  @ApiProperty({ example: 'admin' })
  readonly issuedBy!: string;
}

/** Answer of GET /userapi/invoices. */
export class InvoiceListAnswer extends OkAnswer {
  @ApiProperty({ type: [InvoiceEntry] })
  readonly invoices!: readonly InvoiceEntry[];

  @ApiPropertyOptional({ ...NUMBER, description: 'for `before`, where there are older ones' })
  readonly next?: number;
}

class EstimateBasis {
  @ApiProperty({ ...COUNT, example: 1 })
  readonly relyingParties!: number;

  @ApiProperty({ ...COUNT, example: 200, description: 'events that are not counted yet' })
  readonly events!: number;

  @ApiProperty({
    ...COUNT,
    nullable: true,
    example: 5,
    description:
      'milliseconds of the last invoice; `null` before the first one of this process, and for ' +
      'accounts that are limited to tenants: it tells how much the others have',
  })
  readonly lastRunMs!: number | null;
}

/** How long an invoice will take, and what that is reckoned from. */
export class InvoiceEstimate {
  @ApiProperty({ ...COUNT, example: 5, description: 'milliseconds' })
  readonly estimateMs!: number;

  @ApiProperty({ type: EstimateBasis })
  readonly basis!: EstimateBasis;
}

/** Answer of GET /userapi/invoiceest. */
export class EstimateAnswer extends InvoiceEstimate implements OkAnswer {
  @ApiProperty({ enum: ['ok'] })
  readonly status!: 'ok';

  @ApiProperty({ enum: [''] })
  readonly errorMessage!: '';
}
