import type { KeyObject } from 'node:crypto';
import { type CborValue, isCborArray, isCborMap } from '../cbor.js';
import { ensure } from '../failure.js';
import { loadCertificate } from './certificate.js';

/** The maximum cost of a registration; a genuine one costs one to four. */
const MAX = 16;
/** The highest cost that is reported: sixteen certificates with expensive signatures. */
const MAX_NAMED = 64;
/** ES384 and ES512: OpenSSL takes ten times as long for them as for P-256, or longer. */
const EXPENSIVE_ALGORITHMS: readonly unknown[] = [-35, -36];
/** OpenSSL's name for P-256; it computes on no other curve nearly as fast. */
const CHEAP_CURVE = 'prime256v1';
/** Cost of a signature on any other curve; one on P-256 or by RSA costs 1. */
const EXPENSIVE = 4;
/** Cost of a SafetyNet statement, whose JWS contains at most eight certificates. */
const IN_JWS = 8;

/**
 * The cost of loading and verifying an attestation statement: the number of its certificates, each counted as
 * four if signatures are expensive, and four for an expensive signature without certificates. It is the
 * same on every machine, and no certificate is parsed to determine it.
 *
 * @returns 0 for `none` and for usual self attestation, at most 64
 */
export const certificateCost = (statement: CborValue): number =>
  Math.min(MAX_NAMED, costOf(statement));

/** Refuses a statement with too many certificates before the first is parsed, so the refusal costs nothing. */
export function ensureAffordable(statement: CborValue): void {
  const isAffordable = certificateCost(statement) <= MAX;
  ensure(isAffordable, 'attestation-malformed', 'the statement has too many certificates');
}

/**
 * Refuses too many keys on expensive curves before the paths are validated: the algorithm of a statement
 * does not reveal the keys of its CA certificates.
 *
 * @param certificates of all statements of a registration, DER
 */
export function ensureAffordableKeys(certificates: readonly Buffer[]): void {
  const expensive = certificates.filter((der) => isExpensive(loadCertificate(der).publicKey));
  const isAffordable = expensive.length * EXPENSIVE <= MAX;
  ensure(isAffordable, 'attestation-malformed', 'too many certificates have keys on slow curves');
}

const isExpensive = ({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean =>
  asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve !== CHEAP_CURVE;

function costOf(statement: CborValue): number {
  if (isCborArray(statement)) return statement.reduce<number>((sum, part) => sum + ofPart(part), 0);
  if (!isCborMap(statement)) return 0;
  const x5c = statement.get('x5c');
  const isCostly = EXPENSIVE_ALGORITHMS.includes(statement.get('alg'));
  if (isCborArray(x5c)) return x5c.length * (isCostly ? EXPENSIVE : 1);
  if (statement.has('response')) return IN_JWS;
  return isCostly ? EXPENSIVE : 0;
}

/** Cost of one statement of a compound attestation (W3C WebAuthn L3 §8.9). */
function ofPart(part: CborValue): number {
  const statement = isCborMap(part) ? part.get('attStmt') : undefined;
  // There is no compound within a compound.
  return isCborMap(statement) ? costOf(statement) : 0;
}
