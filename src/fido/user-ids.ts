import { Injectable } from '@nestjs/common';
import type { ApplicationKeyGrant } from '../platform/access/accounts/account.js';
import type { Step } from '../platform/database/commit/unit.js';
import { Database } from '../platform/database/database.js';
import { scope } from '../platform/database/scope.js';
import { ApiError } from '../platform/errors/api-error.js';
import { receiverOf, type KeyDomain, type RelyingParty } from '../tenancy/relying-party.js';
import { RelyingPartyCache } from '../tenancy/scope/relying-party-cache.js';
import { keyCovers } from '../tenancy/scope/visible-tenants.js';
import { CredentialReader } from '../users/credentials/credential-reader.js';
import { BIND_SUBJECT, USER_BY_SUBJECT } from '../users/credentials/credential.statements.js';
import { Moves } from '../users/moves/moves.js';
import type { AssignedUserId, PendingUserId } from './ceremonies/ceremony.js';

/** A user as a begin call found it. */
interface UserWithSubject {
  readonly id: Buffer;
  readonly subject: string | undefined;
}

/** `userId` of a begin call: the user's ID at the customer's own application, which never changes. */
@Injectable()
export class UserIds {
  constructor(
    private readonly database: Database,
    private readonly relyingParties: RelyingPartyCache,
    private readonly moves: Moves,
    private readonly reader: CredentialReader,
  ) {}

  /**
   * The user ID that the ceremony ends with, for a call with a `userId`: the user's, else the one that an application
   * assigns.
   *
   * @param user `undefined` if the ceremony creates the user
   * @throws ApiError E0001R without an application key, for a conflict, also at the other domain of a move, and for a
   *   key that covers only one domain of a user of both
   */
  async check(
    rp: KeyDomain,
    user: UserWithSubject | undefined,
    { userId, key }: { userId: string; key: ApplicationKeyGrant | undefined },
  ): Promise<PendingUserId> {
    const subject = user?.subject;
    if (!key) throw new ApiError('E0001R', 'userId.needsKey');
    if (subject === userId) return { subject };
    if (subject !== undefined || (await this.ownerOf(rp, userId))) throw conflict();
    const other = user && (await this.checkOtherDomain(rp, user.id, userId));
    if (other && !keyCovers(key, rp, other.rp)) {
      throw new ApiError('E0001R', 'userId.needsBothDomains');
    }
    return { subject: userId, binds: true };
  }

  /**
   * Refuses the ID that an application assigns to a new user, if a user of the predecessor has it.
   *
   * @throws ApiError E0001R
   */
  async ensureNotExpected(rp: RelyingParty, { subject }: AssignedUserId): Promise<void> {
    await this.checkOtherDomain(rp, undefined, subject);
  }

  /**
   * Steps for the unit that completes a ceremony of an existing user, so that the user ID is assigned if and only if
   * the ceremony completes, in a move at both domains. If the unit fails, `isBound` returns whether this was the reason.
   *
   * @throws ApiError E0001R for a conflict that arose at the other domain in the meantime
   */
  async binding(rp: KeyDomain, user: Buffer, { subject }: AssignedUserId): Promise<Step[]> {
    const other = await this.checkOtherDomain(rp, user, subject);
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
   * The first steps of the unit that creates a user with a user ID.
   *
   * @throws ApiError E0001R if somebody at the predecessor has got the ID since the begin call
   */
  async bindingOfNew(rp: RelyingParty, pending: AssignedUserId): Promise<Step[]> {
    await this.ensureNotExpected(rp, pending);
    return this.deciding(rp, undefined, pending.subject);
  }

  /**
   * The steps that store who a user of the predecessor is at the successor, if this user ID would decide otherwise: an
   * application of one domain must not make its user a user of the other one.
   *
   * @param id `undefined` for a new user
   */
  private async deciding(rp: KeyDomain, id: Buffer | undefined, subject: string): Promise<Step[]> {
    const { current } = this.relyingParties;
    const successor = current.successorOf(rp);
    if (successor) return id ? this.moves.deciding(successor, id) : [];
    const predecessor = current.predecessorOf(rp);
    const owner = predecessor && (await this.ownerOf(predecessor, subject));
    return owner ? this.moves.deciding(receiverOf(rp), owner) : [];
  }

  /**
   * The same user at the other domain of a move, and whether the user exists there without a user ID.
   *
   * @param id `undefined` for a new user
   * @throws ApiError E0001R if the user has another user ID there, or somebody else has this one
   */
  private async checkOtherDomain(rp: KeyDomain, id: Buffer | undefined, subject: string) {
    const predecessor = rp.successor ? undefined : this.relyingParties.current.predecessorOf(rp);
    const predecessorOwner = predecessor && (await this.ownerOf(predecessor, subject));
    const owner = predecessorOwner && (await this.moves.sameAs(receiverOf(rp), predecessorOwner));
    if (owner && !(id && owner.userId.equals(id))) throw conflict();
    const other = id && (await this.moves.elsewhere(rp, id));
    if (!other) return undefined;
    const successorOwner = predecessor ? undefined : await this.ownerOf(other.rp, subject);
    if (successorOwner && !successorOwner.equals(other.id)) throw conflict();
    const user = await this.reader.findUserById(other.rp, other.id);
    if (user?.subject !== undefined && user.subject !== subject) throw conflict();
    return { ...other, lacksId: user !== undefined && user.subject === undefined };
  }

  /**
   * Whether another ceremony of the same user was faster, so that this one has nothing left to bind.
   *
   * @throws ApiError E0001R for a conflict that arose in the meantime
   */
  async isBound(rp: KeyDomain, user: Buffer, { subject }: AssignedUserId): Promise<boolean> {
    const owner = await this.ownerOf(rp, subject);
    if (owner) {
      if (owner.equals(user)) return true;
      throw conflict();
    }
    const found = await this.reader.findUserById(rp, user);
    if (found?.subject !== undefined) throw conflict();
    await this.checkOtherDomain(rp, user, subject);
    return false;
  }

  /** The refusal of a registration that created no user, since another user has the user ID in the meantime. */
  async conflictOf(rp: RelyingParty, { subject }: AssignedUserId): Promise<ApiError | undefined> {
    return (await this.ownerOf(rp, subject)) ? conflict() : undefined;
  }

  private async ownerOf(rp: KeyDomain, subject: string): Promise<Buffer | undefined> {
    const params = { ...scope(rp), subject: Buffer.from(subject, 'utf8') };
    const [row] = await this.database.query(USER_BY_SUBJECT, params);
    return row?.id;
  }
}

const conflict = () => new ApiError('E0001R', 'userId.conflict');
