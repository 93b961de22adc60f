import { OkAnswer } from '../../platform/http/ok.js';
import { ApiCount, ApiProperty } from '../../platform/http/openapi/openapi.js';

class EstimateBasis {
  @ApiCount({ example: 1 })
  readonly relyingParties!: number;

  @ApiCount({
    example: 200,
    description: 'number of events that are not counted yet',
  })
  readonly events!: number;

  @ApiCount({
    nullable: true,
    example: 5,
    description:
      'duration of the last invoice in milliseconds; `null` before the first invoice of this ' +
      'process and for accounts that are limited to tenants, since it depends on the data of ' +
      'the others',
  })
  readonly lastRunMs!: number | null;
}

/** Answer of GET /userapi/invoiceest: the estimated duration of an invoice, and the basis of the estimate. */
export class EstimateAnswer extends OkAnswer {
  @ApiCount({ example: 5, description: 'estimated duration in milliseconds' })
  readonly estimateMs!: number;

  @ApiProperty({ type: EstimateBasis })
  readonly basis!: EstimateBasis;
}
