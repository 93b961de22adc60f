import { Injectable } from '@nestjs/common';
import { CredentialReader } from '../users/credentials/credential-reader.js';
import {
  BIND_EXTERNAL_ID,
  USER_BY_EXTERNAL_ID,
} from '../users/credentials/credential.statements.js';
import type { Step } from '../platform/database/commit/unit.js';
import { Database } from '../platform/database/database.js';
import { scope } from '../platform/database/scope.js';
import { LOCK_USER_OF_LOCKOUTS } from '../users/change.statements.js';
import { Moves } from '../users/moves/moves.js';
import { userIdAt } from '../users/moves/move-steps.js';
import { NOBODY } from '../users/permission-owners.js';
import { ApiError } from '../platform/errors/api-error.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import type {
  FormerUser,
  PendingAuthentication,
  PendingRegistration,
  PendingUserId,
  Permit,
} from './ceremonies/ceremony.js';

/** A user as a begin call found it. */
interface UserWithExternalId {
  readonly id: Buffer;
  readonly externalId: string | undefined;
}

interface NewUser {
  /** `undefined` for a user who exists, or who does not move here from another domain. */
  readonly newId?: Buffer;
  /** Steps to run before it, in the same unit. */
  readonly uses: readonly Step[];
}

/** `userId` of a begin call: the user's ID at the customer's own application, which never changes. */
@Injectable()
export class UserIds {
  constructor(
    private readonly database: Database,
    private readonly moves: Moves,
    private readonly reader: CredentialReader,
  ) {}

  /** Whether a user has the name here or at the predecessor; no other user may take it then. */
  async isTaken(
    rp: RelyingParty,
    user: UserWithExternalId | undefined,
    username: string,
  ): Promise<boolean> {
    if (user) return true;
    const former = this.moves.formerOf(rp);
    return former !== undefined && (await this.reader.findUser(former, username)) !== undefined;
  }

  /** The user of the old domain whom a registration of this name creates here; it queries nothing without a move. */
  async movesFrom(
    rp: RelyingParty,
    { username, permit }: Pick<PendingRegistration, 'username' | 'permit'>,
  ): Promise<FormerUser | undefined> {
    const found = await this.moves.counterparts(rp, username);
    if (!found || (isByInvitation(permit) && !found.isLinked)) return undefined;
    const { id, lockouts } = found.there;
    return { user: id.toString('base64url'), lockouts };
  }

  /** The step that fails if the user of the old domain was locked out or deleted since. */
  private whileNotLockedOut(rp: RelyingParty, { user, lockouts }: FormerUser): Step {
    const former = this.moves.formerOf(rp);
    const id = Buffer.from(user, 'base64url');
    // If the move has ended in the meantime, the condition fails: this relying party has no such user.
    return LOCK_USER_OF_LOCKOUTS.mustChange({ ...scope(former ?? rp), id, lockouts });
  }

  /** Whether the user of the old domain was locked out or deleted since the begin call. */
  async isLockedOut(rp: RelyingParty, { user, lockouts }: FormerUser): Promise<boolean> {
    const former = this.moves.formerOf(rp);
    const id = Buffer.from(user, 'base64url');
    const found = former && (await this.reader.findUserById(former, id));
    return found?.lockouts !== lockouts;
  }

  /**
   * Refuses to register a user of the old domain of a move who is not here yet: nothing proves that this is that user.
   * A sign-in with an old key does, and an invitation that an administrator has linked.
   *
   * @throws ApiError E0043R
   */
  async ensureNotExpected(
    rp: RelyingParty,
    username: string,
    { isInvited }: { readonly isInvited: boolean },
  ): Promise<void> {
    const found = await this.moves.counterparts(rp, username);
    if (found && !found.here && !(isInvited && found.isLinked)) throw needsLink();
  }

