import { ApiProperty } from './openapi/openapi.js';

/** The first members of every successful answer of the JSON interfaces. */
export class OkAnswer {
  @ApiProperty({ enum: ['ok'] })
  readonly status!: 'ok';

  @ApiProperty({ enum: [''] })
  readonly errorMessage!: '';
}

/** A successful answer. */
export const ok = <T extends object>(body: T): OkAnswer & T => ({
  status: 'ok',
  errorMessage: '',
  ...body,
});
