import { ApiProperty } from './openapi.js';

/** What every answer of the JSON interfaces begins with when all is well. */
export class OkAnswer {
  @ApiProperty({ enum: ['ok'] })
  readonly status!: 'ok';

  @ApiProperty({ enum: [''] })
  readonly errorMessage!: '';
}

/**
 * An answer when all is well.
 *
 * The body is spread last: on Node 20 a literal that begins with a spread and goes on costs 3 µs.
 */
export const ok = <T extends object>(body: T): OkAnswer & T => ({
  status: 'ok',
  errorMessage: '',
  ...body,
});
