import { Injectable } from '@nestjs/common';
import type { Step } from '../platform/database/commit/unit.js';
import { scope } from '../platform/database/scope.js';
import { NO_ID } from '../platform/database/row-ids.js';
import { ApiError } from '../platform/errors/api-error.js';
import type { KeyDomain, RelyingParty } from '../tenancy/relying-party.js';
import { RelyingPartyCache } from '../tenancy/scope/relying-party-cache.js';
import { LOCK_USER_OF_LOCKOUTS } from '../users/change.statements.js';
import { CredentialReader } from '../users/credentials/credential-reader.js';
import { userIdAt, type Counterparts } from '../users/moves/move-steps.js';
import { Moves } from '../users/moves/moves.js';
import type {
  FormerUser,
  PendingAuthentication,
  PendingRegistration,
  Permit,
} from './ceremonies/ceremony.js';
import { ensureNotSuspended } from './refusals/suspended-user.js';

interface ArrivalByRegistration {
  /** The ID of a user who moves here from another domain; `undefined` for other users. */
  readonly movingId?: Buffer;
  /** Steps to run first, in the unit of the registration. */
  readonly steps: readonly Step[];
}

/** The ceremonies with which users of the old domain of a move arrive at the new one. */
@Injectable()
export class MovingUsers {
  constructor(
    private readonly relyingParties: RelyingPartyCache,
    private readonly moves: Moves,
    private readonly reader: CredentialReader,
  ) {}

  /** Whether the predecessor has a user of the name; no other user may take it here then. */
  async isExpected(rp: RelyingParty, username: string): Promise<boolean> {
    const predecessor = this.relyingParties.current.predecessorOf(rp);
    return (
      predecessor !== undefined && (await this.reader.findUser(predecessor, username)) !== undefined
    );
  }

  /** The user of the old domain of a move whom a registration of this name creates here. */
  async movesFrom(rp: RelyingParty, username: string): Promise<FormerUser | undefined> {
    const found = await this.counterparts(rp, username);
    return found && formerUserOf(found);
  }

  /**
   * As `movesFrom`. Refuses to register a user who is not here yet: nothing proves that this is that user. A sign-in with
   * an old key does, and an invitation for that user, which an account has linked.
   *
   * @throws ApiError E0043R
   */
  async ensureNotExpected(
    rp: RelyingParty,
    username: string,
    permit: Permit | null,
  ): Promise<FormerUser | undefined> {
    const found = await this.counterparts(rp, username);
    if (found && !found.here && !isByInvitation(permit)) throw needsLink();
    return found && formerUserOf(found);
  }

  /** Whether the user of the old domain was locked out or deleted since the begin call. */
  async isLockedOut(rp: RelyingParty, former: FormerUser): Promise<boolean> {
    return (await this.find(rp, former))?.lockouts !== former.lockouts;
  }

  /** The user of the old domain of a move; `undefined` if the user or the move no longer exists. */
  async find(rp: RelyingParty, { user }: FormerUser) {
    const predecessor = this.relyingParties.current.predecessorOf(rp);
    return predecessor && this.reader.findUserById(predecessor, Buffer.from(user, 'base64url'));
  }

  /**
   * The name of a new user: the current one at the old domain, if a key of it permitted the registration. The user may have
   * been renamed since.
   */
  async nameOfNew(
    rp: KeyDomain,
    { username, permit }: Pick<PendingRegistration, 'username' | 'permit'>,
  ): Promise<string> {
    const predecessor = this.relyingParties.current.predecessorOf(rp);
    const vouching = vouchingKeyOf(permit);
    const key = predecessor && vouching && (await this.reader.findByHash(predecessor, vouching));
    return key?.username ?? username;
  }

  /**
   * The steps with which a registration makes a user of the old domain arrive, and its key of the old domain vouch.
   *
   * @throws ApiError E0043R as `ensureNotExpected`, for a user who registered there since the begin call
   */
  async arrivalByRegistration(
    rp: RelyingParty,
    { user, username, permit, movesFrom }: PendingRegistration,
  ): Promise<ArrivalByRegistration> {
    const key = vouchingKeyOf(permit);
    if (user !== null && !key) return { steps: [] };
    const found = await this.counterparts(rp, username);
    const vouching = key ? this.moves.steps.whileEnabled(rp, key, found?.there.id ?? NO_ID) : [];
    if (user !== null) return { steps: vouching };
    const locked = movesFrom ? [this.whileNotLockedOut(rp, movesFrom)] : [];
    if (!found) return { steps: [...locked, ...vouching] };
    if (!key && !isByInvitation(permit)) throw needsLink();
    const { userId, there } = found;
    const arrival = { userId, formerUserId: there.id, nameThere: there.username };
    const arriving = this.moves.steps.arrival(rp, arrival, { isCreated: true });
    return { movingId: userId, steps: [...locked, ...vouching, ...arriving] };
  }

  /**
   * Additional steps for the unit of a sign-in with a key of another domain.
   *
   * @param nameThere the user's current name there
   */
  arrivalBySignIn(
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

  /** @throws ApiError E0043R if the user is suspended at the old domain */
  private async counterparts(
    rp: RelyingParty,
    username: string,
  ): Promise<Counterparts | undefined> {
    const found = await this.moves.counterparts(rp, username);
    ensureNotSuspended(found?.there);
    return found;
  }

  /** The step that fails if the user of the old domain was locked out or deleted since. */
  private whileNotLockedOut(rp: RelyingParty, { user, lockouts }: FormerUser): Step {
    const predecessor = this.relyingParties.current.predecessorOf(rp);
    const id = Buffer.from(user, 'base64url');
    // If the move has ended in the meantime, the condition fails: this relying party has no such user.
    return LOCK_USER_OF_LOCKOUTS.mustChange({ ...scope(predecessor ?? rp), id, lockouts });
  }
}

const formerUserOf = ({ there: { id, lockouts } }: Counterparts): FormerUser => ({
  user: id.toString('base64url'),
  lockouts,
});

/** The hash of the key of the old domain that permitted a registration. */
const vouchingKeyOf = (permit: Permit | null): Buffer | undefined =>
  permit && 'movedWith' in permit ? Buffer.from(permit.movedWith, 'base64url') : undefined;

const needsLink = () => new ApiError('E0043R', 'registration.needsLink');

const isByInvitation = (permit: Permit | null): boolean =>
  permit !== null && 'invitation' in permit;
