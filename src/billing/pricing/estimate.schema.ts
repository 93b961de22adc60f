import type { OkAnswer } from '../../platform/http/ok.js';
import { ApiProperty } from '../../platform/http/openapi/openapi.js';
import { COUNT_SCHEMA } from '../invoices/invoice.schema.js';

class EstimateBasis {
  @ApiProperty({ ...COUNT_SCHEMA, example: 1 })
  readonly relyingParties!: number;

  @ApiProperty({ ...COUNT_SCHEMA, example: 200, description: 'events that are not counted yet' })
  readonly events!: number;

  @ApiProperty({
    ...COUNT_SCHEMA,
    nullable: true,
    example: 5,
    description:
      'milliseconds of the last invoice; `null` before the first one of this process, and for ' +
      'accounts that are limited to tenants: it shows how much the others have',
  })
  readonly lastRunMs!: number | null;
}

/** The estimated duration of an invoice, and the basis of the estimate. */
export class InvoiceEstimate {
  @ApiProperty({ ...COUNT_SCHEMA, example: 5, description: 'milliseconds' })
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
