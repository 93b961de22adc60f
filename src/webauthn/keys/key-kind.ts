import { ECDH, type JsonWebKey } from 'node:crypto';
import type { CborMap } from '../cbor.js';
import { ED25519, ED448, type EdwardsCurve, isSoundEdwardsPoint } from './edwards.js';

/**
 * A kind of public key: its COSE encoding (RFC 9053 §7, RFC 8230 §4) and the conditions for a sound key. Soundness
 * is checked on the JWK, so that COSE keys and certificate keys are subject to the same limits: Node imports
 * keys that verify forged signatures.
 */
export interface KeyKind {
  /** COSE `kty`. */
  readonly coseType: number;
  /** COSE labels of private members: a key that contains them is leaked or hostile. */
  readonly privateLabels: readonly number[];
  /** The public members as a JWK, or `undefined` if one is missing or of the wrong type. */
  toJwk(cose: CborMap): JsonWebKey | undefined;
  matches(jwk: JsonWebKey): boolean;
  /** Whether a JWK of this kind is within our limits. */
  sound(jwk: JsonWebKey): boolean;
  /**
   * Whether the runtime can import a sound JWK. Defined for kinds for which this check costs a fifth of an import
   * (P-256: 11 instead of 50 µs).
   */
  importable?(jwk: JsonWebKey): boolean;
  /** A key whose import shows whether this runtime supports the kind; absent if every runtime does. */
  readonly probe?: JsonWebKey;
}

const RSA_MIN_BITS = 2048;
/** With a longer modulus, a single verification costs more than a request may. */
const RSA_MAX_BITS = 8192;
const RSA_MIN_EXPONENT = 65537;
const RSA_MAX_EXPONENT_BYTES = 4;

/** COSE labels of an elliptic curve or octet key pair: `crv`, `x`, `y`, `d`. */
const EC_LABEL = { crv: -1, x: -2, y: -3, d: -4 } as const;
const AKP_LABEL = { pub: -1, priv: -2 } as const;
const RSA_LABEL = { n: -1, e: -2 } as const;
/** d, p, q, dP, dQ, qInv, other, r_i, d_i, t_i */
const RSA_PRIVATE_LABELS = [-3, -4, -5, -6, -7, -8, -9, -10, -11, -12];

interface Curve {
  /** OpenSSL's name for the curve. */
  readonly curve: string;
  /** Bytes of a coordinate. */
  readonly size: number;
}

/** First byte of an uncompressed point (SEC 1 §2.3.3). */
const UNCOMPRESSED = Buffer.of(4);

/**
 * A key on a short Weierstrass curve. Each of these curves has a prime order, so every point on it except the
 * one at infinity, which has no coordinates, is a key (SEC 1 §3.2.2.1).
 */
function ec2(coseCurve: number, crv: string, { curve, size }: Curve): KeyKind {
  return {
    coseType: 2,
    privateLabels: [EC_LABEL.d],
    toJwk(cose) {
      const x = cose.get(EC_LABEL.x);
      // WebAuthn L3 §5.8.5: the compressed form, a boolean y, must not be used.
      const y = cose.get(EC_LABEL.y);
      if (cose.get(EC_LABEL.crv) !== coseCurve) return undefined;
      if (!Buffer.isBuffer(x) || !Buffer.isBuffer(y)) return undefined;
      return { kty: 'EC', crv, x: x.toString('base64url'), y: y.toString('base64url') };
    },
    matches: (jwk) => jwk.kty === 'EC' && jwk.crv === crv,
    sound: (jwk) => member(jwk.x).length === size && member(jwk.y).length === size,
    importable(jwk) {
      try {
        ECDH.convertKey(Buffer.concat([UNCOMPRESSED, member(jwk.x), member(jwk.y)]), curve);
        return true;
      } catch {
        return false;
      }
    },
  };
}

function okp(coseCurve: number, crv: string, curve: EdwardsCurve): KeyKind {
  return {
    coseType: 1,
    privateLabels: [EC_LABEL.d],
    toJwk(cose) {
      const x = cose.get(EC_LABEL.x);
      if (cose.get(EC_LABEL.crv) !== coseCurve || !Buffer.isBuffer(x)) return undefined;
      return { kty: 'OKP', crv, x: x.toString('base64url') };
    },
    matches: (jwk) => jwk.kty === 'OKP' && jwk.crv === crv,
    sound: (jwk) => isSoundEdwardsPoint(member(jwk.x), curve),
  };
}

/**
 * An ML-DSA key (draft-ietf-cose-dilithium §3), whose `alg` is a member of the key. Any bytes of the right
 * length are a valid public key.
 */
function akp(alg: string, size: number): KeyKind {
  const jwkOf = (pub: Buffer) => ({ kty: 'AKP', alg, pub: pub.toString('base64url') });
  const publicPart = ({ pub }: JsonWebKey) => Buffer.from(String(pub), 'base64url');
  return {
    coseType: 7,
    privateLabels: [AKP_LABEL.priv],
    toJwk(cose) {
      const pub = cose.get(AKP_LABEL.pub);
      return Buffer.isBuffer(pub) ? jwkOf(pub) : undefined;
    },
    matches: (jwk) => jwk.kty === 'AKP' && jwk['alg'] === alg,
    sound: (jwk) => publicPart(jwk).length === size,
    probe: jwkOf(Buffer.alloc(size)),
  };
}

export const RSA: KeyKind = {
  coseType: 3,
  privateLabels: RSA_PRIVATE_LABELS,
  toJwk(cose) {
    const n = cose.get(RSA_LABEL.n);
    const e = cose.get(RSA_LABEL.e);
    if (!Buffer.isBuffer(n) || !Buffer.isBuffer(e)) return undefined;
    return { kty: 'RSA', n: n.toString('base64url'), e: e.toString('base64url') };
  },
  matches: (jwk) => jwk.kty === 'RSA',
  sound: (jwk) => soundModulus(member(jwk.n)) && soundExponent(member(jwk.e)),
};

export const P256 = ec2(1, 'P-256', { curve: 'prime256v1', size: 32 });
export const P384 = ec2(2, 'P-384', { curve: 'secp384r1', size: 48 });
export const P521 = ec2(3, 'P-521', { curve: 'secp521r1', size: 66 });
export const SECP256K1 = ec2(8, 'secp256k1', { curve: 'secp256k1', size: 32 });
export const OKP_ED25519 = okp(6, 'Ed25519', ED25519);
export const OKP_ED448 = okp(7, 'Ed448', ED448);

export const ML_DSA_44 = akp('ML-DSA-44', 1312);
export const ML_DSA_65 = akp('ML-DSA-65', 1952);
export const ML_DSA_87 = akp('ML-DSA-87', 2592);

function member(value: string | undefined): Buffer {
  return Buffer.from(value ?? '', 'base64url');
}

/** Odd, without leading zeros (RFC 8230 §4: the minimum number of octets), of 2048 to 8192 bits. */
function soundModulus(n: Buffer): boolean {
  const first = n[0] ?? 0;
  const last = n[n.length - 1] ?? 0;
  const bits = n.length * 8 - (Math.clz32(first) - 24);
  return first !== 0 && (last & 1) === 1 && bits >= RSA_MIN_BITS && bits <= RSA_MAX_BITS;
}

function soundExponent(e: Buffer): boolean {
  if (e.length === 0 || e.length > RSA_MAX_EXPONENT_BYTES || e[0] === 0) return false;
  const value = e.readUIntBE(0, e.length);
  return value >= RSA_MIN_EXPONENT && (value & 1) === 1;
}
