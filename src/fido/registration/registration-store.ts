import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  authoritiesOf,
  keptAttestation,
  type NewAttestation,
} from '../../users/attestations/evidence.js';
import {
  CredentialReader,
  credentialHashOf,
  type KnownUser,
} from '../../users/credentials/credential-reader.js';
import { CredentialWriter, MAX_CREDENTIALS } from '../../users/credentials/credential-writer.js';
import type {
  RegistrationTerms,
  NewCredential,
  RegisteringUser,
} from '../../users/credentials/registration-steps.js';
import { NOBODY } from '../../users/permission-owners.js';
import { newId } from '../../platform/database/columns.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { InvitationPermits } from '../../invitations/invitation-permits.js';
import type { Client } from '../../events/ledger.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import type { AdmissionResult } from '../../trust/admission.js';
import { capOf, tooMany } from '../../trust/begin-policy.js';
import { aaguidBytes } from '../../webauthn/aaguid.js';
import { serialNumberOf } from '../../webauthn/attestation/leaf-extensions.js';
import type { RegistrationResponse, VerifiedRegistration } from '../../webauthn/registration.js';
import { userVerificationMethods } from '../../webauthn/user-verification-methods.js';
import { ceremonyId, type PendingRegistration, type Permit } from '../ceremonies/ceremony.js';
import { UserIds } from '../user-ids.js';
import { TicketService } from '../tickets/ticket.service.js';

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
 * The evidence to store with the credential; `undefined` if there is neither an attestation nor a user verification
 * method. CA certificates that lead to a trust anchor are stored once for all credentials.
 */
function provedBy(
  { attestation, extensions, credentialId, publicKey }: VerifiedRegistration,
  { trusted }: AdmissionResult,
  { attestationObject, clientDataJSON }: RegistrationResponse,
): NewAttestation | undefined {
  const uvm = userVerificationMethods(extensions);
  if (attestation.type === 'none' && uvm === null) return undefined;
  const shared = trusted ? authoritiesOf(attestation) : [];
  const clientDataHash = hash('sha256', clientDataJSON, 'buffer');
  const signed = { clientDataHash, attestationObject, credentialId, publicKey };
  return keptAttestation(attestation, { ...signed, shared, uvm });
}

/** Only a trusted attestation proves a serial number: anyone can write one into an untrusted certificate. */
const proofOf = ({ attestation }: VerifiedRegistration, { trusted }: AdmissionResult) => ({
  trusted,
  serialNumber: trusted ? serialNumberOf(attestation) : undefined,
});

/** Returns the device name, given the user's other credentials. */
type DeviceNaming = (others: KnownUser['credentials']) => string;

interface AcceptedRegistration {
  /** The user before this registration; `undefined` if it creates the user. */
  readonly before: KnownUser | undefined;
  readonly verified: VerifiedRegistration;
  readonly admitted: AdmissionResult;
  readonly device: { readonly nameBeside: DeviceNaming; readonly transports: string };
  /** The response as the browser sent it. */
  readonly response: RegistrationResponse;
  readonly told: {
    readonly attestationAsked: boolean;
    readonly residentKey: boolean | undefined;
  };
  readonly client: Client | undefined;
}

/** Input for the terms of a registration. */
interface KeyToPermit {
  readonly admitted: AdmissionResult;
  readonly credentialId: Buffer;
  /** The ID of the key's future user, as returned by `PermissionOwners.ownerOf`. */
  readonly owner: Buffer;
  readonly userId: Buffer;
}

/** Input of `CredentialWriter.register`. */
interface Storable {
  readonly user: RegisteringUser;
  readonly credential: NewCredential;
  readonly terms: RegistrationTerms;
}

/** Stores a registration on the terms of its begin call, or reports what has changed since. */
@Injectable()
export class RegistrationStore {
  constructor(
    private readonly reader: CredentialReader,
    private readonly writer: CredentialWriter,
    private readonly tickets: TicketService,
    private readonly userIds: UserIds,
    private readonly invitations: InvitationPermits,
  ) {}

  /**
   * @returns the IDs of all of the user's credentials, including this one
   * @throws ApiError if the credential is known already, or the begin call's permission is no longer valid
   */
  async add(
    rp: RelyingParty,
    pending: PendingRegistration,
    { before, verified, admitted, device, response, told, client }: AcceptedRegistration,
  ): Promise<readonly Buffer[]> {
    const { format, type } = verified.attestation;
    const { credentialId, publicKey, algorithm, signCount } = verified;
    const { userVerified, backupEligible, backedUp, flags } = verified;
    const credential = {
      kept: provedBy(verified, admitted, response),
      registrationFlags: flags,
      ...told,
      credentialId,
      publicKey,
      algorithm,
      signCount,
      userVerified,
      madeUnderAuthority: isMadeUnderAuthority(pending),
      backupEligible,
      backedUp,
      aaguid: aaguidBytes(verified.aaguid),
      keypair: pending.keypair ?? undefined,
      attestation: { format, type, ...proofOf(verified, admitted) },
      ceremony: ceremonyId(pending),
      deviceName: device.nameBeside(before?.credentials ?? []),
      transports: device.transports,
    };
    const { newId: movingId, uses } = await this.userIds.newUserOf(rp, pending);
    const id = pending.user === null ? undefined : Buffer.from(pending.user, 'base64url');
    const userId = id ?? movingId ?? newId();
    const user = {
      id,
      newId: userId,
      username: pending.username,
      displayName: pending.displayName,
      renamed: before !== undefined && before.displayName !== pending.displayName,
      userHandle: Buffer.from(pending.userHandle, 'base64url'),
      subject: pending.subject,
    };
    const owner = id ?? movingId ?? NOBODY;
    const permitted = this.termsOf(rp, pending, { admitted, credentialId, owner, userId });
    const terms = { ...permitted, client, uses: [...uses, ...(permitted.uses ?? [])] };
    const { nameBeside } = device;
    const storable = { user, credential, terms };
    const credentialIds = await this.registerNamed(rp, pending, storable, nameBeside);
    if (!credentialIds) throw await this.refusal(rp, pending, credentialId);
    return credentialIds;
  }

