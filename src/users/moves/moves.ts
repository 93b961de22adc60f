import { Injectable } from '@nestjs/common';
import type { Account } from '../../platform/access/accounts/account.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { Database } from '../../platform/database/database.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { mapKey } from '../../platform/database/row-ids.js';
import type { PredecessorDomain, KeyDomain, RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { nameKey } from '../../tenancy/usernames/name-key.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import {
  CredentialReader,
  type KnownUser,
  type UserToSignIn,
} from '../credentials/credential-reader.js';
import { MoveSteps, separateNames, type Counterparts } from './move-steps.js';
import { SameUsers, type SameUser } from './same-users.js';

/** Which users of one name a caller may declare to be one user, although their names collide. */
export type NameLinking = 'none' | 'users without keys' | 'all users';

/** Only accounts may declare that a user who signs in here is the user of that name at the predecessor, not programs. */
export const linkingBy = ({ key }: Account): NameLinking =>
  key ? 'users without keys' : 'all users';

export interface MovingUser {
  readonly keyDomain: PredecessorDomain;
  /** The user's keys are those of the predecessor. The names are the successor's if the user is known there. */
  readonly user: UserToSignIn;
  /** The ID that the user has, or will have, at the successor. */
  readonly userId: Buffer;
}

/** A user at one relying party. */
type UserAt<User> = User & { readonly relyingParty: RelyingParty };

/** A user to change: during a move perhaps at both domains. */
export interface UserAtDomains<User> {
  /** The user at each domain, at the successor first. */
  readonly users: readonly [UserAt<User>, ...UserAt<User>[]];
  /** The successor, for a user of both domains. */
  readonly successor?: RelyingParty;
  /** The other domain of a move at which the user does not exist. */
  readonly absentAt?: RelyingParty;
  /** First steps of the unit that changes the user. */
  readonly linking: readonly Step[];
}

/** Whom a permission at the successor is for. */
interface LinkedByName {
  /** The ID that a user of the predecessor has, or will have, at the successor; `undefined` for no such user. */
  readonly movingId: Buffer | undefined;
  /** The user's name at the predecessor, which may differ. */
  readonly predecessorUsername?: string;
  /** Whether the user is suspended at the predecessor. */
  readonly isSuspended: boolean;
  /** They store that the two are one user. */
  readonly steps: readonly Step[];
}

interface UserElsewhere {
  readonly rp: RelyingParty;
  readonly id: Buffer;
}

/** Which of the users of the predecessor is a user of the successor. */
const predecessorUserIdOf = (
  found: ReadonlyMap<string, SameUser>,
  ids: readonly Buffer[],
  id: Buffer,
): Buffer | undefined => ids.find((one) => found.get(mapKey(one))?.userId.equals(id));

/**
 * Users who move from a predecessor to its successor (decisions: OUT OF SPEC in that two RP IDs serve one account).
 * `SameUsers` decides which user of one is a user of the other. For a relying party without a predecessor, nothing here
 * queries the database.
 */
@Injectable()
export class Moves {
  constructor(
    private readonly database: Database,
    private readonly relyingParties: RelyingPartyCache,
    private readonly reader: CredentialReader,
    private readonly same: SameUsers,
    /** The steps that store the links found here. */
    readonly steps: MoveSteps,
  ) {}

  /** The predecessor as the pages of the successor use it. User names are compared by the predecessor's rule. */
  predecessorForSignIn(rp: RelyingParty): PredecessorDomain | undefined {
    const predecessor = this.relyingParties.current.predecessorOf(rp);
    if (!predecessor) return undefined;
    const policy = { ...rp.policy, usernames: predecessor.policy.usernames };
    return { ...predecessor, origins: rp.origins, policy, successor: rp };
  }

  /**
   * Finds the user of a name who signs in with keys of the predecessor.
   *
   * @returns `undefined` if the user has a key at the successor, or is suspended there
   */
  async toSignIn(rp: RelyingParty, username: string): Promise<MovingUser | undefined> {
    const keyDomain = this.predecessorForSignIn(rp);
    if (!keyDomain) return undefined;
    const found = await this.counterparts(rp, username);
    if (!found) return undefined;
    const { userId, successorUser, predecessorUser } = found;
    if (successorUser?.credentials.length || successorUser?.isSuspended) return undefined;
    const user = await this.reader.findUserToSignIn(keyDomain, predecessorUser.username);
    if (!user?.id.equals(predecessorUser.id)) return undefined;
    // Until the user has arrived, the groups are those of the predecessor.
    const { username: name, displayName, groups } = successorUser ?? user;
    return { keyDomain, user: { ...user, username: name, displayName, groups }, userId };
  }

