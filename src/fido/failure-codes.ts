import { ApiError } from '../errors/api-error.js';
import type { Code } from '../errors/catalogue.js';
import { CeremonyError } from '../webauthn/failure.js';
import type { Failure } from '../webauthn/failure.js';

/** Failures that mean the same in both ceremonies. */
const BOTH = {
  'client-data-type': 'E0027R',
  'challenge-mismatch': 'E0028R',
  'origin-not-allowed': 'E0029R',
  'cross-origin-not-allowed': 'E0029R',
  'rp-id-hash-mismatch': 'E0030R',
  'user-not-present': 'E0031R',
  'user-not-verified': 'E0031R',
  'backup-flags-inconsistent': 'E0031R',
  'backup-eligibility-changed': 'E0031R',
  'signature-invalid': 'E0032R',
  'counter-not-increased': 'E0035R',
  'algorithm-not-offered': 'E0039R',
  'key-not-acceptable': 'E0039R',
  'aaguid-cut': 'E1000R',
  'data-cut': 'E1001R',
  'data-left-over': 'E1002R',
  'u2f-aaguid-not-zero': 'E1003R',
  'attestation-malformed': 'E1004R',
  'attestation-format-unknown': 'E1004R',
  'attestation-algorithm': 'E1005R',
  'attestation-signature': 'E1006R',
  'attestation-certificate': 'E1007R',
  'certificate-path': 'E1008R',
  'attestation-mismatch': 'E1009R',
  'attestation-not-trusted': 'E0038R',
} as const;

export const REGISTRATION_CODES = {
  ...BOTH,
  'client-data-missing': 'E0008R',
  'client-data-malformed': 'E0008R',
  'token-binding-present': 'E0009R',
  'attestation-object-encoding': 'E0007R',
  'authenticator-data-missing': 'E0007R',
  'authenticator-data-malformed': 'E0007R',
  'signature-encoding': 'E0007R',
  'credential-id-mismatch': 'E0006R',
} as const satisfies Record<Failure, Code>;

export const AUTHENTICATION_CODES = {
  ...BOTH,
  'client-data-missing': 'E0020R',
  'client-data-malformed': 'E0021R',
  'token-binding-present': 'E0022R',
  'attestation-object-encoding': 'E0010R',
  'authenticator-data-missing': 'E0017R',
  'authenticator-data-malformed': 'E0018R',
  'signature-encoding': 'E0019R',
  'credential-id-mismatch': 'E0015R',
} as const satisfies Record<Failure, Code>;

/** Sentences that tell the caller more than the catalogue's do. */
const SENTENCES: Partial<Record<Failure, string>> = {
  'user-not-present': 'The authenticator did not report that a user was present.',
  'user-not-verified': 'The authenticator did not verify the user, which is required.',
  'cross-origin-not-allowed': 'The page that embeds this ceremony is not allowed to.',
  'attestation-format-unknown': 'The attestation statement has a format that is not supported.',
};

/** Runs a step of a ceremony; a failure is thrown on as an ApiError with the ceremony's code. */
export function withCodes<T>(codes: Record<Failure, Code>, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof CeremonyError)) throw error;
    const { failure } = error;
    throw new ApiError(codes[failure], SENTENCES[failure], { cause: error });
  }
}
