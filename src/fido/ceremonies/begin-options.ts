import type { ServerOptions } from '../../platform/config/server-config.js';
import { enforcedValue } from '../../tenancy/policy/policy.js';
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
