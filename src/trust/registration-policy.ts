import { ApiError } from '../platform/errors/api-error.js';
import {
  CONVEYANCES,
  enforcedValue,
  policyMembers,
  type Conveyance,
  type Policy,
} from '../tenancy/policy/policy.js';
import { MAX_CREDENTIALS } from '../users/credentials/credential.entity.js';

const stronger = (one: Conveyance, other: Conveyance): Conveyance =>
  CONVEYANCES.indexOf(one) < CONVEYANCES.indexOf(other) ? other : one;

/** The attestation conveyance in the policy, else the one that the caller requests. */
export const requestedConveyance = (policy: Policy, asked: Conveyance | undefined): Conveyance =>
  policy.attestation ?? asked ?? 'none';

/**
 * The attestation conveyance of the options: the requested one, but at least `direct` if rules check the model or the
 * attestation, since browsers send neither for `none`.
 */
export function conveyanceOf(policy: Policy, wished: Conveyance, whitelist: boolean): Conveyance {
  const evaluated =
    whitelist ||
    policy.trust?.value === 'all' ||
    policyMembers.some(
      ([name, { needsAttestation }]) => needsAttestation && policy[name] !== undefined,
    );
  return stronger(wished, evaluated ? 'direct' : 'none');
}

/**
 * The algorithms to offer: the caller's algorithms that the policy allows, or all that it allows if the caller names
 * none.
 *
 * @param asked COSE identifiers
 * @throws ApiError E0039R if none is left
 */
export function algorithmsOf(
  policy: Policy,
  asked: readonly number[] | undefined,
  fallback: readonly number[],
): readonly number[] {
  const allowed = enforcedValue(policy.algorithms);
  if (allowed === undefined) return asked ?? fallback;
  const offered = asked?.filter((alg) => allowed.includes(alg)) ?? allowed;
  if (offered.length > 0) return offered;
  throw new ApiError('E0039R', 'algorithms.noneAllowed');
}

/** The number of credentials that a user may have: that of the policy, but never more than the server's own limit. */
export const maxCredentialsOf = ({ maxCredentials }: Policy): number =>
  Math.min(enforcedValue(maxCredentials) ?? MAX_CREDENTIALS, MAX_CREDENTIALS);

/** The refusal of a credential beyond the maximum number. */
export const tooManyCredentials = (maxCredentials: number): ApiError =>
  new ApiError('E0043R', 'registration.tooManyKeys', { most: maxCredentials });
