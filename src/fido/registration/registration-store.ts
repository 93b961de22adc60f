import { Injectable } from '@nestjs/common';
import type { AuditEntry } from '../../audit/audit-entry.js';
import { sha256 } from '../../platform/common/sha256.js';
import { keptAttestation, type NewAttestation } from '../../users/attestations/evidence.js';
import {
  CredentialReader,
  credentialHashOf,
  type AnsweredKey,
  type KnownUser,
} from '../../users/credentials/credential-reader.js';
import { RegistrationWriter } from '../../users/credentials/registration-writer.js';
import { deviceName } from '../../users/credentials/key-label.js';
import { storedTransports } from '../../users/credentials/transports.js';
import type { NewCredential } from '../../users/credentials/registration-steps.js';
import { NOBODY } from '../../users/permission-owners.js';
import { distinctBytes, newId } from '../../platform/database/row-ids.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { InvitationPermits } from '../../invitations/invitation-permits.js';
import type { Client } from '../../events/ledger.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import type { AdmissionResult } from '../../trust/admission.js';
import { maxCredentialsOf, tooManyCredentials } from '../../trust/registration-terms.js';
import { aaguidBytes } from '../../webauthn/aaguid.js';
import { serialNumberOf } from '../../webauthn/attestation/leaf-extensions.js';
import type { RegistrationResponse, VerifiedRegistration } from '../../webauthn/registration.js';
import { attestationResponse } from '../../webauthn/response-json.js';
import { userVerificationMethods } from '../../webauthn/user-verification-methods.js';
import { ceremonyId, type PendingRegistration, type Permit } from '../ceremonies/ceremony.js';
import { UserIds } from '../user-ids.js';
import { TicketService } from '../tickets/ticket.service.js';
import type { RegistrationResultDto } from './registration.dto.js';

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
 * in an attestation of format `none`, no minimum PIN length. CA certificates that lead to a trust anchor are stored once for all credentials.
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

