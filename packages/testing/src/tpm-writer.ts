import { createHash } from 'node:crypto';
import type { KeyPair } from './key-pair.js';

const SHA256 = 0x000b;
const NULL = 0x0010;
const RSA = 0x0001;
const ECC = 0x0023;
/**
 * TPMA_OBJECT of a key that its TPM made and keeps, as Windows Hello wants it: fixedTPM, fixedParent,
 * sensitiveDataOrigin, userWithAuth, noDA, decrypt, sign.
 */
const BOUND_KEY = 0x0006_0472;
const CURVES: Readonly<Record<string, number>> = { 'P-256': 3, 'P-384': 4, 'P-521': 5 };
const CLOCK_AND_FIRMWARE = Buffer.alloc(25, 0x33);

/** Members of a TPMT_PUBLIC that can be wrong on purpose. */
export interface PublicAreaParts {
  readonly type?: number;
  readonly nameAlg?: number;
  readonly attributes?: number;
  readonly symmetric?: number;
  /** The scheme with its details. */
  readonly scheme?: Buffer;
  readonly exponent?: number;
  readonly curve?: number;
  readonly kdf?: number;
  /** Changes the modulus, or x. */
  readonly unique?: (bytes: Buffer) => Buffer;
  readonly y?: (bytes: Buffer) => Buffer;
}

/** Members of a TPMS_ATTEST that can be wrong on purpose. */
export interface CertifyInfoParts {
  readonly magic?: number;
  readonly type?: number;
  readonly extraData: Buffer;
  readonly name: Buffer;
}

/** Writes the TPMT_PUBLIC of a key (TPM 2.0 Part 2 §12.2.4). */
export function tpmPublicArea({ publicKey }: KeyPair, parts: PublicAreaParts = {}): Buffer {
  const { kty, crv, n, x, y } = publicKey.export({ format: 'jwk' });
  const isRsa = kty === 'RSA';
  const scheme = parts.scheme ?? u16(NULL);
  const unique = Buffer.from((isRsa ? n : x) ?? '', 'base64url');
  const second = Buffer.from(y ?? '', 'base64url');
  return Buffer.concat([
    u16(parts.type ?? (isRsa ? RSA : ECC)),
    u16(parts.nameAlg ?? SHA256),
    u32(parts.attributes ?? BOUND_KEY),
    sized(Buffer.alloc(32)),
    u16(parts.symmetric ?? NULL),
    scheme,
    ...(isRsa
      ? [u16(unique.length * 8), u32(parts.exponent ?? 0)]
      : [u16(parts.curve ?? CURVES[crv ?? ''] ?? 0), u16(parts.kdf ?? NULL)]),
    sized(parts.unique?.(unique) ?? unique),
    ...(isRsa ? [] : [sized(parts.y?.(second) ?? second)]),
  ]);
}

/** Writes a TPMS_ATTEST that certifies a key (TPM 2.0 Part 2 §10.12.8). */
export function tpmCertifyInfo(parts: CertifyInfoParts): Buffer {
  return Buffer.concat([
    u32(parts.magic ?? 0xff544347),
    u16(parts.type ?? 0x8017),
    sized(Buffer.alloc(34, 1)),
    sized(parts.extraData),
    CLOCK_AND_FIRMWARE,
    sized(parts.name),
    sized(Buffer.alloc(0)),
  ]);
}

/** The name of an object: the number of a hash, and that hash of its public area. */
export function tpmName(publicArea: Buffer, hash = 'sha256', nameAlg = SHA256): Buffer {
  return Buffer.concat([u16(nameAlg), createHash(hash).update(publicArea).digest()]);
}

export function u16(value: number): Buffer {
  return Buffer.of(value >> 8, value & 0xff);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function sized(bytes: Buffer): Buffer {
  return Buffer.concat([u16(bytes.length), bytes]);
}
