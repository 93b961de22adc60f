import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../errors/api-error.js';
import type { Account } from '../security/account.js';
import type { RelyingPartyPolicy } from './policy.js';

/**
 * Which members of a policy an application key may change. Only people decide who may register, whom to
 * trust, which pages may embed a ceremony and which audiences tokens may name. A new member does not
 * compile until it is decided on here.
 */
const OPEN_TO_KEYS: Readonly<Record<keyof RelyingPartyPolicy, boolean>> = {
  attestation: true,
  userVerification: true,
  residentKey: true,
  counter: true,
  formats: true,
  algorithms: true,
  attestationTypes: true,
  certification: true,
  certificationProfiles: true,
  fips: true,
  fipsRevision: true,
  fipsPhysicalSecurity: true,
  keyProtection: true,
  matcherProtection: true,
  allow: true,
  block: true,
  backupEligible: true,
  maxCredentials: true,
  status: true,
  unknownUsers: true,
  usernames: true,
  onFinding: true,
  secondOpinion: true,
  registration: false,
  callers: false,
  aaguid: false,
  trust: false,
  anchors: false,
  topOrigins: false,
  audiences: false,
};

/**
 * The policy that takes the place of `before`: the one that is asked for. Where an application key asks,
 * the members that it may not change stay as they are, whether it leaves them out or repeats them.
 *
 * @throws ApiError E0043R where a key would change one of them
 */
export function policyBy(
  { key }: Account,
  before: RelyingPartyPolicy,
  asked: RelyingPartyPolicy,
): RelyingPartyPolicy {
  if (!key) return asked;
  const closed = closedMembers(before);
  for (const [name, value] of Object.entries(closedMembers(asked))) {
    if (isDeepStrictEqual(value, closed[name])) continue;
    throw new ApiError('E0043R', `An application key may not change "policy.${name}".`);
  }
  return { ...asked, ...closed };
}

const closedMembers = (policy: RelyingPartyPolicy): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(policy).filter(([name]) => !OPEN_TO_KEYS[name as keyof RelyingPartyPolicy]),
  );