/** A verified registration that the policy admits. */
interface AcceptedRegistration {
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

function credentialOf(
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

/** What differs between the attempts to store a registration. */
interface Attempt {
  readonly deviceName: string;
  /** The steps that assign the user ID of the ceremony. */
  readonly binding: readonly Step[];
}

interface FailedRegistration {
  readonly rp: RelyingParty;
  readonly id: Buffer;
  readonly pending: PendingRegistration;
  /** A name for the key that differs from those of the user's keys. */
  readonly nameBeside: (known: KnownUser | undefined) => string;
}

/** The key that a permit is used for. */
interface PermittedKey {
  readonly credentialId: Buffer;
  /** The ID of the key's future user, as returned by `PermissionOwners.ownerOf`. */
  readonly owner: Buffer;
  readonly userId: Buffer;
}

/** Stores a registration on the terms of its begin call, or reports what has changed since. */
@Injectable()
export class RegistrationStore {
  constructor(
    private readonly reader: CredentialReader,
    private readonly writer: RegistrationWriter,
    private readonly tickets: TicketService,
    private readonly userIds: UserIds,
    private readonly invitations: InvitationPermits,
  ) {}

  /** The name of the user whom a registration creates. */
  nameOfNew(rp: RelyingParty, pending: PendingRegistration): Promise<string> {
    return this.userIds.nameOfNew(rp, pending);
  }

  /**
   * @returns all of the user's credentials, including this one
   * @throws ApiError if the credential is known already, or the begin call's permission is no longer valid
   */
  async add(
    rp: RelyingParty,
    pending: PendingRegistration,
    accepted: AcceptedRegistration,
  ): Promise<readonly AnsweredKey[]> {
    const { knownUser, verified, admitted, model, client, audit, furtherSteps } = accepted;
    const { credentialId } = verified;
    const credential = credentialOf(pending, accepted);
    const { newId: movingId, uses } = await this.userIds.newUserOf(rp, pending);
    const id = pending.user === null ? undefined : Buffer.from(pending.user, 'base64url');
    const userId = id ?? movingId ?? newId();
    const user = {
      id,
      newId: userId,
      username: pending.username,
      displayName: pending.displayName,
      renamed: knownUser !== undefined && knownUser.displayName !== pending.displayName,
      userHandle: Buffer.from(pending.userHandle, 'base64url'),
      lockouts: pending.lockouts ?? 0,
      subject: pending.subject,
      groups: pending.groups,
    };
    const { permit } = pending;
    const key = { credentialId, owner: id ?? movingId ?? NOBODY, userId };
    const terms = {
      maxCredentials: permit && 'first' in permit ? 1 : maxCredentialsOf(rp.policy),
      reports: [...pending.reports.map((rule) => ({ rule, code: 'E0043R' })), ...admitted.reports],
      ...(permit && vouchedByOf(permit)),
      client,
      audit,
    };
    const isNoLink = pending.user === null && pending.mayLink !== true;
    const permitted = [
      ...uses,
      ...this.usesOf(rp, permit, key),
      ...(isNoLink ? this.userIds.refusingLink(rp, userId) : []),
      ...furtherSteps(userId),
    ];
    const nameBeside = (known: KnownUser | undefined) =>
      deviceName(pending.keypair, model, known?.credentials ?? []);
    let attempt: Attempt | undefined = {
      deviceName: nameBeside(knownUser),
      binding: id ? await this.userIds.binding(rp, id, pending) : [],
    };
    while (attempt) {
      const named = { ...credential, deviceName: attempt.deviceName };
      const withUses = { ...terms, uses: [...permitted, ...attempt.binding] };
      const keys = await this.writer.register(rp, user, named, withUses);
      if (keys) return keys;
      attempt = id && (await this.attemptAfter(attempt, { rp, id, pending, nameBeside }));
    }
    throw await this.refusal(rp, pending, credentialId);
  }

  /** The attempt after one that stored nothing for an existing user; `undefined` if it would fail too. */
  private async attemptAfter(
    failed: Attempt,
    { rp, id, pending, nameBeside }: FailedRegistration,
  ): Promise<Attempt | undefined> {
    // Another ceremony may have assigned the user ID in the meantime.
    const isBound = failed.binding.length > 0 && (await this.userIds.isBound(rp, id, pending));
    if (isBound) return { ...failed, binding: [] };
    // The user may have registered a key of the same name in the meantime.
    const free = nameBeside(await this.reader.findUser(rp, pending.username));
    return free === failed.deviceName ? undefined : { ...failed, deviceName: free };
  }

  /** The steps that use a permit up; they fail if it is no longer valid. */
  private usesOf(
    rp: RelyingParty,
    permit: Permit | null,
    { credentialId, owner, userId }: PermittedKey,
  ): Step[] {
    if (permit && 'ticket' in permit) {
      return [this.tickets.useUp(rp, Buffer.from(permit.ticket, 'base64url'), owner)];
    }
    if (permit && 'invitation' in permit) {
      const credentialHash = credentialHashOf(credentialId);
      return this.invitations.countKey(rp, permit, { credentialHash, owner, userId });
    }
    return [];
  }

  /** Whether the user was locked out or deleted since the begin call. */
  private async isLockedOut(
    rp: RelyingParty,
    { user, lockouts = 0, movesFrom, permit }: PendingRegistration,
  ): Promise<boolean> {
    // Who moves by a key of the old domain has lost that key's permission then, which `refusal` says.
    if (permit && 'movedWith' in permit) return false;
    if (user === null) return movesFrom !== undefined && this.userIds.isLockedOut(rp, movesFrom);
    const found = await this.reader.findUserById(rp, Buffer.from(user, 'base64url'));
    return found?.lockouts !== lockouts;
  }

  /** E0043R while the user is suspended; otherwise the lock-out has only ended the ceremony. */
  private async refusalOfLockOut(
    rp: RelyingParty,
    { user, movesFrom }: PendingRegistration,
  ): Promise<ApiError> {
    const found =
      user === null
        ? movesFrom && (await this.userIds.findFormerUser(rp, movesFrom))
        : await this.reader.findUserById(rp, Buffer.from(user, 'base64url'));
    return found?.isSuspended
      ? new ApiError('E0043R', 'user.suspended')
      : new ApiError('E0024R', 'session.ended');
  }

  /** Determines why the writer stored nothing. */
  private async refusal(
    rp: RelyingParty,
    pending: PendingRegistration,
    credentialId: Buffer,
  ): Promise<ApiError> {
    if (await this.writer.isCompleted(rp, ceremonyId(pending))) {
      return new ApiError('E0024R', 'session.used');
    }
    const known = await this.reader.findByHash(rp, credentialHashOf(credentialId));
    if (known) return new ApiError('E0036R');
    if (await this.isLockedOut(rp, pending)) return this.refusalOfLockOut(rp, pending);
    const { permit } = pending;
    if (permit && 'ticket' in permit) {
      const ticket = await this.tickets.find(rp, Buffer.from(permit.ticket, 'base64url'));
      if (!ticket) return new ApiError('E0043R', 'registration.ticketUsed');
    }
    if (permit && 'invitation' in permit) {
      const over = await this.invitations.refusalOf(rp, permit);
      if (over) return over;
    }
    const user = await this.reader.findUser(rp, pending.username);
    const conflict = user ? undefined : await this.userIds.conflictOf(rp, pending);
    if (conflict) return conflict;
    // The user was created, deleted or closed since, so the begin call was for another user.
    if ((user?.id.toString('base64url') ?? null) !== pending.user) return new ApiError('E0024R');
    const maxCredentials = maxCredentialsOf(rp.policy);
    if (user && user.credentials.length >= maxCredentials)
      return tooManyCredentials(maxCredentials);
    const isGone = permit !== null && (user !== undefined || 'movedWith' in permit);
    return isGone ? new ApiError('E0043R', 'registration.permitGone') : new ApiError('E0024R');
  }
}
