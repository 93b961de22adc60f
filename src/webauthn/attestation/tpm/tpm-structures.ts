import { ensure } from '../../failure.js';

/** TPM_ALG_ID (TPM 2.0 Part 2 §6.3), as far as keys and their names use it. */
export const TPM_ALG = {
  RSA: 0x0001,
  SHA256: 0x000b,
  SHA384: 0x000c,
  SHA512: 0x000d,
  NULL: 0x0010,
  RSASSA: 0x0014,
  RSAPSS: 0x0016,
  ECDSA: 0x0018,
  ECC: 0x0023,
} as const;

/** TPM_GENERATED_VALUE, which only the TPM itself puts before a structure that it signs. */
const TPM_GENERATED = 0xff544347;
const TPM_ST_ATTEST_CERTIFY = 0x8017;
/** TPMA_OBJECT (Part 2 §8.3), bit 18. */
const SIGN_ENCRYPT = 1 << 18;
/**
 * Bits 1, 4 and 5: fixedTPM and fixedParent (the key can be duplicated neither with its parent nor under
 * another one), sensitiveDataOrigin (the TPM generated it).
 */
const BOUND = (1 << 1) | (1 << 4) | (1 << 5);
/** An exponent of zero means 2^16 + 1 (Part 2 §12.2.3.5). */
const DEFAULT_EXPONENT = 65537;
/** TPMS_CLOCK_INFO and firmwareVersion, which are skipped. */
const CLOCK_AND_FIRMWARE_BYTES = 17 + 8;

/** TPMT_PUBLIC of a signing key. */
export type TpmPublic = ReturnType<typeof readTpmPublic>;

/** Reads a TPMT_PUBLIC (Part 2 §12.2.4), the member `pubArea` (WebAuthn L3 §8.3). */
export function readTpmPublic(bytes: Buffer) {
  const reader = new Reader(bytes);
  const type = reader.number(2);
  const nameAlg = reader.number(2);
  const attributes = reader.number(4);
  const signs = (attributes & SIGN_ENCRYPT) !== 0;
  ensure(signs, 'attestation-mismatch', 'pubArea is of a key that does not sign');
  reader.sized();
  const symmetric = reader.number(2);
  ensure(symmetric === TPM_ALG.NULL, 'attestation-mismatch', 'pubArea has a symmetric algorithm');
  ensure(
    type === TPM_ALG.RSA || type === TPM_ALG.ECC,
    'attestation-mismatch',
    'pubArea is of another type of key',
  );
  const key = type === TPM_ALG.RSA ? readRsa(reader) : readEcc(reader);
  reader.end();
  return {
    ...key,
    nameAlg,
    /** Whether the TPM generated the key and never exports it. */
    bound: (attributes & BOUND) === BOUND,
  };
}

/**
 * Reads a TPMS_ATTEST of type TPM_ST_ATTEST_CERTIFY (Part 2 §10.12.8), the member `certInfo` (WebAuthn L3 §8.3).
 *
 * @returns also the name of the certified object
 */
export function readTpmCertifyInfo(bytes: Buffer) {
  const reader = new Reader(bytes);
  const generated = reader.number(4) === TPM_GENERATED;
  ensure(generated, 'attestation-mismatch', 'certInfo was not made by a TPM');
  const certifies = reader.number(2) === TPM_ST_ATTEST_CERTIFY;
  ensure(certifies, 'attestation-mismatch', 'certInfo does not certify a key');
  reader.sized();
  const extraData = reader.sized();
  reader.bytes(CLOCK_AND_FIRMWARE_BYTES);
  const name = reader.sized();
  reader.sized();
  reader.end();
  return { extraData, name };
}

/**
 * TPMT_RSA_SCHEME or TPMT_ECC_SCHEME: none, or one of the signature schemes, each of which names its hash. The
 * credential's algorithm decides how its signatures are verified, whatever the scheme.
 */
function readScheme(reader: Reader, signing: readonly number[]): void {
  const scheme = reader.number(2);
  if (scheme === TPM_ALG.NULL) return;
  ensure(
    signing.includes(scheme),
    'attestation-mismatch',
    'pubArea has a scheme that does not sign',
  );
  reader.number(2);
}

/** TPMS_RSA_PARMS after its symmetric member, and TPM2B_PUBLIC_KEY_RSA. */
function readRsa(reader: Reader) {
  readScheme(reader, [TPM_ALG.RSASSA, TPM_ALG.RSAPSS]);
  reader.number(2);
  const exponent = reader.number(4) || DEFAULT_EXPONENT;
  return { type: 'RSA', exponent, modulus: reader.sized() } as const;
}

/** TPMS_ECC_PARMS after its symmetric member, and TPMS_ECC_POINT. */
function readEcc(reader: Reader) {
  readScheme(reader, [TPM_ALG.ECDSA]);
  const curve = reader.number(2);
  const kdf = reader.number(2);
  ensure(kdf === TPM_ALG.NULL, 'attestation-mismatch', 'pubArea has a key derivation');
  return { type: 'ECC', curve, x: reader.sized(), y: reader.sized() } as const;
}

/** Reads big-endian numbers and sized buffers (TPM2B), never beyond the end. */
class Reader {
  private offset = 0;

  constructor(private readonly buffer: Buffer) {}

  number(size: 2 | 4): number {
    return this.bytes(size).readUIntBE(0, size);
  }

  /** A TPM2B: a size of 16 bits, then as many bytes. */
  sized(): Buffer {
    return this.bytes(this.number(2));
  }

  bytes(length: number): Buffer {
    const end = this.offset + length;
    ensure(end <= this.buffer.length, 'attestation-malformed', 'a TPM structure is cut');
    const bytes = this.buffer.subarray(this.offset, end);
    this.offset = end;
    return bytes;
  }

  end(): void {
    const whole = this.offset === this.buffer.length;
    ensure(whole, 'attestation-malformed', 'bytes are left over after a TPM structure');
  }
}
