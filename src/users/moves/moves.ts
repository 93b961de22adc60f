import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { scope } from '../../platform/database/scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import {
  CredentialReader,
  type KnownUser,
  type UserToSignIn,
} from '../credentials/credential-reader.js';
import { LINKS_OF, LINKS_OF_FORMER } from './move.statements.js';
import { MoveSteps, separateNames, userIdAt, type Counterparts } from './move-steps.js';

export interface MovingUser {
  /** The old domain, as `Moves.formerOf` returns it. */
  readonly ownerRp: RelyingParty;
  /** The keys of the old domain, with the names of the new one if the user has any there. */
  readonly user: UserToSignIn;
  /** The ID that the user has, or will have, at the new domain. */
  readonly userId: Buffer;
}

/**
 * Users who move from an old domain to a new one (decisions: OUT OF SPEC in that two RP IDs serve one
 * account). The link between the two is stored by IDs; until it exists, the same name leads from one domain to
 * the other. For a relying party without a predecessor, nothing here queries the database.
 */
@Injectable()
export class Moves {
  constructor(
    private readonly database: Database,
    private readonly directory: RelyingPartyCache,
    private readonly reader: CredentialReader,
    /** The steps that store the links found here. */
    readonly steps: MoveSteps,
  ) {}

  /**
   * The predecessor as the successor's pages use it: its own keys and RP ID, but the origins and the policy
   * of the successor, which also receives the events and tokens. User names are compared by the predecessor's
   * rule. `undefined` if there is no predecessor.
   */
  formerOf(rp: RelyingParty): RelyingParty | undefined {
    const former = this.directory.current.predecessorOf(rp);
    if (!former) return undefined;
    const policy = { ...rp.policy, usernames: former.policy.usernames };
    return { ...former, origins: rp.origins, policy, successor: rp };
  }

  /** The user and keys of a name at the old domain; `undefined` if the name has any key at this one. */
  async toSignIn(rp: RelyingParty, username: string): Promise<MovingUser | undefined> {
    const ownerRp = this.formerOf(rp);
    if (!ownerRp) return undefined;
    const found = await this.counterparts(rp, username);
    if (!found || found.here?.credentials.length) return undefined;
    const user = await this.reader.findUserToSignIn(ownerRp, found.there.username);
    if (!user?.id.equals(found.there.id)) return undefined;
    const { username: name, displayName } = found.here ?? user;
    return { ownerRp, user: { ...user, username: name, displayName }, userId: found.userId };
  }

  /**
   * The user of both domains to whom a name of the new one leads. A name that the user gave up leads nowhere,
   * and a separate name only to a linked user.
   */
  async counterparts(
    rp: RelyingParty,
    username: string,
    options: { readonly mayBeSeparate: boolean } = { mayBeSeparate: false },
  ): Promise<Counterparts | undefined> {
    const former = this.formerOf(rp);
    if (!former) return undefined;
    const here = await this.reader.findUser(rp, username);
    const formerId = here && (await this.formerId(rp, here.id));
    if (formerId) {
      const there = await this.userOf(former, formerId);
      return there && { rp, former, userId: here.id, here, there, isLinked: true };
    }
    const there = await this.reader.findUser(former, username);
    if (!there || (await this.belongsToAnother(rp, username, { here, there }))) return undefined;
    const isHidden =
      !options.mayBeSeparate && (await this.isSeparate(rp, username, there.username));
    if (isHidden) return undefined;
    const linkedId = await this.linkedId(rp, there.id);
    const userId = linkedId ?? userIdAt(rp, there.id);
    const isSame = here?.id.equals(userId) ?? false;
    // The user has another name here, so this one was given up.
    const linkedUser = isSame ? undefined : await this.reader.findUserById(rp, userId);
    // Created, or renamed to this name, since the lookup.
    if (linkedUser?.username === there.username) {
      return this.counterparts(rp, linkedUser.username, options);
    }
    if (linkedUser) return undefined;
    const isLinked = linkedId !== undefined || isSame;
    return { rp, former, userId: here?.id ?? userId, here, there, isLinked };
  }

