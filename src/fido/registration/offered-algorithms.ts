import { algorithmNumber } from '../../platform/validation/values/algorithm-name.js';
import { RS1, supportedAlgorithms } from '../../webauthn/keys/algorithms.js';
import type { KeyPolicy } from '../../webauthn/keys/cose-key.js';

const SUPPORTED = new Set(supportedAlgorithms());

/** ES256, EdDSA, RS256. */
const DEFAULT_ALGORITHMS: readonly number[] = [-7, -8, -257];
const EVERY_ALGORITHM: readonly number[] = [...supportedAlgorithms(), RS1.id];

/**
 * The algorithms that a begin call offers if the caller does not choose. FIDO's conformance tests never choose,
 * and then register with every algorithm.
 */
export const defaultAlgorithms = (conformance: boolean): readonly number[] =>
  conformance ? EVERY_ALGORITHM : DEFAULT_ALGORITHMS;

/**
 * The COSE number of a name or number in a request; `undefined` if it is not supported. RS1 is supported only if
 * the policy says so.
 */
export function algorithmOf(value: unknown, { rs1 = false }: KeyPolicy = {}): number | undefined {
  if (value === RS1.id || isRs1Name(value)) return rs1 ? RS1.id : undefined;
  const number = typeof value === 'string' ? algorithmNumber(value) : value;
  return typeof number === 'number' && SUPPORTED.has(number) ? number : undefined;
}

const isRs1Name = (value: unknown): boolean =>
  typeof value === 'string' && value.toUpperCase() === RS1.name;