  /**
   * How a registration creates a user who moves here from another domain.
   *
   * @throws ApiError E0043R as `ensureNotExpected`, for a user who registered there since the begin call
   */
  async newUserOf(
    rp: RelyingParty,
    {
      user,
      username,
      permit,
      movesFrom,
    }: Pick<PendingRegistration, 'user' | 'username' | 'permit' | 'movesFrom'>,
  ): Promise<NewUser> {
    const key = permit && 'movedWith' in permit ? permit.movedWith : undefined;
    if (user !== null && key === undefined) return { uses: [] };
    const locked = movesFrom ? [this.whileNotLockedOut(rp, movesFrom)] : [];
    const found = await this.moves.counterparts(rp, username);
    const vouching =
      key === undefined
        ? []
        : this.moves.steps.whileEnabled(
            rp,
            Buffer.from(key, 'base64url'),
            found?.there.id ?? NOBODY,
          );
    if (user !== null) return { uses: vouching };
    const isInvited = isByInvitation(permit);
    if (!found) {
      const proof = isInvited ? this.moves.steps.separating(rp, username) : vouching;
      return { uses: [...locked, ...proof] };
    }
    if (key === undefined && !(isInvited && found.isLinked)) throw needsLink();
    const { userId: newId, there } = found;
    const arrival = { userId: newId, formerUserId: there.id, nameThere: there.username };
    const uses = [...locked, ...vouching, ...this.moves.steps.arrival(rp, arrival)];
    return { newId, uses };
  }

  /** Additional steps for the unit of a sign-in with a key of another domain. */
  arrival(former: RelyingParty, pending: PendingAuthentication): readonly Step[] {
    const { successor } = former;
    if (!successor || pending.user === undefined) return [];
    const { username, movesTo } = pending;
    const formerUserId = Buffer.from(pending.user, 'base64url');
    const userId =
      movesTo === undefined ? userIdAt(successor, formerUserId) : Buffer.from(movesTo, 'base64url');
    const names = { nameHere: username, nameThere: username };
    return this.moves.steps.arrival(successor, { userId, formerUserId, ...names });
  }

  /**
   * The external ID that the ceremony ends with: the user's, else the one that an application assigns.
   *
   * @param user `undefined` if the ceremony creates the user
   * @throws ApiError E0001R for a `userId` without an application key, and for a conflict
   */
  async check(
    rp: RelyingParty,
    user: UserWithExternalId | undefined,
    { userId, vouched }: { userId: string | undefined; vouched: boolean },
  ): Promise<PendingUserId> {
    const externalId = user?.externalId;
    if (userId === undefined) return externalId === undefined ? {} : { subject: externalId };
    if (!vouched) throw new ApiError('E0001R', 'userId.needsKey');
    if (externalId === userId) return { subject: externalId };
    if (externalId !== undefined || (await this.ownerOf(rp, userId))) throw conflict();
    return { subject: userId, binds: true };
  }

  /**
   * Steps for the unit that completes a ceremony of an existing user, so that the external ID is assigned if and only if
   * the ceremony completes. If the unit fails, `isBound` returns whether this was the reason.
   */
  binding(rp: RelyingParty, user: Buffer, { subject: externalId, binds }: PendingUserId): Step[] {
    if (!binds || externalId === undefined) return [];
    // The unit fails if the user has an external ID, or another user has this one.
    return [
      BIND_EXTERNAL_ID.mustChange({
        ...scope(rp),
        id: user,
        externalId: Buffer.from(externalId, 'utf8'),
      }),
    ];
  }

  /**
   * Whether another ceremony of the same user was faster, so that this one has nothing left to bind.
   *
   * @throws ApiError E0001R for a conflict that arose in the meantime
   */
  async isBound(
    rp: RelyingParty,
    user: Buffer,
    { subject: externalId, binds }: PendingUserId,
  ): Promise<boolean> {
    if (!binds || externalId === undefined) return false;
    const owner = await this.ownerOf(rp, externalId);
    if (owner) {
      if (owner.equals(user)) return true;
      throw conflict();
    }
    const found = await this.reader.findUserById(rp, user);
    if (found?.externalId !== undefined) throw conflict();
    return false;
  }

  /** The refusal of a registration that created no user, since another user has the external ID in the meantime. */
  async conflictOf(
    rp: RelyingParty,
    { subject: externalId, binds }: PendingUserId,
  ): Promise<ApiError | undefined> {
    const taken = binds && externalId !== undefined && (await this.ownerOf(rp, externalId));
    return taken ? conflict() : undefined;
  }

  private async ownerOf(rp: RelyingParty, externalId: string): Promise<Buffer | undefined> {
    const params = { ...scope(rp), externalId: Buffer.from(externalId, 'utf8') };
    const [row] = await this.database.query(USER_BY_EXTERNAL_ID, params);
    return row?.id;
  }
}

const needsLink = () => new ApiError('E0043R', 'registration.needsLink');

const isByInvitation = (permit: Permit | null): boolean =>
  permit !== null && 'invitation' in permit;

const conflict = () => new ApiError('E0001R', 'userId.conflict');