  /** Stores the credential under another name if the user has registered one of the same name in the meantime. */
  private async registerNamed(
    rp: RelyingParty,
    pending: PendingRegistration,
    { credential, ...others }: Storable,
    nameBeside: DeviceNaming,
  ): Promise<readonly Buffer[] | undefined> {
    let { deviceName } = credential;
    for (;;) {
      const named = { ...others, credential: { ...credential, deviceName } };
      const credentialIds = await this.register(rp, pending, named);
      if (credentialIds || !others.user.id) return credentialIds;
      const now = await this.reader.findUser(rp, pending.username);
      const free = nameBeside(now?.credentials ?? []);
      if (free === deviceName) return undefined;
      deviceName = free;
    }
  }

  /**
   * Stores the credential together with the ID that the customer's application assigns to an existing user.
   *
   * @returns as `CredentialWriter.register`
   * @throws ApiError as `UserIds.isBound`
   */
  private async register(
    rp: RelyingParty,
    pending: PendingRegistration,
    { user, credential, terms }: Storable,
  ): Promise<readonly Buffer[] | undefined> {
    const binding = user.id ? this.userIds.binding(rp, user.id, pending) : [];
    const uses = [...(terms.uses ?? []), ...binding];
    const credentialIds = await this.writer.register(rp, user, credential, { ...terms, uses });
    if (credentialIds || !user.id || !(await this.userIds.isBound(rp, user.id, pending))) {
      return credentialIds;
    }
    return this.writer.register(rp, user, credential, terms);
  }

  private termsOf(
    rp: RelyingParty,
    pending: PendingRegistration,
    { admitted, credentialId, owner, userId }: KeyToPermit,
  ): RegistrationTerms {
    const { permit } = pending;
    const cap = capOf(rp.policy, MAX_CREDENTIALS);
    const reports = [
      ...pending.reports.map((rule) => ({ rule, code: 'E0043R' })),
      ...admitted.reports,
    ];
    // The begin call needed no permission.
    if (!permit) return { cap, reports };
    if ('first' in permit) return { cap: 1, reports };
    if ('ticket' in permit) {
      const ticketHash = Buffer.from(permit.ticket, 'base64url');
      return { cap, reports, uses: [this.tickets.useUp(rp, ticketHash, owner)] };
    }
    // `UserIds.newUserOf` returns its guard.
    if ('movedWith' in permit) return { cap, reports };
    const vouchedBy = vouchedByOf(permit);
    if (!('invitation' in permit)) return { cap, reports, ...vouchedBy };
    const credentialHash = credentialHashOf(credentialId);
    const uses = this.invitations.countKey(rp, permit, { credentialHash, owner, userId });
    return { cap, reports, uses, ...vouchedBy };
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
    if (await this.reader.findByHash(rp, credentialHashOf(credentialId)))
      return new ApiError('E0036R');
    if (await this.isUsedUp(rp, pending)) return new ApiError('E0043R', 'registration.ticketUsed');
    const over = await this.overOf(rp, pending);
    if (over) return over;
    const user = await this.reader.findUser(rp, pending.username);
    const conflict = user ? undefined : await this.userIds.conflictOf(rp, pending);
    if (conflict) return conflict;
    // The user was created, deleted or closed since, so the begin call was for another user.
    if ((user?.id.toString('base64url') ?? null) !== pending.user) return new ApiError('E0024R');
    const cap = capOf(rp.policy, MAX_CREDENTIALS);
    if (user && user.credentials.length >= cap) return tooMany(cap);
    const { permit } = pending;
    const isGone = permit !== null && (user !== undefined || 'movedWith' in permit);
    return isGone ? new ApiError('E0043R', 'registration.permitGone') : new ApiError('E0024R');
  }

  private async overOf(rp: RelyingParty, { permit }: PendingRegistration) {
    return permit && 'invitation' in permit ? this.invitations.refusalOf(rp, permit) : undefined;
  }

  private async isUsedUp(rp: RelyingParty, { permit }: PendingRegistration): Promise<boolean> {
    if (!permit || !('ticket' in permit)) return false;
    return !(await this.tickets.find(rp, Buffer.from(permit.ticket, 'base64url')));
  }
}
