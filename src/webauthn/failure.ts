import { base64UrlMistake, decodeBase64Url, type Base64UrlMistake } from './base64url.js';

/** All failures of a ceremony. A closed list, so that code that maps failures to answers covers all. */
export type Failure =
  // members of the response that are missing or not Base64URL
  | 'client-data-missing'
  | 'attestation-object-encoding'
  | 'authenticator-data-missing'
  | 'signature-encoding'
  // client data, both ceremonies
  | 'client-data-malformed'
  | 'token-binding-present'
  | 'client-data-type'
  | 'challenge-mismatch'
  | 'challenge-encoded-twice'
  | 'origin-not-allowed'
  | 'cross-origin-not-allowed'
  // authenticator data and signature
  | 'authenticator-data-malformed'
  | 'rp-id-hash-mismatch'
  | 'user-not-present'
  | 'user-not-verified'
  | 'backup-flags-inconsistent'
  | 'backup-eligibility-changed'
  | 'credential-id-mismatch'
  | 'signature-invalid'
  | 'counter-not-increased'
  // credential public key
  | 'algorithm-not-offered'
  | 'key-not-acceptable'
  // attestation object, its authenticator data and its statement
  | 'aaguid-cut'
  | 'data-cut'
  | 'data-left-over'
  | 'u2f-aaguid-not-zero'
  | 'attestation-malformed'
  | 'attestation-format-unknown'
  | 'attestation-algorithm'
  | 'attestation-signature'
  | 'attestation-certificate'
  | 'certificate-path'
  | 'attestation-mismatch'
  | 'attestation-not-trusted';

/** What is wrong with a member. `json`: it is no JSON object in UTF-8, or repeats a member. */
export type MemberFault = Base64UrlMistake | 'missing' | 'base64url' | 'json' | 'text' | 'flag';

export interface WrongMember {
  /** For example `clientDataJSON`, or `clientDataJSON.origin`. */
  readonly field: string;
  readonly fault: MemberFault;
}

/** A refused ceremony. Decide by `failure`; `detail` is only for logs, `member` only explains. */
export class CeremonyError extends Error {
  constructor(
    readonly failure: Failure,
    readonly detail?: string,
    readonly member?: WrongMember,
  ) {
    super(detail === undefined ? failure : `${failure}: ${detail}`);
    this.name = 'CeremonyError';
  }
}

/** Throws a `CeremonyError` with the failure unless the condition is true. */
export function ensure(condition: boolean, failure: Failure, detail?: string): asserts condition {
  if (!condition) throw new CeremonyError(failure, detail);
}

/** Throws a `CeremonyError` that names the wrong member unless the condition is true. */
export function ensureMember(
  condition: boolean,
  failure: Failure,
  member: WrongMember,
  detail: string,
): asserts condition {
  if (!condition) throw new CeremonyError(failure, detail, member);
}

/**
 * Decodes a member in Base64URL.
 *
 * @throws CeremonyError that names the usual mistake
 */
export function ensureBase64Url(value: unknown, field: string, failure: Failure): Buffer {
  const decoded = typeof value === 'string' ? decodeBase64Url(value) : undefined;
  if (decoded !== undefined) return decoded;
  const fault = base64UrlMistake(value) ?? 'base64url';
  throw new CeremonyError(failure, `${field} is not Base64URL`, { field, fault });
}
