import { supportedAlgorithms } from '../webauthn/algorithms.js';

/** Names of COSE algorithms in requests (IANA COSE Algorithms). */
const BY_NAME: ReadonlyMap<string, number> = new Map([
  ['es256', -7],
  ['eddsa', -8],
  ['es384', -35],
  ['es512', -36],
  ['ps256', -37],
  ['ps384', -38],
  ['ps512', -39],
  ['es256k', -47],
  ['rs256', -257],
  ['rs384', -258],
  ['rs512', -259],
]);

const SUPPORTED = new Set(supportedAlgorithms());

/** What a begin call offers when the caller does not choose: ES256, EdDSA, RS256. */
export const DEFAULT_ALGORITHMS: readonly number[] = [-7, -8, -257];

/** The COSE number of a name or number in a request; `undefined` when it is not to be had here. */
export function algorithmOf(value: unknown): number | undefined {
  const number = typeof value === 'string' ? BY_NAME.get(value.toLowerCase()) : value;
  return typeof number === 'number' && SUPPORTED.has(number) ? number : undefined;
}
