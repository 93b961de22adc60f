import type { ServerOptions } from '../config/server-options.js';
import { enforced } from '../tenancy/policy.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import type { Requirement } from './begin.dto.js';

interface Asked {
  readonly userVerification?: Requirement;
  readonly authenticatorSelection?: { readonly userVerification?: Requirement };
}

/** For a sign-in without a name, whose key alone says who signs in, and so must verify its holder. */
export const namelessVerificationOf = (rp: RelyingParty, { verify }: ServerOptions): Requirement =>
  verify ? 'required' : (enforced(rp.policy.userVerification) ?? 'required');

/** Precedence: --verify, the relying party's policy, what the caller asked, `preferred`. */
export function userVerificationOf(
  rp: RelyingParty,
  options: ServerOptions,
  asked: Asked,
): Requirement {
  if (options.verify) return 'required';
  return (
    enforced(rp.policy.userVerification) ??
    asked.authenticatorSelection?.userVerification ??
    asked.userVerification ??
    'preferred'
  );
}
