import { ApiProperty } from './openapi/openapi.js';

/** The first members of every successful answer of the JSON interfaces. */
export class OkAnswer {
  @ApiProperty({ enum: ['ok'] })
  readonly status!: 'ok';

  @ApiProperty({ enum: [''] })
  readonly errorMessage!: '';
}

/**
 * A successful answer.
 *
 * @param more members that follow those of the body, or replace them
 */
export function ok<T extends object>(body: T): OkAnswer & T;
export function ok<T extends object, U extends object>(
  body: T,
  more: U,
): OkAnswer & Omit<T, keyof U> & U;
export function ok(body: object, more?: object): OkAnswer {
  return { status: 'ok', errorMessage: '', ...body, ...more };
}
