import { constants, createPublicKey, getCurves } from 'node:crypto';
import {
  type KeyKind,
  ML_DSA_44,
  ML_DSA_65,
  ML_DSA_87,
  OKP_ED25519,
  OKP_ED448,
  P256,
  P384,
  P521,
  RSA,
  SECP256K1,
} from './key-kind.js';

/** A signature algorithm of the IANA COSE registry, in the form that `crypto.verify` needs. */
export interface SignatureAlgorithm {
  /** COSE algorithm identifier. */
  readonly id: number;
  readonly name: string;
  /** A curve is bound to its algorithm (WebAuthn L3 §5.8.5). */
  readonly kind: KeyKind;
  /** The hash to apply before signing; `null` if the scheme hashes itself. */
  readonly hash: 'sha1' | 'sha256' | 'sha384' | 'sha512' | null;
  readonly padding?: { readonly padding: number; readonly saltLength?: number };
  /** The OpenSSL curve without which this runtime cannot verify the algorithm. */
  readonly needsCurve?: string;
}

/** RFC 8230 §2: the salt is as long as the hash. */
const PSS = {
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
};
const PKCS1 = { padding: constants.RSA_PKCS1_PADDING };

/** In display order; nothing else depends on the order. */
const TABLE: readonly SignatureAlgorithm[] = [
  { id: -7, name: 'ES256', kind: P256, hash: 'sha256' },
  { id: -8, name: 'EdDSA', kind: OKP_ED25519, hash: null },
  { id: -257, name: 'RS256', kind: RSA, hash: 'sha256', padding: PKCS1 },
  { id: -35, name: 'ES384', kind: P384, hash: 'sha384' },
  { id: -36, name: 'ES512', kind: P521, hash: 'sha512' },
  { id: -258, name: 'RS384', kind: RSA, hash: 'sha384', padding: PKCS1 },
  { id: -259, name: 'RS512', kind: RSA, hash: 'sha512', padding: PKCS1 },
  { id: -37, name: 'PS256', kind: RSA, hash: 'sha256', padding: PSS },
  { id: -38, name: 'PS384', kind: RSA, hash: 'sha384', padding: PSS },
  { id: -39, name: 'PS512', kind: RSA, hash: 'sha512', padding: PSS },
  { id: -47, name: 'ES256K', kind: SECP256K1, hash: 'sha256', needsCurve: 'secp256k1' },
  // The fully-specified algorithms of RFC 9864, then ML-DSA (draft-ietf-cose-dilithium).
  { id: -9, name: 'ESP256', kind: P256, hash: 'sha256' },
  { id: -51, name: 'ESP384', kind: P384, hash: 'sha384' },
  { id: -52, name: 'ESP512', kind: P521, hash: 'sha512' },
  { id: -19, name: 'Ed25519', kind: OKP_ED25519, hash: null },
  { id: -53, name: 'Ed448', kind: OKP_ED448, hash: null },
  { id: -48, name: 'ML-DSA-44', kind: ML_DSA_44, hash: null },
  { id: -49, name: 'ML-DSA-65', kind: ML_DSA_65, hash: null },
  { id: -50, name: 'ML-DSA-87', kind: ML_DSA_87, hash: null },
];

/**
 * RSASSA-PKCS1-v1_5 with SHA-1 (RFC 8812 §2), with which older TPMs sign their statements. Not in
 * the table: a credential may use it only if it was offered by name, for FIDO's conformance tests.
 */
export const RS1: SignatureAlgorithm = {
  id: -65535,
  name: 'RS1',
  kind: RSA,
  hash: 'sha1',
  padding: PKCS1,
};

const CURVES = new Set(getCurves());

const SUPPORTED: ReadonlyMap<number, SignatureAlgorithm> = new Map(
  TABLE.filter(isAvailable).map((row) => [row.id, row]),
);

function isAvailable({ needsCurve, kind }: SignatureAlgorithm): boolean {
  if (needsCurve !== undefined) return CURVES.has(needsCurve);
  if (kind.probe === undefined) return true;
  try {
    createPublicKey({ key: kind.probe, format: 'jwk' });
    return true;
  } catch {
    return false;
  }
}

/** The algorithm with this COSE identifier, if this runtime can verify it. */
export function signatureAlgorithm(id: number): SignatureAlgorithm | undefined {
  return SUPPORTED.get(id);
}

/** COSE identifiers of all algorithms that this runtime can verify. */
export function supportedAlgorithms(): readonly number[] {
  return [...SUPPORTED.keys()];
}
