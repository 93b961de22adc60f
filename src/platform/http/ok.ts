import { ApiProperty, ApiPropertyOptional } from './openapi/openapi.js';

/** The member `warnings` of an answer. */
export const ApiWarnings = () =>
  ApiPropertyOptional({
    type: [String],
    example: ['"flavour" is no field of this call, and was ignored.'],
    description:
      'warnings, for example about fields of the request that this call does not know; absent ' +
      'if there are none',
  });

/** The first members of every successful answer of the JSON interfaces. */
export class OkAnswer {
  @ApiProperty({ enum: ['ok'] })
  readonly status!: 'ok';

  @ApiProperty({ enum: [''] })
  readonly errorMessage!: '';

  @ApiWarnings()
  readonly warnings?: readonly string[] | undefined;
}

/** A successful answer. */
export const ok = <T extends object>(body: T): OkAnswer & T => ({
  status: 'ok',
  errorMessage: '',
  ...body,
});
