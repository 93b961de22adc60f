import { Injectable } from '@nestjs/common';
import type { ApplicationKeyGrant } from '../platform/access/accounts/account.js';
import { CredentialReader, type KnownUser } from '../users/credentials/credential-reader.js';
import { BIND_SUBJECT, USER_BY_SUBJECT } from '../users/credentials/credential.statements.js';
import type { Step } from '../platform/database/commit/unit.js';
import { Database } from '../platform/database/database.js';
import { scope } from '../platform/database/scope.js';
import { LOCK_USER_OF_LOCKOUTS } from '../users/change.statements.js';
import { Moves } from '../users/moves/moves.js';
import { userIdAt } from '../users/moves/move-steps.js';
import { NOBODY } from '../users/permission-owners.js';
import { ApiError } from '../platform/errors/api-error.js';
import { keyCovers } from '../tenancy/scope/visible-tenants.js';
import { receiverOf, type KeyDomain, type RelyingParty } from '../tenancy/relying-party.js';
import type {
  FormerUser,
  PendingAuthentication,
  PendingRegistration,
  PendingUserId,
  Permit,
} from './ceremonies/ceremony.js';
import { ensureNotSuspended } from './refusals/suspended-user.js';

/** A user as a begin call found it. */
interface UserWithSubject {
  readonly id: Buffer;
  readonly subject: string | undefined;
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
    user: UserWithSubject | undefined,
    username: string,
  ): Promise<boolean> {
    if (user) return true;
    const predecessor = this.moves.predecessorOf(rp);
    return (
      predecessor !== undefined && (await this.reader.findUser(predecessor, username)) !== undefined
    );
  }

  /**
   * Refuses to register a user of the old domain of a move who is not here yet: nothing proves that this is that user.
   * A sign-in with an old key does, and an invitation for that user, which an administrator has linked.
   *
   * @returns the user of the old domain whom an invited registration creates here
   * @throws ApiError E0043R; E0001R for the user ID of a user of the old domain
   */
  async ensureNotExpected(
    rp: RelyingParty,
    username: string,
    { isInvited, pendingUserId }: { isInvited: boolean; pendingUserId: PendingUserId },
  ): Promise<FormerUser | undefined> {
    const found = await this.moves.counterparts(rp, username);
    ensureNotSuspended(found?.there);
    if (found && !found.here && !isInvited) throw needsLink();
    const { subject, binds } = pendingUserId;
    if (binds && subject !== undefined) await this.elsewhere(rp, undefined, subject);
    return found && formerUserOf(found.there);
  }

  /** The user of the old domain of a move whom a registration of this name creates here. */
  async movesFrom(rp: RelyingParty, username: string): Promise<FormerUser | undefined> {
    const found = await this.moves.counterparts(rp, username);
    ensureNotSuspended(found?.there);
    return found && formerUserOf(found.there);
  }

  /** The step that fails if the user of the old domain was locked out or deleted since. */
  private whileNotLockedOut(rp: RelyingParty, { user, lockouts }: FormerUser): Step {
    const predecessor = this.moves.predecessorOf(rp);
    const id = Buffer.from(user, 'base64url');
    // If the move has ended in the meantime, the condition fails: this relying party has no such user.
    return LOCK_USER_OF_LOCKOUTS.mustChange({ ...scope(predecessor ?? rp), id, lockouts });
  }

  /** Whether the user of the old domain was locked out or deleted since the begin call. */
  async isLockedOut(rp: RelyingParty, moving: FormerUser): Promise<boolean> {
    return (await this.findFormerUser(rp, moving))?.lockouts !== moving.lockouts;
  }

  /** The user of the old domain of a move; `undefined` if the user or the move no longer exists. */
  async findFormerUser(rp: RelyingParty, { user }: FormerUser) {
    const predecessor = this.moves.predecessorOf(rp);
    return predecessor && this.reader.findUserById(predecessor, Buffer.from(user, 'base64url'));
  }

  /** Whether a new user of the old domain whom an application registers may be linked to the new one. */
  mayLink(rp: KeyDomain, key: ApplicationKeyGrant | undefined): boolean {
    return this.moves.steps.mayLink(rp, key);
  }

  /** The step that stores that a new user of the old domain is nobody at the new one; none if there is no move. */
  refusingLink(rp: RelyingParty, userId: Buffer): Step[] {
    return this.moves.steps.refusingLink(rp, userId);
  }

  /**
   * How a registration creates a user who moves here from another domain.
   *
   * @throws ApiError E0043R as `ensureNotExpected`, for a user who registered there since the begin call
   */
  async newUserOf(
    rp: RelyingParty,
    pending: Pick<PendingRegistration, 'user' | 'username' | 'permit' | 'movesFrom'> &
      PendingUserId,
  ): Promise<NewUser> {
    const { user, username, permit, movesFrom, subject, binds } = pending;
    const key = permit && 'movedWith' in permit ? permit.movedWith : undefined;
    if (user !== null && key === undefined) return { uses: [] };
    const locked = movesFrom ? [this.whileNotLockedOut(rp, movesFrom)] : [];
    const found = await this.moves.counterparts(rp, username);
    ensureNotSuspended(found?.there);
    const vouching =
      key === undefined
        ? []
        : this.moves.steps.whileEnabled(
            rp,
            Buffer.from(key, 'base64url'),
            found?.there.id ?? NOBODY,
          );
    if (user !== null) return { uses: vouching };
    if (!found) {
      const isFirst = binds && subject !== undefined;
      // Somebody at the old domain may have got it since the begin call.
      if (isFirst) await this.elsewhere(rp, undefined, subject);
      const decided = isFirst ? await this.deciding(rp, undefined, subject) : [];
      return { uses: [...locked, ...vouching, ...decided] };
    }
    if (key === undefined && !isByInvitation(permit)) throw needsLink();
    const { userId: newId, there } = found;
    const arrival = { userId: newId, formerUserId: there.id, nameThere: there.username };
    const arriving = this.moves.steps.arrival(rp, arrival, { isCreated: true });
    return { newId, uses: [...locked, ...vouching, ...arriving] };
  }

  /**
   * The name of a new user: the current one at the old domain, if a key of it permitted the registration. The user may have
   * been renamed since.
   */
  async nameOfNew(
    rp: KeyDomain,
    { username, permit }: Pick<PendingRegistration, 'username' | 'permit'>,
  ): Promise<string> {
    const predecessor = this.moves.predecessorOf(rp);
    if (!predecessor || !permit || !('movedWith' in permit)) return username;
    const key = await this.reader.findByHash(
      predecessor,
      Buffer.from(permit.movedWith, 'base64url'),
    );
    return key?.username ?? username;
  }

  /**
   * Additional steps for the unit of a sign-in with a key of another domain.
   *
   * @param nameThere the user's current name there
   */
  arrival(
    { successor }: KeyDomain,
    pending: PendingAuthentication,
    nameThere: string,
  ): readonly Step[] {
    if (!successor || pending.user === undefined) return [];
    const { movesTo } = pending;
    const formerUserId = Buffer.from(pending.user, 'base64url');
    const userId =
      movesTo === undefined ? userIdAt(successor, formerUserId) : Buffer.from(movesTo, 'base64url');
    return this.moves.steps.arrival(successor, { userId, formerUserId, nameThere });
  }

  /**
   * The user ID that the ceremony ends with: the user's, else the one that an application assigns.
   *
   * @param user `undefined` if the ceremony creates the user
   * @throws ApiError E0001R for a `userId` without an application key, for a conflict, also at the other domain of a
   *   move, and for a key that covers only one domain of a user of both
   */
  async check(
    rp: KeyDomain,
    user: UserWithSubject | undefined,
    { userId, key }: { userId: string | undefined; key: ApplicationKeyGrant | undefined },
  ): Promise<PendingUserId> {
    const subject = user?.subject;
    if (userId === undefined) return subject === undefined ? {} : { subject };
    if (!key) throw new ApiError('E0001R', 'userId.needsKey');
    if (subject === userId) return { subject };
    if (subject !== undefined || (await this.ownerOf(rp, userId))) throw conflict();
    const other = user && (await this.elsewhere(rp, user.id, userId));
    if (other && !keyCovers(key, rp, other.rp)) {
      throw new ApiError('E0001R', 'userId.needsBothDomains');
    }
    return { subject: userId, binds: true };
  }

  /**
   * Steps for the unit that completes a ceremony of an existing user, so that the user ID is assigned if and only if
   * the ceremony completes, in a move at both domains. If the unit fails, `isBound` returns whether this was the reason.
   *
   * @throws ApiError E0001R for a conflict that arose at the other domain in the meantime
   */
  async binding(rp: KeyDomain, user: Buffer, { subject, binds }: PendingUserId): Promise<Step[]> {
    if (!binds || subject === undefined) return [];
    const other = await this.elsewhere(rp, user, subject);
    const places = [{ rp, id: user }, ...(other?.lacksId ? [other] : [])];
    // The unit fails if the user has a user ID, or another user has this one.
    const steps = places.map((one) =>
      BIND_SUBJECT.mustChange({
        ...scope(one.rp),
        id: one.id,
        subject: Buffer.from(subject, 'utf8'),
      }),
    );
    return [...(await this.deciding(rp, user, subject)), ...steps];
  }

  /**
   * The steps that store who a user of the old domain of a move is at the new one, if this user ID would decide
   * otherwise: an application of one domain must not make its user a user of the other one.
   *
   * @param id `undefined` for a new user
   */
  private async deciding(rp: KeyDomain, id: Buffer | undefined, subject: string): Promise<Step[]> {
    const successor = this.moves.successorOf(rp);
    if (successor) return id ? this.moves.deciding(successor, id) : [];
    const predecessor = this.moves.predecessorOf(rp);
    const owner = predecessor && (await this.ownerOf(predecessor, subject));
    return owner ? this.moves.deciding(receiverOf(rp), owner) : [];
  }

  /**
   * The same user at the other domain of a move, and whether the user exists there without a user ID.
   *
   * @param id `undefined` for a new user
   * @throws ApiError E0001R if the user has another user ID there, or somebody else has this one
   */
  private async elsewhere(rp: KeyDomain, id: Buffer | undefined, subject: string) {
    const predecessor = rp.successor ? undefined : this.moves.predecessorOf(rp);
    const formerOwner = predecessor && (await this.ownerOf(predecessor, subject));
    const owner = formerOwner && (await this.moves.sameAs(receiverOf(rp), formerOwner));
    if (owner && !(id && owner.userId.equals(id))) throw conflict();
    const other = id && (await this.moves.elsewhere(rp, id));
    if (!other) return undefined;
    const newOwner = predecessor ? undefined : await this.ownerOf(other.rp, subject);
    if (newOwner && !newOwner.equals(other.id)) throw conflict();
    const there = await this.reader.findUserById(other.rp, other.id);
    if (there?.subject !== undefined && there.subject !== subject) throw conflict();
    return { ...other, lacksId: there !== undefined && there.subject === undefined };
  }

  /**
   * Whether another ceremony of the same user was faster, so that this one has nothing left to bind.
   *
   * @throws ApiError E0001R for a conflict that arose in the meantime
   */
  async isBound(rp: KeyDomain, user: Buffer, { subject, binds }: PendingUserId): Promise<boolean> {
    if (!binds || subject === undefined) return false;
    const owner = await this.ownerOf(rp, subject);
    if (owner) {
      if (owner.equals(user)) return true;
      throw conflict();
    }
    const found = await this.reader.findUserById(rp, user);
    if (found?.subject !== undefined) throw conflict();
    await this.elsewhere(rp, user, subject);
    return false;
  }

  /** The refusal of a registration that created no user, since another user has the user ID in the meantime. */
  async conflictOf(
    rp: RelyingParty,
    { subject, binds }: PendingUserId,
  ): Promise<ApiError | undefined> {
    const taken = binds && subject !== undefined && (await this.ownerOf(rp, subject));
    return taken ? conflict() : undefined;
  }

  private async ownerOf(rp: KeyDomain, subject: string): Promise<Buffer | undefined> {
    const params = { ...scope(rp), subject: Buffer.from(subject, 'utf8') };
    const [row] = await this.database.query(USER_BY_SUBJECT, params);
    return row?.id;
  }
}

const formerUserOf = ({ id, lockouts }: KnownUser): FormerUser => ({
  user: id.toString('base64url'),
  lockouts,
});

const needsLink = () => new ApiError('E0043R', 'registration.needsLink');

const isByInvitation = (permit: Permit | null): boolean =>
  permit !== null && 'invitation' in permit;

const conflict = () => new ApiError('E0001R', 'userId.conflict');
