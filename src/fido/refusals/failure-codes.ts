import { ApiError } from '../../platform/errors/api-error.js';
import { CATALOGUE, type Code } from '../../platform/errors/catalogue.js';
import type { Reason } from '../../platform/errors/reasons.js';
import { CeremonyError, type Failure } from '../../webauthn/failure.js';
import { isUsualMistake, memberProblem } from '../ceremonies/ceremony.validators.js';

/** Failures that mean the same in both ceremonies. */
const BOTH = {
  'client-data-type': 'E0027R',
  'challenge-mismatch': 'E0028R',
  'challenge-encoded-twice': 'E0028R',
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

/** Failures with a more specific reason than their code's. */
const REASONS = {
  'challenge-encoded-twice': 'challenge.encodedTwice',
  'user-not-present': 'user.notPresent',
  'user-not-verified': 'user.notVerified',
  'cross-origin-not-allowed': 'origin.embedded',
  'attestation-format-unknown': 'attestation.unknownFormat',
} as const satisfies Partial<Record<Failure, Reason>>;

const isExact = (failure: Failure): failure is keyof typeof REASONS =>
  Object.hasOwn(REASONS, failure);

/** Runs a step of a ceremony; rethrows a failure as an ApiError with the ceremony's code. */
export function rethrowWithCodes<T>(codes: Record<Failure, Code>, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof CeremonyError)) throw error;
    const { failure, detail = '', member } = error;
    if (failure === 'origin-not-allowed') throw originNotAllowed(detail);
    const code = codes[failure];
    const advice = member && memberProblem(member);
    if (advice && isUsualMistake(member)) throw ApiError.of(code, advice, { cause: error });
    const reason = isExact(failure) ? REASONS[failure] : CATALOGUE[code][1];
    throw ApiError.of(code, { reason, values: {}, advice }, { cause: error });
  }
}

/** Refusals of both result calls before a body is verified: an unknown relying party, a limit. */
const BEFORE_VERIFICATION = ['E0025R', 'E0040R'] as const;

export const REGISTRATION_REFUSALS = [
  ...new Set(Object.values(REGISTRATION_CODES).filter((code) => code !== 'E0035R')),
  ...BEFORE_VERIFICATION,
  ...(['E0036R', 'E0037R', 'E0043R'] as const),
];

/** Whether a code is about attestation, which does not exist in an authentication. */
const isOfAttestation = (code: string) => /^E(?:100[3-9]R|0038R)$/.test(code);

export const AUTHENTICATION_REFUSALS = [
  ...new Set(Object.values(AUTHENTICATION_CODES).filter((code) => !isOfAttestation(code))),
  ...BEFORE_VERIFICATION,
  ...(['E0033R', 'E0034R'] as const),
  // A policy rule about the key refuses sign-ins with the code that it gives a registration.
  ...(['E0007R', 'E0037R', 'E0038R', 'E0039R', 'E1008R'] as const),
];

/** Longer origins are truncated, in answers and in the ledger. */
const MAX_ORIGIN = 70;

/**
 * E0029R for an origin that the relying party does not list. The answer names only this origin; the log and the
 * page that explains refusals add the allowed ones.
 *
 * @param origin from the client data or the header; untrusted
 */
export function originNotAllowed(origin: string): ApiError {
  const visible = origin.slice(0, MAX_ORIGIN).replaceAll(/[^\x21-\x7e]/g, '?');
  const shown = origin.length > MAX_ORIGIN ? `${visible}...` : visible;
  const cause = new CeremonyError('origin-not-allowed', shown);
  return new ApiError('E0029R', 'origin.notAllowed', { origin: shown }, { cause });
}

/** The detail of a refusal, which only the help desk sees. */
export const SUSPENDED_USER = 'user-suspended';

/** E0034R for a key that is disabled, or whose user is suspended: callers do not learn which. */
export const disabledKey = ({ isSuspended }: { readonly isSuspended: boolean }): ApiError =>
  isSuspended
    ? new ApiError('E0034R', 'credential.disabled', {}, { detail: SUSPENDED_USER })
    : new ApiError('E0034R');

/** @throws ApiError E0043R for a registration of a suspended user */
export function ensureNotSuspended(user: { readonly isSuspended: boolean } | undefined): void {
  if (user?.isSuspended) throw new ApiError('E0043R', 'user.suspended');
}
