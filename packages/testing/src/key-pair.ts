import { constants, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { CborInput } from './cbor-writer.js';

/** A key pair bound to a COSE algorithm. */
export interface KeyPair {
  readonly alg: number;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

type KeyType =
  | 'P-256'
  | 'P-384'
  | 'P-521'
  | 'secp256k1'
  | 'ed25519'
  | 'ed448'
  | 'rsa'
  | 'ml-dsa-44'
  | 'ml-dsa-65'
  | 'ml-dsa-87';

interface Scheme {
  readonly type: KeyType;
  readonly hash: string | null;
  readonly pss?: true;
}

/** COSE algorithm numbers by their names. */
export const ALG = {
  ES256: -7,
  EdDSA: -8,
  ES384: -35,
  ES512: -36,
  PS256: -37,
  PS384: -38,
  PS512: -39,
  ES256K: -47,
  Ed448: -53,
  RS256: -257,
  RS384: -258,
  RS512: -259,
} as const;

/** COSE numbers that only newer runtimes know; tests ask `supportedAlgorithms` first. */
export const ML_DSA = { 'ML-DSA-44': -48, 'ML-DSA-65': -49, 'ML-DSA-87': -50 } as const;

/** RSASSA-PKCS1-v1_5 with SHA-1, for conformance tests only. */
export const RS1 = -65535;

const SCHEMES: ReadonlyMap<number, Scheme> = new Map<number, Scheme>([
  [ALG.ES256, { type: 'P-256', hash: 'sha256' }],
  [ALG.EdDSA, { type: 'ed25519', hash: null }],
  [ALG.ES384, { type: 'P-384', hash: 'sha384' }],
  [ALG.ES512, { type: 'P-521', hash: 'sha512' }],
  [ALG.PS256, { type: 'rsa', hash: 'sha256', pss: true }],
  [ALG.PS384, { type: 'rsa', hash: 'sha384', pss: true }],
  [ALG.PS512, { type: 'rsa', hash: 'sha512', pss: true }],
  [ALG.ES256K, { type: 'secp256k1', hash: 'sha256' }],
  [ALG.Ed448, { type: 'ed448', hash: null }],
  [ALG.RS256, { type: 'rsa', hash: 'sha256' }],
  [ALG.RS384, { type: 'rsa', hash: 'sha384' }],
  [ALG.RS512, { type: 'rsa', hash: 'sha512' }],
  [RS1, { type: 'rsa', hash: 'sha1' }],
  [ML_DSA['ML-DSA-44'], { type: 'ml-dsa-44', hash: null }],
  [ML_DSA['ML-DSA-65'], { type: 'ml-dsa-65', hash: null }],
  [ML_DSA['ML-DSA-87'], { type: 'ml-dsa-87', hash: null }],
]);

const COSE_CURVE: Readonly<Record<string, number>> = {
  'P-256': 1,
  'P-384': 2,
  'P-521': 3,
  secp256k1: 8,
  Ed25519: 6,
  Ed448: 7,
};

type Keys = Omit<KeyPair, 'alg'>;

let sharedRsaKey: Keys | undefined;

/**
 * Makes a key pair. RSA pairs of one process share one 2048-bit key, because making one takes long;
 * tests that need a second RSA key call {@link generateRsaKey}.
 */
export function createKeyPair(alg: number): KeyPair {
  const { type } = schemeOf(alg);
  if (type === 'rsa') {
    sharedRsaKey ??= generateRsaKey();
    return { alg, ...sharedRsaKey };
  }
  const isCurve = type.startsWith('P-') || type === 'secp256k1';
  return { alg, ...(isCurve ? generateKeys('ec', { namedCurve: type }) : generateKeys(type)) };
}

/** A fresh RSA key; takes its time. */
export function generateRsaKey(bits = 2048): Keys {
  return generateKeys('rsa', { modulusLength: bits });
}

/**
 * Makes a key pair of a type of Node's `generateKeyPairSync`, whose types have an overload for each kind, and
 * none for those that only newer runtimes make.
 */
export const generateKeys = generateKeyPairSync as unknown as (
  type: string,
  options?: object,
) => Keys;

/** Signs as the algorithm says: ECDSA signatures are DER. */
export function signWith(pair: KeyPair, data: Buffer): Buffer {
  const { hash, pss } = schemeOf(pair.alg);
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  const saltLength = constants.RSA_PSS_SALTLEN_DIGEST;
  return sign(hash, data, pss ? { key: pair.privateKey, padding, saltLength } : pair.privateKey);
}

/** The public key as COSE_Key members (RFC 9053 §7, RFC 8230 §4). */
export function coseMembers(pair: KeyPair): Map<number, CborInput> {
  const jwk = pair.publicKey.export({ format: 'jwk' });
  const member = (text = ''): Buffer => Buffer.from(text, 'base64url');
  const curve = COSE_CURVE[jwk.crv ?? ''] ?? 0;
  if (jwk.kty === 'RSA') {
    return new Map<number, CborInput>([
      [1, 3],
      [3, pair.alg],
      [-1, member(jwk.n)],
      [-2, member(jwk.e)],
    ]);
  }
  if (jwk.kty === 'AKP') {
    return new Map<number, CborInput>([
      [1, 7],
      [3, pair.alg],
      [-1, member(String(jwk['pub']))],
    ]);
  }
  const members = new Map<number, CborInput>([
    [1, jwk.kty === 'OKP' ? 1 : 2],
    [3, pair.alg],
    [-1, curve],
    [-2, member(jwk.x)],
  ]);
  return jwk.y === undefined ? members : members.set(-3, member(jwk.y));
}

/** The uncompressed point 0x04 ‖ x ‖ y of an elliptic-curve key. */
export function rawPoint(pair: KeyPair): Buffer {
  const { x = '', y = '' } = pair.publicKey.export({ format: 'jwk' });
  return Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
}

function schemeOf(alg: number): Scheme {
  const scheme = SCHEMES.get(alg);
  if (scheme === undefined)
    throw new DOMException(`The authenticator has no algorithm ${alg}.`, 'NotSupportedError');
  return scheme;
}