  /**
   * Resolves an invitation to the new domain: whether it is for the user to whom the name leads at the old one, which
   * ID that user has or will have here, and the steps that store this.
   *
   * @param isSameUser whether it is for the user of this name at the old domain, although the two are not linked yet
   */
  async invitation(rp: RelyingParty, username: string, isSameUser: boolean) {
    const found = await this.counterparts(rp, username, { mayBeSeparate: isSameUser });
    if (isSameUser) {
      const steps = found ? [this.steps.joining(rp, username), ...this.steps.linking(found)] : [];
      return { movingId: found?.userId, steps };
    }
    if (found?.isLinked) return { movingId: found.userId, steps: [] };
    return { movingId: undefined, steps: this.steps.separating(rp, username) };
  }

  /** As `counterparts`, for a name of either domain of a move. */
  async counterpartsAtEither(
    rp: RelyingParty,
    username: string,
  ): Promise<Counterparts | undefined> {
    const successor = this.directory.current.successorOf(rp);
    if (!successor) return this.counterparts(rp, username);
    const there = await this.reader.findUser(rp, username);
    return there && this.ofFormerUser(successor, rp, there);
  }

  /** The other domain of a move; `undefined` if there is no move. */
  otherDomainOf(rp: RelyingParty): RelyingParty | undefined {
    const { current } = this.directory;
    return current.predecessorOf(rp) ?? current.successorOf(rp);
  }

  /** Whether one of the names is a separate one. */
  async isSeparate(rp: RelyingParty, ...names: readonly string[]): Promise<boolean> {
    return (await separateNames(this.database, rp, names)).size > 0;
  }

  private async ofFormerUser(
    rp: RelyingParty,
    former: RelyingParty,
    there: KnownUser,
  ): Promise<Counterparts> {
    const linkedId = await this.linkedId(rp, there.id);
    const userId = linkedId ?? userIdAt(rp, there.id);
    const moved = await this.userOf(rp, userId);
    const isLinked = linkedId !== undefined || moved !== undefined;
    if (moved) return { rp, former, userId, here: moved, there, isLinked };
    const namesake = await this.reader.findUser(rp, there.username);
    const isOther =
      !namesake ||
      (await this.formerId(rp, namesake.id)) !== undefined ||
      (await this.isSeparate(rp, there.username));
    if (isOther) return { rp, former, userId, here: undefined, there, isLinked };
    return { rp, former, userId: namesake.id, here: namesake, there, isLinked };
  }

  /** The old domain may ignore case while this one does not: that spelling can belong to a user here. */
  private async belongsToAnother(
    rp: RelyingParty,
    username: string,
    { here, there }: { readonly here: KnownUser | undefined; readonly there: KnownUser },
  ): Promise<boolean> {
    if (here || there.username === normalizeName(username)) return false;
    return (await this.reader.findUser(rp, there.username)) !== undefined;
  }

  private async userOf(rp: RelyingParty, id: Buffer): Promise<KnownUser | undefined> {
    const found = await this.reader.findUserById(rp, id);
    const user = found && (await this.reader.findUser(rp, found.username));
    return user?.id.equals(id) ? user : undefined;
  }

  private async formerId(rp: RelyingParty, userId: Buffer): Promise<Buffer | undefined> {
    const links = await this.database.query(LINKS_OF, { ...scope(rp), ids: [userId] });
    return links[0]?.formerUserId;
  }

  /** The ID at the new domain of a linked user of the old one. */
  private async linkedId(rp: RelyingParty, formerUserId: Buffer): Promise<Buffer | undefined> {
    const params = { ...scope(rp), ids: [formerUserId] };
    return (await this.database.query(LINKS_OF_FORMER, params))[0]?.userId;
  }
}
