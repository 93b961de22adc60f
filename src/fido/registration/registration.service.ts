import { Injectable } from '@nestjs/common';
import type { AuditEntry } from '../../audit/audit-entry.js';
import { keptAttestation, type NewAttestation } from '../../users/attestations/evidence.js';
import { CredentialReader, type KnownUser } from '../../users/credentials/credential-reader.js';
import type { NewCredential } from '../../users/credentials/registration-writer.js';
import { storedTransports } from '../../users/credentials/transports.js';
import { GroupsInForce } from '../../users/moves/groups-in-force.js';
import { sha256 } from '../../platform/common/sha256.js';
import { distinctBytes } from '../../platform/database/row-ids.js';
import { ok } from '../../platform/http/ok.js';
import { rulesFor } from '../../tenancy/policy/rules-for.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { Admission, type AdmissionResult } from '../../trust/admission.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';
import { aaguidBytes } from '../../webauthn/aaguid.js';
import { serialNumberOf } from '../../webauthn/attestation/leaf-extensions.js';
import type { VerifiedRegistration } from '../../webauthn/registration.js';
import { attestationResponse } from '../../webauthn/response-json.js';
import { userVerificationMethods } from '../../webauthn/user-verification-methods.js';
import { ceremonyId, type PendingRegistration } from '../ceremonies/ceremony.js';
import type { Caller } from '../limits/rate-limits.js';
import type { KeepAnswer } from '../idempotency/kept-answers.js';
import { ensureNotSuspended } from '../refusals/failure-codes.js';
import { signalsOf } from '../ceremonies/ceremony.answer.js';
import { MovingUsers } from '../moving-users.js';
import { RegistrationRecorder } from './registration-recorder.js';
import { RegistrationVerifier } from './registration-verifier.js';
import type { RegistrationResultDto } from './registration.dto.js';

interface RegistrationCall {
  readonly caller: Caller;
  readonly keepAnswer: KeepAnswer | undefined;
  /** The row of a key that an invitation permits. */
  readonly audit: AuditEntry | undefined;
}

interface AdmittedRegistration {
  readonly verified: VerifiedRegistration;
  readonly admitted: AdmissionResult;
}

/** The result call of a registration (W3C WebAuthn L3 §7.1). */
@Injectable()
export class RegistrationService {
  constructor(
    private readonly verifier: RegistrationVerifier,
    private readonly admission: Admission,
    private readonly models: AuthenticatorModels,
    private readonly reader: CredentialReader,
    private readonly groups: GroupsInForce,
    private readonly moving: MovingUsers,
    private readonly recorder: RegistrationRecorder,
  ) {}

  /**
   * Verifies the authenticator's response, checks it against the rules of the user and stores the credential.
   *
   * @throws ApiError with the code of the first step that fails
   */
  async complete(
    rp: RelyingParty,
    pending: PendingRegistration,
    dto: RegistrationResultDto,
    { caller, keepAnswer, audit }: RegistrationCall,
  ) {
    const knownUser = await this.userOf(rp, pending);
    const groups = knownUser ? await this.groups.of(rp, knownUser) : (pending.groups ?? []);
    const profiledRp = rulesFor(rp, groups);
    const { verified, differences } = await this.verifier.verify(
      profiledRp,
      { pending, dto },
      caller,
    );
    ensureNotSuspended(knownUser);
    const username = knownUser?.username ?? (await this.moving.nameOfNew(rp, pending));
    const circumstances = {
      attestationAsked: pending.attestation !== 'none',
      residentKey: residentKeyOf(dto),
    };
    const admitted = this.admission.evaluate(profiledRp, verified, {
      credentials: knownUser?.credentials.length ?? 0,
      ...circumstances,
    });
    const model = this.models.name(verified.aaguid);
    const facts = keyFactsOf(dto, verified, { trusted: admitted.trusted, model });
    // Kept without the user's names and signals: a repeat of the call reads them again.
    const keepingAnswer = (userId: Buffer) => (keepAnswer ? [keepAnswer(ok(facts), userId)] : []);
    const keys = await this.recorder.record(
      profiledRp,
      { ...pending, username },
      {
        knownUser,
        model,
        credential: { ...credentialOf(pending, dto, { verified, admitted }), ...circumstances },
        reports: [...admitted.reports, ...differences],
        client: caller.client,
        audit,
        firstSteps: keepingAnswer,
      },
    );
    const { displayName } = pending;
    const userHandle = Buffer.from(pending.userHandle, 'base64url');
    return ok({
      username,
      ...facts,
      signals: signalsOf(rp, { userHandle, username, displayName, keys }),
    });
  }

  /**
   * The user of the begin call, who may have another name by now. A registration that creates the user finds none; if
   * the user exists by now, storing the credential fails.
   */
  private async userOf(
    rp: RelyingParty,
    { user, username }: PendingRegistration,
  ): Promise<KnownUser | undefined> {
    if (user === null) return undefined;
    const id = Buffer.from(user, 'base64url');
    const found = await this.reader.findUser(rp, username);
    if (found?.id.equals(id)) return found;
    const renamed = await this.reader.findUserById(rp, id);
    return renamed && this.reader.findUser(rp, renamed.username);
  }
}

/** W3C WebAuthn L3 §10.1.3: `credProps.rk` is `true` for a discoverable credential. */
function residentKeyOf({ clientExtensionResults }: RegistrationResultDto): boolean | undefined {
  const props = clientExtensionResults?.['credProps'];
  const rk = typeof props === 'object' && props !== null && 'rk' in props ? props.rk : undefined;
  return typeof rk === 'boolean' ? rk : undefined;
}

/** What the answer says about the new key. */
function keyFactsOf(
  { id: credentialId }: RegistrationResultDto,
  { aaguid, userVerified, backupEligible, backedUp, attestation }: VerifiedRegistration,
  { trusted, model }: { readonly trusted: boolean; readonly model: string | null },
) {
  const { format, type } = attestation;
  return {
    credentialId,
    aaguid,
    authenticatorName: model,
    userVerified,
    attestation: { format, type, trusted },
    backupEligible,
    backedUp,
  };
}

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
  { response }: RegistrationResultDto,
): NewAttestation | undefined {
  const uvm = userVerificationMethods(extensions);
  const reportsPin = attestation.format === 'none' && extensions.has('minPinLength');
  if (attestation.type === 'none' && uvm === null && !reportsPin) return undefined;
  const shared = trusted ? distinctBytes(authorities) : [];
  const { attestationObject, clientDataJSON } = attestationResponse(response);
  const clientDataHash = sha256(clientDataJSON);
  const signed = { clientDataHash, attestationObject, credentialId, publicKey };
  return keptAttestation(attestation, { ...signed, shared, uvm });
}

/** The columns of the credential that a registration adds, without its name and its circumstances. */
function credentialOf(
  pending: PendingRegistration,
  dto: RegistrationResultDto,
  { verified, admitted }: AdmittedRegistration,
): Omit<NewCredential, 'deviceName' | 'attestationAsked' | 'residentKey'> {
  const { attestation } = verified;
  const { trusted } = admitted;
  return {
    ...verified,
    kept: provedBy(verified, admitted, dto),
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
