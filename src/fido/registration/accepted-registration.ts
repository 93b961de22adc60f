import type { AuditEntry } from '../../audit/audit-entry.js';
import type { Client } from '../../events/ledger.js';
import { sha256 } from '../../platform/common/sha256.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { distinctBytes } from '../../platform/database/row-ids.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import type { AdmissionResult } from '../../trust/admission.js';
import { maxCredentialsOf } from '../../trust/registration-terms.js';
import { keptAttestation, type NewAttestation } from '../../users/attestations/evidence.js';
import type { KnownUser } from '../../users/credentials/credential-reader.js';
import type {
  NewCredential,
  RegisteringUser,
  RegistrationTerms,
} from '../../users/credentials/registration-steps.js';
import { storedTransports } from '../../users/credentials/transports.js';
import { aaguidBytes } from '../../webauthn/aaguid.js';
import { serialNumberOf } from '../../webauthn/attestation/leaf-extensions.js';
import type { RegistrationResponse, VerifiedRegistration } from '../../webauthn/registration.js';
import { attestationResponse } from '../../webauthn/response-json.js';
import { userVerificationMethods } from '../../webauthn/user-verification-methods.js';
import { ceremonyId, type PendingRegistration, type Permit } from '../ceremonies/ceremony.js';
import type { RegistrationResultDto } from './registration.dto.js';

/** A verified registration that the policy admits. */
export interface AcceptedRegistration {
  /** The user before this registration; `undefined` if it creates the user. */
  readonly knownUser: KnownUser | undefined;
  readonly dto: RegistrationResultDto;
  readonly verified: VerifiedRegistration;
  readonly admitted: AdmissionResult;
  readonly circumstances: Pick<NewCredential, 'attestationAsked' | 'residentKey'>;
  /** Name of the authenticator's model; `null` if it is unknown. */
  readonly model: string | null;
  readonly client: Client | undefined;
  readonly audit: AuditEntry | undefined;
  /** Further steps of the unit, given the user's ID. */
  readonly furtherSteps: (userId: Buffer) => readonly Step[];
}

/** The key whose sign-in permitted the registration, if any; the user must still have it. */
const vouchedByOf = (permit: Permit) =>
  'signedInWith' in permit && permit.signedInWith !== undefined
    ? { vouchedBy: Buffer.from(permit.signedInWith, 'base64url') }
    : {};

/** Whether a fresh, verified sign-in with another key permitted a key that need not verify the user. */
const isMadeUnderAuthority = ({ permit, presenceWaived }: PendingRegistration): boolean =>
  permit !== null &&
  ('movedWith' in permit ||
    (presenceWaived === true && 'signedInWith' in permit && permit.signedInWith !== undefined));

/**
 * The evidence to store with the credential; `undefined` if there is no attestation, no user verification method and,
 * in an attestation of format `none`, no minimum PIN length. CA certificates that lead to a trust anchor are stored once
 * for all credentials.
 */
function provedBy(
  { attestation, extensions, credentialId, publicKey }: VerifiedRegistration,
  { trusted, authorities }: AdmissionResult,
  { attestationObject, clientDataJSON }: RegistrationResponse,
): NewAttestation | undefined {
  const uvm = userVerificationMethods(extensions);
  const reportsPin = attestation.format === 'none' && extensions.has('minPinLength');
  if (attestation.type === 'none' && uvm === null && !reportsPin) return undefined;
  const shared = trusted ? distinctBytes(authorities) : [];
  const clientDataHash = sha256(clientDataJSON);
  const signed = { clientDataHash, attestationObject, credentialId, publicKey };
  return keptAttestation(attestation, { ...signed, shared, uvm });
}

/** The columns of the credential that a registration adds, without its name. */
export function credentialOf(
  pending: PendingRegistration,
  { dto, verified, admitted, circumstances }: AcceptedRegistration,
): Omit<NewCredential, 'deviceName'> {
  const { attestation } = verified;
  const { trusted } = admitted;
  return {
    ...verified,
    ...circumstances,
    kept: provedBy(verified, admitted, attestationResponse(dto.response)),
    registrationFlags: verified.flags,
    madeUnderAuthority: isMadeUnderAuthority(pending),
    aaguid: aaguidBytes(verified.aaguid),
    deviceMetadata: pending.keypair,
    attestationFormat: attestation.format,
    attestationType: attestation.type,
    attestationTrusted: trusted,
    // Only a trusted attestation proves a serial number: anyone can write one into an untrusted certificate.
    serialNumber: trusted ? (serialNumberOf(attestation) ?? null) : null,
    ceremony: ceremonyId(pending),
    origin: pending.origin ?? null,
    transports: storedTransports(dto.response.transports),
  };
}

export const registeringUser = (
  pending: PendingRegistration,
  knownUser: KnownUser | undefined,
  { id, userId }: { readonly id: Buffer | undefined; readonly userId: Buffer },
): RegisteringUser => ({
  id,
  newId: userId,
  username: pending.username,
  displayName: pending.displayName,
  renamed: knownUser !== undefined && knownUser.displayName !== pending.displayName,
  userHandle: Buffer.from(pending.userHandle, 'base64url'),
  lockouts: pending.lockouts ?? 0,
  subject: pending.subject,
  groups: pending.groups,
});

export const termsOf = (
  rp: RelyingParty,
  { permit, reports }: PendingRegistration,
  { admitted, client, audit }: AcceptedRegistration,
): Omit<RegistrationTerms, 'uses'> => ({
  maxCredentials: permit && 'first' in permit ? 1 : maxCredentialsOf(rp.policy),
  reports: [...reports.map((rule) => ({ rule, code: 'E0043R' })), ...admitted.reports],
  ...(permit && vouchedByOf(permit)),
  client,
  audit,
});
