import { type CborValue, isCborArray, isCborMap } from '../cbor.js';

/** What a registration may name at most, each dear; who names more is refused before any is looked at. */
const MOST = 64;
/** ES384 and ES512: OpenSSL verifies P-256 in a tenth of the time, or less, that the others take. */
const DEAR_ALGORITHMS: readonly unknown[] = [-35, -36];
/** Of a statement by such a key, whose authorities have such keys too as a rule. */
const DEAR = 4;
/** A SafetyNet statement has its certificates inside a JWS, at most so many. */
const IN_JWS = 8;

/**
 * What the certificates cost that an attestation statement would have us load and check: their number, four
 * times as many where the signatures are dear. The same on each machine, and counted without looking at any.
 *
 * @returns 0 for statements without certificates, at most 64
 */
export const certificateCost = (statement: CborValue): number => Math.min(MOST, countIn(statement));

function countIn(statement: CborValue): number {
  if (isCborArray(statement)) return statement.reduce<number>((sum, part) => sum + inPart(part), 0);
  if (!isCborMap(statement)) return 0;
  const x5c = statement.get('x5c');
  const each = DEAR_ALGORITHMS.includes(statement.get('alg')) ? DEAR : 1;
  if (isCborArray(x5c)) return x5c.length * each;
  return statement.has('response') ? IN_JWS : 0;
}

/** A statement of a compound one (W3C WebAuthn L3 §8.9). */
function inPart(part: CborValue): number {
  const statement = isCborMap(part) ? part.get('attStmt') : undefined;
  // There is no compound within a compound.
  return isCborMap(statement) ? countIn(statement) : 0;
}
