/** Why a metadata BLOB was refused. A closed list, as `Failure` is for ceremonies. */
export type MetadataFault =
  /** Not a JWS of three parts with JSON inside. */
  | 'not-a-jws'
  /** `alg` of the header names no algorithm that may sign a BLOB. */
  | 'algorithm'
  /** `x5c` is missing, or a certificate of it does not load. */
  | 'certificate'
  | 'signature'
  /** The certificates do not lead to a root, or are expired or not valid yet. */
  | 'certificate-path'
  /** An authority has revoked a certificate of the signer (FIDO Metadata Service v3.1 §3.2). */
  | 'revoked'
  /** The payload is not what FIDO Metadata Service v3 §3.1 asks for. */
  | 'payload';

/** A BLOB that was refused. Decide by `fault`; `detail` is for logs and humans. */
export class MetadataError extends Error {
  constructor(
    readonly fault: MetadataFault,
    readonly detail: string,
  ) {
    super(`${fault}: ${detail}`);
    this.name = 'MetadataError';
  }
}

/** Throws a `MetadataError` with the fault unless the condition holds. */
export function demand(
  condition: boolean,
  fault: MetadataFault,
  detail: string,
): asserts condition {
  if (!condition) throw new MetadataError(fault, detail);
}
