import { Injectable } from '@nestjs/common';
import { InvitationPermits } from '../../invitations/invitation-permits.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { NO_ID, newId } from '../../platform/database/row-ids.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { maxCredentialsOf, tooManyCredentials } from '../../trust/registration-policy.js';
import {
  CredentialReader,
  credentialHashOf,
  type AnsweredKey,
  type KnownUser,
} from '../../users/credentials/credential-reader.js';
import { deviceName } from '../../users/credentials/key-label.js';
import {
  RegistrationWriter,
  type NewCredential,
  type RegisteringUser,
  type RegistrationTerms,
} from '../../users/credentials/registration-writer.js';
import { MoveSteps } from '../../users/moves/move-steps.js';
import {
  assignsUserId,
  ceremonyId,
  type PendingRegistration,
  type Permit,
} from '../ceremonies/ceremony.js';
import { MovingUsers } from '../moving-users.js';
import { TicketService } from '../tickets/ticket.service.js';
import { UserIds } from '../user-ids.js';

/** A verified registration that the policy admits. */
interface AcceptedRegistration extends Pick<RegistrationTerms, 'reports' | 'client' | 'audit'> {
  /** The user before this registration; `undefined` if it creates the user. */
  readonly knownUser: KnownUser | undefined;
  /** Name of the authenticator's model; `null` if it is unknown. */
  readonly model: string | null;
  readonly credential: Omit<NewCredential, 'deviceName'>;
  /** First steps of the unit, given the user's ID. */
  readonly firstSteps: (userId: Buffer) => readonly Step[];
}

/** What differs between the attempts to store a registration. */
interface Attempt {
  readonly deviceName: string;
  /** The steps that assign the user ID of the ceremony. */
  readonly binding: readonly Step[];
}

/** Why an attempt stored nothing; what others did in the meantime leads to a further attempt. */
type Obstacle =
  | { readonly kind: 'userIdAssigned' | 'nameTaken'; readonly next: Attempt }
  | { readonly kind: 'refused'; readonly refusal: ApiError };

/** The user of a registration. */
interface Registrant {
  /** `undefined` if the registration creates the user here. */
  readonly id: Buffer | undefined;
  readonly userId: Buffer;
  /** The ID of the user to whom a permit was issued, as returned by `PermissionOwners.ownerOf`. */
  readonly owner: Buffer;
  /** The steps by which the user arrives from the predecessor, or gets the user ID of the ceremony. */
  readonly steps: readonly Step[];
}

/** The key that a permit is used for, and its user. */
type PermittedKey = Pick<Registrant, 'owner' | 'userId'> & Pick<NewCredential, 'credentialId'>;

/** Stores a registration on the terms of its begin call, or reports what has changed since. */
@Injectable()
export class RegistrationRecorder {
  constructor(
    private readonly reader: CredentialReader,
    private readonly writer: RegistrationWriter,
    private readonly tickets: TicketService,
    private readonly userIds: UserIds,
    private readonly moving: MovingUsers,
    private readonly moveSteps: MoveSteps,
    private readonly invitations: InvitationPermits,
  ) {}

  /**
   * @returns all of the user's credentials, including this one
   * @throws ApiError if the credential is known already, or the begin call's permission is no longer valid
   */
  async record(
    rp: RelyingParty,
    pending: PendingRegistration,
    accepted: AcceptedRegistration,
  ): Promise<readonly AnsweredKey[]> {
    const { knownUser, credential } = accepted;
    const terms = termsOf(rp, pending, accepted);
    const registrant = await this.registrantOf(rp, pending);
    const { id } = registrant;
    const user = registeringUser(pending, knownUser, registrant);
    const firstSteps = this.firstStepsOf(rp, pending, registrant, accepted);
    let attempt: Attempt = {
      deviceName: nameBeside(knownUser, pending, accepted),
      binding: id && assignsUserId(pending) ? await this.userIds.binding(rp, id, pending) : [],
    };
    for (;;) {
      const named = { ...credential, deviceName: attempt.deviceName };
      const keys = await this.writer.register(rp, user, named, {
        ...terms,
        firstSteps: [...firstSteps, ...attempt.binding],
      });
      if (keys) return keys;
      const obstacle = await this.obstacleTo(attempt, rp, pending, accepted);
      if (obstacle.kind === 'refused') throw obstacle.refusal;
      attempt = obstacle.next;
    }
  }

  private async registrantOf(rp: RelyingParty, pending: PendingRegistration): Promise<Registrant> {
    const { movingId, steps } = await this.moving.arrivalByRegistration(rp, pending);
    const id = existingUserOf(pending);
    const known = id ?? movingId;
    if (known) return { id, userId: known, owner: known, steps };
    const binding = assignsUserId(pending) ? await this.userIds.bindingOfNew(rp, pending) : [];
    return { id, userId: newId(), owner: NO_ID, steps: [...steps, ...binding] };
  }

  /** The first steps of the unit, whatever attempt it is. */
  private firstStepsOf(
    rp: RelyingParty,
    { permit, mayLink }: PendingRegistration,
    registrant: Registrant,
    { credential: { credentialId }, firstSteps }: AcceptedRegistration,
  ): Step[] {
    const { id, userId, steps } = registrant;
    const mustNotLink = !id && mayLink !== true;
    return [
      ...steps,
      ...this.permitSteps(rp, permit, { credentialId, ...registrant }),
      ...(mustNotLink ? this.moveSteps.refusingLink(rp, userId) : []),
      ...firstSteps(userId),
    ];
  }

