import type { ServerOptions } from '../platform/config/server-options.js';
import { enforced } from '../tenancy/policy/policy.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import type { RequestedRequirement } from './ceremonies/ceremony.rules.js';

interface RequestedVerification {
  readonly userVerification?: RequestedRequirement;
  readonly authenticatorSelection?: { readonly userVerification?: RequestedRequirement };
}

/** For a sign-in without a name, whose key alone says who signs in, and so must verify its holder. */
export const namelessRequirementOf = (
  rp: RelyingParty,
  { verify }: ServerOptions,
): RequestedRequirement =>
  verify ? 'required' : (enforced(rp.policy.userVerification) ?? 'required');

/** Precedence: --verify, the relying party's policy, what the caller asked, `preferred`. */
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
