import { type CborValue, isCborArray, isCborMap } from '../cbor.js';

/** What a statement may name at most; who names more is refused before any is looked at. */
const MOST = 16;
/** A SafetyNet statement has its certificates inside a JWS, at most so many. */
const IN_JWS = 8;

/**
 * How many certificates an attestation statement would have us load and check: what it costs, in
 * numbers that are the same on each machine. Counts them by their places, without looking at any.
 *
 * @returns 0 for statements without certificates, at most 16
 */
export const certificateCount = (statement: CborValue): number =>
  Math.min(MOST, countIn(statement));

function countIn(statement: CborValue): number {
  if (isCborArray(statement)) return statement.reduce<number>((sum, part) => sum + inPart(part), 0);
  if (!isCborMap(statement)) return 0;
  const x5c = statement.get('x5c');
  if (isCborArray(x5c)) return x5c.length;
  return statement.has('response') ? IN_JWS : 0;
}

/** A statement of a compound one (W3C WebAuthn L3 §8.9). */
function inPart(part: CborValue): number {
  const statement = isCborMap(part) ? part.get('attStmt') : undefined;
  // There is no compound within a compound.
  return isCborMap(statement) ? countIn(statement) : 0;
}
