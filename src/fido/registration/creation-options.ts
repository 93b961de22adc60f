import type { CredentialDescriptor } from '../../credentials/credential-reader.js';
import { enforced } from '../../tenancy/policy.js';
import type { Conveyance } from '../../tenancy/policy.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { displayNameOf, normalizeName } from '../../validation/names.js';
import { ok } from '../../http/ok.js';
import type { BeginRegistrationDto, Requirement } from '../begin.dto.js';
import type { ExtensionInputs } from '../extensions.js';

export interface CreationFacts {
  readonly rp: RelyingParty;
  readonly challenge: string;
  readonly userHandle: string;
  readonly algorithms: readonly number[];
  readonly timeout: number;
  readonly attestation: Conveyance;
  readonly userVerification: Requirement;
  readonly extensions: ExtensionInputs;
  readonly existing: readonly CredentialDescriptor[];
}

/** W3C WebAuthn L3 §5.1.8 PublicKeyCredentialDescriptorJSON. */
export function descriptorJson({ credentialId, transports }: CredentialDescriptor) {
  return {
    type: 'public-key',
    id: credentialId.toString('base64url'),
    ...(transports === '' ? {} : { transports: transports.split(',') }),
  };
}

/** W3C WebAuthn L3 §5.1.9 PublicKeyCredentialCreationOptionsJSON, with our status beside it. */
export function creationOptions(dto: BeginRegistrationDto, facts: CreationFacts) {
  const { rp, userHandle, algorithms, existing } = facts;
  return ok({
    rp: { id: rp.domain, name: rp.name },
    user: {
      id: userHandle,
      name: normalizeName(dto.username),
      displayName: displayNameOf(dto.displayName),
    },
    challenge: facts.challenge,
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
    timeout: facts.timeout,
    excludeCredentials: existing.map(descriptorJson),
    authenticatorSelection: authenticatorSelection(dto, facts),
    attestation: facts.attestation,
    extensions: facts.extensions,
    ...(dto.hints ? { hints: dto.hints } : {}),
  });
}

/** `requireResidentKey: true` is echoed and prefers a resident key, as the interface says. */
function authenticatorSelection(
  dto: BeginRegistrationDto,
  { rp, userVerification }: CreationFacts,
) {
  const asked = dto.authenticatorSelection ?? {};
  const attachment = asked.authenticatorAttachment ?? dto.attachment ?? 'all';
  const demanded = enforced(rp.policy.residentKey);
  const echo = asked.requireResidentKey === true && demanded === undefined;
  const wanted = echo ? 'preferred' : (asked.residentKey ?? dto.discoverable_credential);
  const residentKey = demanded ?? wanted ?? 'preferred';
  return {
    ...(attachment === 'all' ? {} : { authenticatorAttachment: attachment }),
    residentKey,
    requireResidentKey: echo || residentKey === 'required',
    userVerification,
  };
}
