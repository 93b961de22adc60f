import type { ServerOptions } from '../platform/config/server-config.js';
import { enforcedValue } from '../tenancy/policy/policy.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import type { RequestedRequirement } from './ceremonies/ceremony.validators.js';
import type { BeginRegistrationDto } from './registration/registration.dto.js';

/** Precedence: `--verify`, the relying party's policy, the caller's request, `preferred`. */
export function verificationRequirementOf(
  rp: RelyingParty,
  { verify }: ServerOptions,
  requested: Pick<BeginRegistrationDto, 'userVerification' | 'authenticatorSelection'>,
): RequestedRequirement {
  if (verify) return 'required';
  return (
    enforcedValue(rp.policy.userVerification) ??
    requested.authenticatorSelection?.userVerification ??
    requested.userVerification ??
    'preferred'
  );
}