  /**
   * The user of both relying parties of a move to whom a name of the successor leads.
   *
   * @param isLinking whether an account links users of this name, so that a collision of names is none
   */
  async counterparts(
    rp: RelyingParty,
    username: string,
    options: { readonly isLinking: boolean } = { isLinking: false },
  ): Promise<Counterparts | undefined> {
    const predecessor = this.relyingParties.current.predecessorOf(rp);
    if (!predecessor) return undefined;
    const both = { successor: rp, predecessor };
    const successorUser = await this.reader.findUser(rp, username);
    const namesake = await this.reader.findUser(predecessor, username);
    const ids = successorUser
      ? await this.same.predecessorUserIds(rp, predecessor, [successorUser.id])
      : [];
    if (namesake) ids.push(namesake.id);
    const found = await this.same.ofPredecessor(rp, ids, options);
    if (successorUser) {
      const id = predecessorUserIdOf(found, ids, successorUser.id);
      const predecessorUser = id && (await this.userOf(predecessor, id));
      return (
        predecessorUser && { ...both, userId: successorUser.id, successorUser, predecessorUser }
      );
    }
    const same = namesake && found.get(mapKey(namesake.id));
    // The predecessor may ignore case while the successor does not: then this spelling may be somebody else's.
    const isSpeltSo = namesake?.username === normalizeName(username);
    if (!same || (!isSpeltSo && (await this.isSeparate(rp, username)))) return undefined;
    const { userId, name } = same;
    if (name === undefined) return { ...both, userId, successorUser, predecessorUser: namesake };
    if (nameKey(rp, name) !== nameKey(rp, username)) return undefined;
    // Created or renamed since the lookup, or stored by an earlier version, which did not fold the name.
    const arrived = await this.userOf(rp, userId);
    return arrived && { ...both, userId, successorUser: arrived, predecessorUser: namesake };
  }

  /**
   * Whether a permission at the successor is for the user to whom the name leads at the predecessor.
   *
   * @param linking whether the caller says that it is for the user of this name at the predecessor
   * @throws ApiError E0045R if the caller does not, and that user is not at the successor yet; E0043R for a link that only
   *   an account may make
   */
  async linkByName(
    rp: RelyingParty,
    username: string,
    linking: NameLinking,
  ): Promise<LinkedByName> {
    const found = await this.counterparts(rp, username);
    if (linking === 'none') {
      if (!found) return { movingId: undefined, isSuspended: false, steps: [] };
      if (!found.successorUser) throw new ApiError('E0045R', 'invitation.needsLink');
      const steps = this.steps.linking(found);
      const { username: predecessorUsername, isSuspended } = found.predecessorUser;
      return { movingId: found.userId, predecessorUsername, isSuspended, steps };
    }
    const both = found ?? (await this.counterparts(rp, username, { isLinking: true }));
    if (!both) return { movingId: undefined, isSuspended: false, steps: [] };
    const steps = this.steps.resolving(both, username);
    const { username: predecessorUsername, isSuspended } = both.predecessorUser;
    const linked = { movingId: both.userId, predecessorUsername, isSuspended, steps };
    if (found || linking === 'all users') return linked;
    if (both.successorUser?.credentials.length) {
      throw new ApiError('E0043R', 'invitation.linkNeedsAccount');
    }
    return { ...linked, steps: [...steps, this.steps.whileKeyless(both)] };
  }

  /** Whether `linkByName` would change nothing, since a call before has stored the link. */
  async isLinkedByName(rp: RelyingParty, username: string): Promise<boolean> {
    const found = await this.counterparts(rp, username);
    if (!found || (await this.isSeparate(rp, username))) return false;
    return this.same.isLinked(rp, {
      userId: found.userId,
      predecessorUserId: found.predecessorUser.id,
    });
  }

