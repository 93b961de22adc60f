import {
  type JsonWebKey,
  KeyObject,
  type VerifyKeyObjectInput,
  createPublicKey,
  verify,
} from 'node:crypto';
import {
  type CborFailures,
  type CborMap,
  type CborValue,
  decodeCbor,
  isCborMap,
  withFailures,
} from '../cbor.js';
import { CeremonyError, ensure } from '../failure.js';
import { RS1, type SignatureAlgorithm, signatureAlgorithm } from './algorithms.js';

/** COSE_Key labels common to all key types (RFC 9052 §7.1). */
const LABEL = { kty: 1, alg: 3 } as const;

const NO_KEY = 'not a public key';
const KEY_FAILURES: CborFailures = {
  cut: 'key-not-acceptable',
  'left-over': 'key-not-acceptable',
  malformed: 'key-not-acceptable',
};

/** A public key in the form that `crypto.verify` takes. */
interface Ready {
  readonly input: KeyObject | VerifyKeyObjectInput;
  /** Length in bytes of an RSA signature (RFC 8017 §8.1.2 step 1); undefined for other keys. */
  readonly signatureBytes: number | undefined;
}

/** A public key bound to one algorithm, ready to verify. Reuse it: creating it is the expensive part. */
export class VerificationKey {
  private imported: KeyObject | undefined;
  private ready: Ready | undefined;

  /** @param source the key, or a JWK that is imported on first use */
  constructor(
    readonly algorithm: SignatureAlgorithm,
    private readonly source: KeyObject | JsonWebKey,
  ) {}

  get alg(): number {
    return this.algorithm.id;
  }

  get key(): KeyObject {
    const { source } = this;
    return (this.imported ??= source instanceof KeyObject ? source : createKey(source));
  }

  /**
   * Passes the signature to the library unchanged, since hand-written DER conversions invite security holes.
   * Only the length is checked before, since the library accepts PSS signatures without their leading zeros.
   */
  verify(data: Uint8Array, signature: Uint8Array): boolean {
    const { input, signatureBytes = signature.length } = (this.ready ??= readyFor(this));
    const { hash } = this.algorithm;
    return signature.length === signatureBytes && verify(hash, data, input, signature);
  }
}

function readyFor({ key, algorithm: { padding } }: VerificationKey): Ready {
  const bits = key.asymmetricKeyDetails?.modulusLength;
  return {
    input: padding === undefined ? key : { key, ...padding },
    signatureBytes: bits === undefined ? undefined : Math.ceil(bits / 8),
  };
}

/** A COSE_Key, decoded only as far as needed to choose its algorithm. */
interface CoseKey {
  readonly alg: number;
  readonly members: CborMap;
}

/** Acceptable keys besides those of {@link signatureAlgorithm}. */
interface KeyPolicy {
  /** Whether keys for RS1, whose signatures hash with SHA-1, are acceptable. */
  readonly rs1?: boolean;
}

/**
 * Imports a COSE_Key (WebAuthn L3 §6.5.1.1 "credentialPublicKey") within our own limits.
 * Fails with `key-not-acceptable`.
 */
export function importCoseKey(bytes: Uint8Array, policy?: KeyPolicy): VerificationKey {
  const { algorithm, jwk } = soundJwk(readCoseKey(decode(bytes)), policy);
  return new VerificationKey(algorithm, createKey(jwk));
}

/** Reads `alg`; the rest is checked by {@link acceptDecodedKey}. */
export function readCoseKey(value: CborValue): CoseKey {
  ensure(isCborMap(value), 'key-not-acceptable', 'not a map');
  const alg = value.get(LABEL.alg);
  ensure(typeof alg === 'number', 'key-not-acceptable', 'alg is not an integer');
  return { alg, members: value };
}

/**
 * Checks a decoded COSE_Key against the same limits as {@link importCoseKey}, and delays its import until it
 * verifies something, if that is cheaper. Fails with `key-not-acceptable`.
 */
export function acceptDecodedKey(cose: CoseKey, policy?: KeyPolicy): VerificationKey {
  const { algorithm, jwk } = soundJwk(cose, policy);
  const { importable } = algorithm.kind;
  if (importable === undefined) return new VerificationKey(algorithm, createKey(jwk));
  ensure(importable(jwk), 'key-not-acceptable', NO_KEY);
  return new VerificationKey(algorithm, jwk);
}

/** The algorithm and JWK of a COSE_Key, checked against our limits; unknown labels are ignored. */
function soundJwk({ alg, members }: CoseKey, { rs1 = false }: KeyPolicy = {}) {
  const algorithm = rs1 && alg === RS1.id ? RS1 : signatureAlgorithm(alg);
  ensure(algorithm !== undefined, 'key-not-acceptable', 'algorithm is not supported');
  const { kind } = algorithm;
  ensure(members.get(LABEL.kty) === kind.coseType, 'key-not-acceptable', 'kty does not fit alg');
  const isPrivate = kind.privateLabels.some((label) => members.has(label));
  ensure(!isPrivate, 'key-not-acceptable', 'holds private members');
  const jwk = kind.toJwk(members);
  ensure(jwk !== undefined, 'key-not-acceptable', 'members are missing or do not fit alg');
  ensure(kind.sound(jwk), 'key-not-acceptable', 'key is out of bounds');
  return { algorithm, jwk };
}

function createKey(jwk: JsonWebKey): KeyObject {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    throw new CeremonyError('key-not-acceptable', NO_KEY);
  }
}

function decode(bytes: Uint8Array): CborValue {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return withFailures(KEY_FAILURES, () => decodeCbor(buffer));
}