  /** The steps that use a permit up; they fail if it is no longer valid. */
  private permitSteps(
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

  /**
   * Determines why an attempt stored nothing: the first cause that applies. The order matters, since an earlier cause
   * entails later ones: the completed registration made its key known, a lock-out ends permits, and the use of a permit
   * changes the user.
   *
   * @throws ApiError E0001R if the user ID of the ceremony conflicts with another one in the meantime
   */
  private async obstacleTo(
    failed: Attempt,
    rp: RelyingParty,
    pending: PendingRegistration,
    accepted: AcceptedRegistration,
  ): Promise<Obstacle> {
    const id = existingUserOf(pending);
    const isAssigning = id && failed.binding.length > 0 && assignsUserId(pending);
    if (isAssigning && (await this.userIds.isBound(rp, id, pending))) {
      return { kind: 'userIdAssigned', next: { ...failed, binding: [] } };
    }
    if (id) {
      const known = await this.reader.findUser(rp, pending.username);
      const free = nameBeside(known, pending, accepted);
      if (free !== failed.deviceName)
        return { kind: 'nameTaken', next: { ...failed, deviceName: free } };
    }
    const refusal =
      (await this.ifCompleted(rp, pending)) ??
      (await this.ifKnown(rp, accepted.credential.credentialId)) ??
      (await this.ifLockedOut(rp, pending)) ??
      (await this.ifPermitEnded(rp, pending)) ??
      (await this.ifUserChanged(rp, pending)) ??
      new ApiError('E0024R');
    return { kind: 'refused', refusal };
  }

  private async ifCompleted(
    rp: RelyingParty,
    pending: PendingRegistration,
  ): Promise<ApiError | undefined> {
    const isCompleted = await this.reader.isCompleted(rp, ceremonyId(pending));
    return isCompleted ? new ApiError('E0024R', 'session.used') : undefined;
  }

  private async ifKnown(rp: RelyingParty, id: Buffer): Promise<ApiError | undefined> {
    const known = await this.reader.findByHash(rp, credentialHashOf(id));
    return known && new ApiError('E0036R');
  }

  /** E0043R while the user is suspended; E0024R if the user was locked out or deleted since the begin call. */
  private async ifLockedOut(
    rp: RelyingParty,
    { user, lockouts = 0, movesFrom, permit }: PendingRegistration,
  ): Promise<ApiError | undefined> {
    // In a move by a key of the predecessor, the permission of that key has ended: `ifUserChanged` reports that.
    if (permit && 'movedWith' in permit) return undefined;
    const begun = user === null ? movesFrom : { user, lockouts };
    if (!begun) return undefined;
    const found =
      user === null
        ? await this.moving.find(rp, begun)
        : await this.reader.findUserById(rp, Buffer.from(user, 'base64url'));
    if (found?.lockouts === begun.lockouts) return undefined;
    return found?.isSuspended
      ? new ApiError('E0043R', 'user.suspended')
      : new ApiError('E0024R', 'session.ended');
  }

  private async ifPermitEnded(
    rp: RelyingParty,
    { permit }: PendingRegistration,
  ): Promise<ApiError | undefined> {
    if (permit && 'ticket' in permit) {
      const ticket = await this.tickets.find(rp, Buffer.from(permit.ticket, 'base64url'));
      return ticket ? undefined : new ApiError('E0043R', 'registration.ticketUsed');
    }
    return permit && 'invitation' in permit ? this.invitations.refusalOf(rp, permit) : undefined;
  }

  private async ifUserChanged(
    rp: RelyingParty,
    pending: PendingRegistration,
  ): Promise<ApiError | undefined> {
    const { permit } = pending;
    const user = await this.reader.findUser(rp, pending.username);
    const conflict =
      !user && assignsUserId(pending) ? await this.userIds.conflictOf(rp, pending) : undefined;
    if (conflict) return conflict;
    // The user was created, deleted or closed since, so the begin call was for another user.
    if ((user?.id.toString('base64url') ?? null) !== pending.user) return new ApiError('E0024R');
    const maxCredentials = maxCredentialsOf(rp.policy);
    if (user && user.credentials.length >= maxCredentials)
      return tooManyCredentials(maxCredentials);
    const isGone = permit !== null && (user !== undefined || 'movedWith' in permit);
    return isGone ? new ApiError('E0043R', 'registration.permitGone') : undefined;
  }
}

/** `undefined` if the registration creates the user. */
const existingUserOf = ({ user }: PendingRegistration): Buffer | undefined =>
  user === null ? undefined : Buffer.from(user, 'base64url');

/** A name for the key that differs from those of the user's keys. */
const nameBeside = (
  known: KnownUser | undefined,
  { keypair }: PendingRegistration,
  { model }: AcceptedRegistration,
): string => deviceName(keypair, model, known?.credentials ?? []);

const registeringUser = (
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

const termsOf = (
  rp: RelyingParty,
  { permit, reports: begun }: PendingRegistration,
  { reports, client, audit }: AcceptedRegistration,
): Omit<RegistrationTerms, 'firstSteps'> => ({
  maxCredentials: permit && 'first' in permit ? 1 : maxCredentialsOf(rp.policy),
  reports: [...begun.map((rule) => ({ rule, code: 'E0043R' })), ...reports],
  ...(permit && vouchedByOf(permit)),
  client,
  audit,
});

/** The key whose sign-in permitted the registration, if any; the user must still have it. */
const vouchedByOf = (permit: Permit) =>
  'signedInWith' in permit && permit.signedInWith !== undefined
    ? { vouchedBy: Buffer.from(permit.signedInWith, 'base64url') }
    : {};