  /**
   * Finds the user of a name at both domains of a move, or at the one relying party, to change the user.
   *
   * @param known the user who must have the name, as the caller read this user; any user by default
   * @returns `undefined` if there is no such user, or another user has the name
   */
  async atDomains<User extends Pick<KnownUser, 'id'>>(
    rp: RelyingParty,
    username: string,
    known?: User,
  ): Promise<UserAtDomains<User | KnownUser> | undefined> {
    const both = await this.counterpartsAtEither(rp, username);
    const found = both ? this.usersOf(both) : await this.userAt(rp, username, known);
    const isKnown = !known || found?.users.some(({ id }) => known.id.equals(id));
    return isKnown ? found : undefined;
  }

  /** The same user at the other relying party of a move, by IDs; nobody has the ID of a user who is still expected there. */
  async elsewhere(rp: KeyDomain, id: Buffer): Promise<UserElsewhere | undefined> {
    const successor = this.relyingParties.current.successorOf(rp);
    if (successor) {
      const same = await this.sameAs(successor, id);
      return same && { rp: successor, id: same.userId };
    }
    const predecessor = this.relyingParties.current.predecessorOf(rp);
    if (!predecessor || rp.successor) return undefined;
    const ids = await this.same.predecessorUserIds(rp, predecessor, [id]);
    const found = predecessorUserIdOf(await this.same.ofPredecessor(rp, ids), ids, id);
    return found && { rp: predecessor, id: found };
  }

  /** Who a user of the predecessor is at the successor; `undefined` for nobody. */
  async sameAs(successor: RelyingParty, predecessorUserId: Buffer): Promise<SameUser | undefined> {
    const found = await this.same.ofPredecessor(successor, [predecessorUserId]);
    return found.get(mapKey(predecessorUserId));
  }

  /**
   * The steps that store who a user of the predecessor is at the successor. They belong into a unit that changes a fact by
   * which the rule decides, and come first.
   */
  async deciding(successor: RelyingParty, predecessorUserId: Buffer): Promise<Step[]> {
    const predecessor = this.relyingParties.current.predecessorOf(successor);
    return predecessor ? this.same.storing(successor, predecessor, [predecessorUserId]) : [];
  }

  /** Whether one of the names is a separate one. */
  async isSeparate(rp: RelyingParty, ...names: readonly string[]): Promise<boolean> {
    return (await separateNames(this.database, rp, names)).size > 0;
  }

  /** As `counterparts`, for a name of either relying party of a move. */
  private async counterpartsAtEither(
    rp: RelyingParty,
    username: string,
  ): Promise<Counterparts | undefined> {
    const successor = this.relyingParties.current.successorOf(rp);
    if (!successor) return this.counterparts(rp, username);
    const predecessorUser = await this.reader.findUser(rp, username);
    const same = predecessorUser && (await this.sameAs(successor, predecessorUser.id));
    if (!same) return undefined;
    const { userId, name } = same;
    const successorUser = name === undefined ? undefined : await this.userOf(successor, userId);
    return { successor, predecessor: rp, userId, successorUser, predecessorUser };
  }

  private usersOf(both: Counterparts): UserAtDomains<KnownUser> {
    const { successor, predecessor, successorUser, predecessorUser } = both;
    const linking = this.steps.linking(both);
    const atPredecessor = { ...predecessorUser, relyingParty: predecessor };
    if (!successorUser) return { users: [atPredecessor], linking, successor, absentAt: successor };
    const atSuccessor = { ...successorUser, relyingParty: successor };
    return { users: [atSuccessor, atPredecessor], linking, successor };
  }

  private async userAt<User>(
    rp: RelyingParty,
    username: string,
    known: User | undefined,
  ): Promise<UserAtDomains<User | KnownUser> | undefined> {
    const user = known ?? (await this.reader.findUser(rp, username));
    if (!user) return undefined;
    const absentAt = this.relyingParties.current.otherDomainOf(rp);
    return { users: [{ ...user, relyingParty: rp }], linking: [], ...(absentAt && { absentAt }) };
  }

  private async userOf(rp: RelyingParty, id: Buffer): Promise<KnownUser | undefined> {
    const found = await this.reader.findUserById(rp, id);
    const user = found && (await this.reader.findUser(rp, found.username));
    return user?.id.equals(id) ? user : undefined;
  }
}
