import type { Type } from '@nestjs/common';
import type { ServerOptions } from '../../platform/config/server-config.js';
import { fieldsOf } from '../../platform/validation/flat-checks.js';
import { enforcedValue } from '../../tenancy/policy/policy.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import type { DescribedCredential } from '../../users/credentials/credential-reader.js';
import { transportsOf } from '../../users/credentials/transports.js';
import type { BeginRegistrationDto } from '../registration/registration.dto.js';
import type { RequestedRequirement } from './ceremony.validators.js';

/** Maximum number of unknown fields in the warnings; the first ones show a caller what is wrong. */
const MAX_WARNINGS = 10;
const MAX_NAME = 64;

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

/**
 * Warnings in the answer of a begin call about unknown fields of its body, which are ignored. `undefined` if there
 * are none, which costs one look-up for each field.
 */
export function warningsOf(dto: Type, body: object): readonly string[] | undefined {
  const known = fieldsOf(dto);
  const unknown = Object.keys(body).filter((name) => !known.has(name));
  if (unknown.length === 0) return undefined;
  const named = unknown.slice(0, MAX_WARNINGS).map((name) => {
    const shown = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
    return `"${shown}" is no field of this call, and was ignored.`;
  });
  const more = unknown.length - named.length;
  return more === 0 ? named : [...named, `${more} more fields were ignored.`];
}
