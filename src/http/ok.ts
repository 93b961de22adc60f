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
 * @param more members that come behind the body's, or in their place
 */
export function ok<T extends object>(body: T): OkAnswer & T;
export function ok<T extends object, U extends object>(
  body: T,
  more: U,
): OkAnswer & Omit<T, keyof U> & U;
export function ok(body: object, more?: object): OkAnswer {
  return { status: 'ok', errorMessage: '', ...body, ...more };
}
