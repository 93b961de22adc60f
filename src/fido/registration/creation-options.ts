import { generateRegistrationOptions } from '@simplewebauthn/server';
import type { DescribedCredential } from '../../users/credentials/credential-reader.js';
import { enforcedValue, type Conveyance } from '../../tenancy/policy/policy.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { ok } from '../../platform/http/ok.js';
import type { RequestedRequirement } from '../ceremonies/ceremony.validators.js';
import type { ExtensionInputs } from '../ceremonies/extensions.js';
import { warningsOf } from '../warnings.js';
import { BeginRegistrationDto } from './registration.dto.js';

interface CreationFacts {
  readonly rp: RelyingParty;
  readonly challenge: string;
  readonly userHandle: string;
  readonly username: string;
  readonly displayName: string;
  readonly algorithms: readonly number[];
  readonly timeout: number;
  readonly attestation: Conveyance;
  readonly userVerification: RequestedRequirement;
  readonly extensions: ExtensionInputs;
  readonly existing: readonly DescribedCredential[];
}

/** W3C WebAuthn L3 §5.1.8 PublicKeyCredentialDescriptorJSON, without the type. */
export const credentialDescriptor = ({ credentialId, transports }: DescribedCredential) => ({
  id: credentialId.toString('base64url'),
  ...(transports === '' ? {} : { transports: transports.split(',') }),
});

/**
 * W3C WebAuthn L3 §5.1.8 PublicKeyCredentialCreationOptionsJSON, with the member `status` added.
 *
 * The library creates all members but three, in which the interface differs: `attestation` may be `indirect`,
 * `requireResidentKey: true` is echoed beside `preferred`, and `hints` appear only if the caller sends some.
 */
export async function creationOptions(dto: BeginRegistrationDto, facts: CreationFacts) {
  const { rp } = facts;
  const options = await generateRegistrationOptions({
    rpID: rp.domain,
    rpName: rp.name,
    userID: Buffer.from(facts.userHandle, 'base64url'),
    userName: facts.username,
    userDisplayName: facts.displayName,
    challenge: Buffer.from(facts.challenge, 'base64url'),
    timeout: facts.timeout,
    supportedAlgorithmIDs: [...facts.algorithms],
    excludeCredentials: facts.existing.map(credentialDescriptor),
    extensions: facts.extensions,
  });
  return ok(options, {
    attestation: facts.attestation,
    authenticatorSelection: authenticatorSelection(dto, facts),
    hints: dto.hints,
    warnings: warningsOf(BeginRegistrationDto, dto),
  });
}

/**
 * `requireResidentKey: true` is echoed and makes a resident key preferred, as the interface says, unless
 * `residentKey` is set too. Members of `authenticatorSelection` take precedence over top-level members of the same
 * name.
 */
function authenticatorSelection(
  dto: BeginRegistrationDto,
  { rp, userVerification }: CreationFacts,
) {
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
    userVerification,
  };
}
