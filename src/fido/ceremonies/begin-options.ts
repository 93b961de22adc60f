import type { ServerOptions } from '../../platform/config/server-config.js';
import { enforcedValue, type Policy } from '../../tenancy/policy/policy.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import type { DescribedCredential } from '../../users/credentials/credential-reader.js';
import { transportsOf } from '../../users/credentials/transports.js';
import type { BeginRegistrationDto } from '../registration/registration.dto.js';
import type { RequestedRequirement } from './ceremony.validators.js';

/** W3C WebAuthn L3 §5.1.8 PublicKeyCredentialDescriptorJSON, without the type. */
export const credentialDescriptor = (key: DescribedCredential) => ({
  id: key.credentialId.toString('base64url'),
  ...(key.transports !== '' && { transports: transportsOf(key) }),
});

type RequestedVerification = Pick<
  BeginRegistrationDto,
  'userVerification' | 'authenticatorSelection'
>;

interface WithVerificationRule {
  readonly policy: Pick<Policy, 'userVerification'>;
}

/** Precedence: `--verify`, the relying party's policy, the caller's request, `preferred`. */
export function verificationRequirementOf(
  { policy }: WithVerificationRule,
  { verify }: ServerOptions,
  requested: RequestedVerification,
): RequestedRequirement {
  if (verify) return 'required';
  return (
    enforcedValue(policy.userVerification) ??
    requested.authenticatorSelection?.userVerification ??
    requested.userVerification ??
    'preferred'
  );
}

/**
 * The user verification of sign-ins. The options are the same for all users, so that they tell nobody who has a profile;
 * what the rules of a single user require is checked after the signature, for the same reason.
 */
export function signInVerificationOf(
  { policy }: Pick<RelyingParty, 'policy'>,
  options: ServerOptions,
  requested: RequestedVerification,
) {
  const ofPolicy = verificationRequirementOf({ policy }, options, requested);
  const ofProfiles = policy.profiles.map(({ rules }) =>
    verificationRequirementOf(
      { policy: { userVerification: policy.userVerification, ...rules } },
      options,
      requested,
    ),
  );
  const isRaised = ofPolicy === 'discouraged' && ofProfiles.includes('required');
  return {
    /** For the options. */
    requirement: isRaised ? 'preferred' : ofPolicy,
    /** Whether the rules of every user require it. */
    isRequiredOfAll: [ofPolicy, ...ofProfiles].every((one) => one === 'required'),
  } as const;
}

/**
 * `requireResidentKey: true` is echoed and makes a resident key preferred, as the interface says, unless
 * `residentKey` is set too. Members of `authenticatorSelection` take precedence over top-level members of the same
 * name.
 */
export function authenticatorSelection(rp: RelyingParty, dto: BeginRegistrationDto) {
  const selection = dto.authenticatorSelection ?? {};
  const attachment =
    selection.authenticatorAttachment ?? dto.authenticatorAttachment ?? dto.attachment ?? 'all';
  const byPolicy = enforcedValue(rp.policy.residentKey);
  const required = selection.requireResidentKey ?? dto.requireResidentKey;
  const explicit = selection.residentKey ?? dto.residentKey;
  const echo = required === true && (byPolicy ?? explicit) === undefined;
  const requested = explicit ?? (echo ? 'preferred' : dto.discoverable_credential);
  const residentKey = byPolicy ?? requested ?? 'preferred';
  return {
    ...(attachment === 'all' ? {} : { authenticatorAttachment: attachment }),
    residentKey,
    requireResidentKey: echo || residentKey === 'required',
  };
}
