import type { KeyObject } from 'node:crypto';
import { type CborValue, isCborArray, isCborMap } from '../cbor.js';
import { ensure } from '../failure.js';
import { loadCertificate } from './certificate.js';

/** What a registration may cost at most; an honest one costs one to four. */
const MOST = 16;
/** What a registration may name at most, each dear. */
const MOST_NAMED = 64;
/** ES384 and ES512: OpenSSL verifies P-256 in a tenth of the time, or less, that the others take. */
const DEAR_ALGORITHMS: readonly unknown[] = [-35, -36];
/** The same curves as OpenSSL calls them. */
const DEAR_CURVES: readonly unknown[] = ['secp384r1', 'secp521r1'];
/** What a signature by such a key costs, where one on P-256 or by RSA costs 1. */
const DEAR = 4;
/** A SafetyNet statement has its certificates inside a JWS, at most so many. */
const IN_JWS = 8;

/**
 * What an attestation statement would have us load and verify: the number of its certificates, each as
 * four where the signatures are dear, and four for such a signature without any. The same on each
 * machine, and counted without looking at any.
 *
 * @returns 0 for `none` and for usual self attestation, at most 64
 */
export const certificateCost = (statement: CborValue): number =>
  Math.min(MOST_NAMED, costOf(statement));

/** Before the first certificate is parsed: who sends more is to cost nothing. */
export function ensureAffordable(statement: CborValue): void {
  const isAffordable = certificateCost(statement) <= MOST;
  ensure(isAffordable, 'attestation-malformed', 'the statement has too many certificates');
}

/**
 * Before the paths are validated: the algorithm of a statement tells nothing of the keys of its
 * authorities.
 *
 * @param certificates of all statements of a registration, DER
 */
export function ensureAffordableKeys(certificates: readonly Buffer[]): void {
  const dear = certificates.filter((der) => isDear(loadCertificate(der).publicKey));
  const isAffordable = dear.length * DEAR <= MOST;
  ensure(isAffordable, 'attestation-malformed', 'too many certificates have keys on large curves');
}

const isDear = ({ asymmetricKeyDetails }: KeyObject): boolean =>
  DEAR_CURVES.includes(asymmetricKeyDetails?.namedCurve);

function costOf(statement: CborValue): number {
  if (isCborArray(statement)) return statement.reduce<number>((sum, part) => sum + ofPart(part), 0);
  if (!isCborMap(statement)) return 0;
  const x5c = statement.get('x5c');
  const isCostly = DEAR_ALGORITHMS.includes(statement.get('alg'));
  if (isCborArray(x5c)) return x5c.length * (isCostly ? DEAR : 1);
  if (statement.has('response')) return IN_JWS;
  return isCostly ? DEAR : 0;
}

/** A statement of a compound one (W3C WebAuthn L3 §8.9). */
function ofPart(part: CborValue): number {
  const statement = isCborMap(part) ? part.get('attStmt') : undefined;
  // There is no compound within a compound.
  return isCborMap(statement) ? costOf(statement) : 0;
}
