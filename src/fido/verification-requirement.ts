import type { ServerOptions } from '../platform/config/server-options.js';
import { enforced } from '../tenancy/policy/policy.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import type { RequestedRequirement } from './ceremonies/ceremony.rules.js';

interface RequestedVerification {
  readonly userVerification?: RequestedRequirement;
  readonly authenticatorSelection?: { readonly userVerification?: RequestedRequirement };
}

/** The requirement for a sign-in without a name: only the key identifies the user, so it must verify the user. */
export const namelessRequirementOf = (
  rp: RelyingParty,
  { verify }: ServerOptions,
): RequestedRequirement =>
  verify ? 'required' : (enforced(rp.policy.userVerification) ?? 'required');

/** Precedence: `--verify`, the relying party's policy, the caller's request, `preferred`. */
export function verificationRequirementOf(
  rp: RelyingParty,
  options: ServerOptions,
  asked: RequestedVerification,
): RequestedRequirement {
  if (options.verify) return 'required';
  return (
    enforced(rp.policy.userVerification) ??
    asked.authenticatorSelection?.userVerification ??
    asked.userVerification ??
    'preferred'
  );
}
