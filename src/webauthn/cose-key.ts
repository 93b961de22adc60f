import {
  type JsonWebKey,
  type KeyObject,
  type VerifyKeyObjectInput,
  createPublicKey,
  verify,
} from 'node:crypto';
import { RS1, type SignatureAlgorithm, signatureAlgorithm } from './algorithms.js';
import { type CborMap, CborError, type CborValue, decodeCbor, isCborMap } from './cbor.js';
import { CeremonyError, ensure } from './failure.js';

/** COSE_Key labels common to all key types (RFC 9052 §7.1). */
const LABEL = { kty: 1, alg: 3 } as const;

/** A public key bound to one algorithm, ready to verify: keep it, since making it costs most. */
export class VerificationKey {
  private readonly hash: string | null;
  private readonly input: KeyObject | VerifyKeyObjectInput;
  /** RFC 8017 §8.1.2 step 1: bytes of an RSA signature. */
  private readonly signatureBytes: number | undefined;

  constructor(
    readonly algorithm: SignatureAlgorithm,
    readonly key: KeyObject,
  ) {
    this.hash = algorithm.hash;
    this.input = algorithm.padding === undefined ? key : { key, ...algorithm.padding };
    const bits = key.asymmetricKeyDetails?.modulusLength;
    this.signatureBytes = bits === undefined ? undefined : Math.ceil(bits / 8);
  }

  /** COSE algorithm identifier. */
  get alg(): number {
    return this.algorithm.id;
  }

  /**
   * The bytes go to the library untouched: every hand-made DER conversion is a hole or a bug. Only
   * their number is checked before, since the library takes PSS without its leading zeros.
   */
  verify(data: Uint8Array, signature: Uint8Array): boolean {
    const expected = this.signatureBytes ?? signature.length;
    return signature.length === expected && verify(this.hash, data, this.input, signature);
  }
}

/** A COSE_Key, decoded as far as choosing its algorithm needs. */
export interface CoseKey {
  readonly alg: number;
  readonly members: CborMap;
}

/** Which keys are acceptable beyond the ordinary ones. */
export interface KeyPolicy {
  /** RS1, whose signatures hash with SHA-1. */
  readonly rs1?: boolean;
}

/**
 * Imports a COSE_Key (WebAuthn L3 §6.5.1.1 "credentialPublicKey") with bounds of our own.
 * Fails with `key-not-acceptable`.
 */
export function importCoseKey(bytes: Uint8Array, policy?: KeyPolicy): VerificationKey {
  return importDecodedKey(readCoseKey(decode(bytes)), policy);
}

/** Reads `alg`; the rest is checked by {@link importDecodedKey}. */
export function readCoseKey(value: CborValue): CoseKey {
  ensure(isCborMap(value), 'key-not-acceptable', 'not a map');
  const alg = value.get(LABEL.alg);
  ensure(typeof alg === 'number', 'key-not-acceptable', 'alg is not an integer');
  return { alg, members: value };
}

/** Imports a decoded COSE_Key. Unknown labels are ignored. */
export function importDecodedKey(
  { alg, members }: CoseKey,
  { rs1 = false }: KeyPolicy = {},
): VerificationKey {
  const algorithm = rs1 && alg === RS1.id ? RS1 : signatureAlgorithm(alg);
  ensure(algorithm !== undefined, 'key-not-acceptable', 'algorithm is not supported');
  const { kind } = algorithm;
  ensure(members.get(LABEL.kty) === kind.coseType, 'key-not-acceptable', 'kty does not fit alg');
  const isPrivate = kind.privateLabels.some((label) => members.has(label));
  ensure(!isPrivate, 'key-not-acceptable', 'holds private members');
  const jwk = kind.toJwk(members);
  ensure(jwk !== undefined, 'key-not-acceptable', 'members are missing or do not fit alg');
  ensure(kind.sound(jwk), 'key-not-acceptable', 'key is out of bounds');
  return new VerificationKey(algorithm, createKey(jwk));
}

function createKey(jwk: JsonWebKey): KeyObject {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    throw new CeremonyError('key-not-acceptable', 'not a public key');
  }
}

function decode(bytes: Uint8Array): CborValue {
  try {
    return decodeCbor(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  } catch (error) {
    if (error instanceof CborError) throw new CeremonyError('key-not-acceptable', error.message);
    throw error;
  }
}
