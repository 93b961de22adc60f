import { Injectable } from '@nestjs/common';
import type { Step } from '../platform/database/commit/unit.js';
import { scope } from '../platform/database/scope.js';
import { NO_ID } from '../platform/database/row-ids.js';
import { ApiError } from '../platform/errors/api-error.js';
import type { KeyDomain, RelyingParty } from '../tenancy/relying-party.js';
import { RelyingPartyCache } from '../tenancy/scope/relying-party-cache.js';
import { LOCK_USER_OF_LOCKOUTS } from '../users/user-change.statements.js';
import { CredentialReader } from '../users/credentials/credential-reader.js';
import { userIdAt, type Counterparts } from '../users/moves/move-steps.js';
import { Moves } from '../users/moves/moves.js';
import type {
  PredecessorUser,
  NamedAuthentication,
  PendingRegistration,
  Permit,
} from './ceremonies/ceremony.js';
import { ensureNotSuspended } from './refusals/failure-codes.js';

interface ArrivalByRegistration {
  /** The ID at the successor of a user of the predecessor; `undefined` for other users. */
  readonly movingId?: Buffer;
  /** Steps to run first, in the unit of the registration. */
  readonly steps: readonly Step[];
}

/** The ceremonies with which users of a predecessor arrive at its successor. */
@Injectable()
export class MovingUsers {
  constructor(
    private readonly relyingParties: RelyingPartyCache,
    private readonly moves: Moves,
    private readonly reader: CredentialReader,
  ) {}

  /** Whether the predecessor has a user of the name; no other user may take it at the successor then. */
  async isExpected(rp: RelyingParty, username: string): Promise<boolean> {
    const predecessor = this.relyingParties.current.predecessorOf(rp);
    return (
      predecessor !== undefined && (await this.reader.findUser(predecessor, username)) !== undefined
    );
  }

  /** The user of the predecessor whom a registration of this name creates at the successor. */
  async movesFrom(rp: RelyingParty, username: string): Promise<PredecessorUser | undefined> {
    const found = await this.counterparts(rp, username);
    return found && predecessorUserOf(found);
  }

  /**
   * As `movesFrom`. Refuses to register a user who is not at the successor yet: nothing proves that this is that user. A
   * sign-in with a key of the predecessor does, and an invitation for that user, which an account has linked.
   *
   * @throws ApiError E0043R
   */
  async ensureNotExpected(
    rp: RelyingParty,
    username: string,
    permit: Permit | null,
  ): Promise<PredecessorUser | undefined> {
    const found = await this.counterparts(rp, username);
    if (found && !found.successorUser && !isByInvitation(permit)) throw needsLink();
    return found && predecessorUserOf(found);
  }

  /** The user of the predecessor; `undefined` if the user or the move no longer exists. */
  async find(rp: RelyingParty, { user }: PredecessorUser) {
    const predecessor = this.relyingParties.current.predecessorOf(rp);
    return predecessor && this.reader.findUserById(predecessor, Buffer.from(user, 'base64url'));
  }

  /**
   * The name of a new user: the current one at the predecessor, if a key of it permitted the registration. The user may
   * have been renamed since.
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
   * The steps with which a registration makes a user of the predecessor arrive, and that user's key there vouch.
   *
   * @throws ApiError E0043R as `ensureNotExpected`, for a user who registered at the predecessor since the begin call
   */
  async arrivalByRegistration(
    rp: RelyingParty,
    { user, username, permit, movesFrom }: PendingRegistration,
  ): Promise<ArrivalByRegistration> {
    const key = vouchingKeyOf(permit);
    if (user !== null && !key) return { steps: [] };
    const found = await this.counterparts(rp, username);
    const vouching = key
      ? this.moves.steps.whileUsable(rp, key, found?.predecessorUser.id ?? NO_ID)
      : [];
    if (user !== null) return { steps: vouching };
    const locked = movesFrom ? [this.whileNotLockedOut(rp, movesFrom)] : [];
    if (!found) return { steps: [...locked, ...vouching] };
    if (!key && !isByInvitation(permit)) throw needsLink();
    const { userId, predecessorUser } = found;
    const { id: predecessorUserId, username: predecessorUsername } = predecessorUser;
    const arrival = { userId, predecessorUserId, predecessorUsername };
    const arriving = this.moves.steps.arrival(rp, arrival, { isCreated: true });
    return { movingId: userId, steps: [...locked, ...vouching, ...arriving] };
  }

  /**
   * Additional steps for the unit of a sign-in with a key of a predecessor.
   *
   * @param predecessorUsername the user's current name at the predecessor
   */
  arrivalBySignIn(
    successor: RelyingParty,
    { user, movesTo }: NamedAuthentication,
    predecessorUsername: string,
  ): readonly Step[] {
    const predecessorUserId = Buffer.from(user, 'base64url');
    const userId =
      movesTo === undefined
        ? userIdAt(successor, predecessorUserId)
        : Buffer.from(movesTo, 'base64url');
    return this.moves.steps.arrival(successor, { userId, predecessorUserId, predecessorUsername });
  }

  /** @throws ApiError E0043R if the user is suspended at the predecessor */
  private async counterparts(
    rp: RelyingParty,
    username: string,
  ): Promise<Counterparts | undefined> {
    const found = await this.moves.counterparts(rp, username);
    ensureNotSuspended(found?.predecessorUser);
    return found;
  }

  /** The step that fails if the user of the predecessor was locked out or deleted since. */
  private whileNotLockedOut(rp: RelyingParty, { user, lockouts }: PredecessorUser): Step {
    const predecessor = this.relyingParties.current.predecessorOf(rp);
    const id = Buffer.from(user, 'base64url');
    // If the move has ended in the meantime, the condition fails: this relying party has no such user.
    return LOCK_USER_OF_LOCKOUTS.mustChange({ ...scope(predecessor ?? rp), id, lockouts });
  }
}

const predecessorUserOf = ({
  predecessorUser: { id, lockouts },
}: Counterparts): PredecessorUser => ({
  user: id.toString('base64url'),
  lockouts,
});

/** The hash of the key of the predecessor that permitted a registration. */
const vouchingKeyOf = (permit: Permit | null): Buffer | undefined =>
  permit && 'movedWith' in permit ? Buffer.from(permit.movedWith, 'base64url') : undefined;

const needsLink = () => new ApiError('E0043R', 'registration.needsLink');

const isByInvitation = (permit: Permit | null): boolean =>
  permit !== null && 'invitation' in permit;
