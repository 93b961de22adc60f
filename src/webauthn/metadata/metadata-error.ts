/** Why a metadata BLOB was refused. A closed list, as `Failure` is for ceremonies. */
export type MetadataFault =
  /** Not a JWS of three parts with JSON inside. */
  | 'not-a-jws'
  /** `alg` in the header is not an algorithm that may sign a BLOB. */
  | 'algorithm'
  /** `x5c` is missing, or contains a certificate that does not load. */
  | 'certificate'
  | 'signature'
  /** The certificates do not lead to a root. */
  | 'certificate-path'
  /** A certificate of the signer is expired or not valid yet, or was not valid when an archived BLOB was made. */
  | 'signer-time'
  /** An authority has revoked a certificate of the signer (FIDO Metadata Service v3.1 §3.2). */
  | 'revoked'
  /** The payload does not conform to FIDO Metadata Service v3 §3.1. */
  | 'payload';

/** A refused BLOB. Decide by `fault`; `detail` is only for logs and operators. */
export class MetadataError extends Error {
  constructor(
    readonly fault: MetadataFault,
    readonly detail: string,
  ) {
    super(`${fault}: ${detail}`);
    this.name = 'MetadataError';
  }
}

/** Throws a `MetadataError` with the fault unless the condition is true. */
export function ensureMetadata(
  condition: boolean,
  fault: MetadataFault,
  detail: string,
): asserts condition {
  if (!condition) throw new MetadataError(fault, detail);
}
