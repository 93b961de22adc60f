import { Injectable } from '@nestjs/common';
import { sha256 } from '../../platform/common/sha256.js';
import type { ApplicationKeyGrant } from '../../platform/access/accounts/account.js';
import { Clock } from '../../platform/common/clock.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { Database } from '../../platform/database/database.js';
import { newId } from '../../platform/database/row-ids.js';
import { scope } from '../../platform/database/scope.js';
import { ADD_REGROUPED_USERS } from '../groups/user-group.statements.js';
import { sharedSuspension } from '../suspension/shared-suspension.js';
import type { FoundUser } from '../user-rows.js';
import type { KnownUser } from '../credentials/credential-reader.js';
import { LOCK_USABLE_CREDENTIAL } from '../credentials/credential.statements.js';
import type { KeyDomain, RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { keyCovers } from '../../tenancy/scope/visible-tenants.js';
import { ignoresCase } from '../../tenancy/usernames/name-key.js';
import { foldedName } from '../../platform/validation/values/folded-name.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import {
  ADD_COLLISIONS,
  ADD_LINK,
  ADD_SEPARATE_NAME,
  DROP_COLLISION,
  DROP_EXPECTED,
  DROP_SEPARATE_NAME,
  MARK_ARRIVED,
  NOTE_LINKED_USER,
  RELINK,
  LINKS_OF,
  LOCK_LINK,
  LOCK_LINK_OF_ABSENT_USER,
  LOCK_LINK_OF_KEYLESS_USER,
  SEPARATE_NAMES,
  type Link,
  type SeparateNameRow,
} from './move.statements.js';

export interface Counterparts {
  /** The new domain. */
  readonly rp: RelyingParty;
  readonly predecessor: RelyingParty;
  /** The ID that the user has, or will have, at the new domain. */
  readonly userId: Buffer;
  /** `undefined` if the user does not exist at the new domain yet. */
  readonly here: KnownUser | undefined;
  /** The user at the old domain. */
  readonly there: KnownUser;
}

interface Arrival extends Link {
  /** The current name at the old domain, which a user gets who does not exist at the new one. */
  readonly nameThere: string;
}

const ID_BYTES = 16;

/** The ID at the new domain of a user of the old one: always the same. */
export const userIdAt = ({ id }: RelyingParty, formerUserId: Buffer): Buffer =>
  sha256(Buffer.concat([id, formerUserId])).subarray(0, ID_BYTES);

const hashesOf = (name: string): SeparateNameRow => ({
  foldedHash: sha256(foldedName(name)),
  nameHash: sha256(normalizeName(name)),
});

const separateNameParams = (rp: RelyingParty, name: string) => ({
  ...hashesOf(name),
  ignoresCase: ignoresCase(rp),
});

/** The names among these that are separate: they never lead to keys of the old domain. */
export async function separateNames(
  database: Database,
  rp: RelyingParty,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  const hashes = new Map(names.map((name) => [name, hashesOf(name)]));
  const foldedHashes = [...hashes.values()].map(({ foldedHash }) => foldedHash);
  const rows = await database.query(SEPARATE_NAMES, { ...scope(rp), foldedHashes });
  const counts = (name: SeparateNameRow, row: SeparateNameRow) =>
    row.foldedHash.equals(name.foldedHash) &&
    (ignoresCase(rp) || row.nameHash.equals(name.nameHash));
  const found = [...hashes].filter(([, name]) => rows.some((row) => counts(name, row)));
  return new Set(found.map(([name]) => name));
}

const haveProfiles = (...rps: readonly RelyingParty[]): boolean =>
  rps.some(({ policy }) => policy.profiles.length > 0);

/** The steps before those that store links. Without profiles the groups of users do not matter. */
export const notingLinked = (
  rp: RelyingParty,
  predecessor: RelyingParty,
  links: readonly Link[],
  { isCreated } = { isCreated: false },
): Step[] =>
  haveProfiles(rp, predecessor)
    ? links.map(({ userId, formerUserId }) =>
        NOTE_LINKED_USER.step({ ...scope(rp), id: newId(), userId, formerUserId, isCreated }),
      )
    : [];

/** The steps of units in which users move from an old domain to a new one. */
@Injectable()
export class MoveSteps {
  constructor(
    private readonly database: Database,
    private readonly relyingParties: RelyingPartyCache,
    private readonly clock: Clock,
  ) {}

  /**
   * The steps with which a user arrives at the new domain, by signing in or by registering. They fail if the two are not
   * one user, or the name is not free for a user who does not exist there.
   *
   * @param isCreated whether later steps create the user there
   */
  arrival(
    rp: RelyingParty,
    { nameThere, ...link }: Arrival,
    { isCreated } = { isCreated: false },
  ): Step[] {
    const come = MARK_ARRIVED.mustChange({
      ...scope(rp),
      ...link,
      ...separateNameParams(rp, nameThere),
      now: this.clock.now(),
      nameThere: Buffer.from(nameThere),
      // No user has an empty name.
      foldedNameThere: Buffer.from(ignoresCase(rp) ? foldedName(nameThere) : ''),
    });
    return [...this.adding(rp, link, { movedAt: 0, isCreated }), come];
  }

  /** The steps with which an account ends a collision and links the two, as `linking`. */
  resolving(both: Counterparts, name: string): Step[] {
    const { rp, there } = both;
    const collision = DROP_COLLISION.step({ ...scope(rp), formerUserId: there.id });
    return [collision, this.joining(rp, name), ...this.linking(both)];
  }

  /** The steps that link a user at both domains. They fail if one of the two is linked to another user. */
  linking({
    rp,
    userId,
    here,
    there,
  }: Pick<Counterparts, 'rp' | 'userId'> & {
    readonly here: object | undefined;
    readonly there: { readonly id: Buffer };
  }): Step[] {
    const link = { userId, formerUserId: there.id };
    const params = { ...scope(rp), ...link };
    // A user who did not exist at the new domain must not exist there now.
    return here
      ? [
          ...this.adding(rp, link, { movedAt: this.clock.now() }),
          LOCK_LINK.mustChange(params),
          ...sharedSuspension(this.database.kind, rp, [there.id]),
        ]
      : [...this.adding(rp, link, { movedAt: 0 }), LOCK_LINK_OF_ABSENT_USER.mustChange(params)];
  }

  /** The last condition of a link that only users without a key at the new domain may get. */
  whileKeyless({ rp, userId, there }: Counterparts): Step {
    return LOCK_LINK_OF_KEYLESS_USER.mustChange({ ...scope(rp), userId, formerUserId: there.id });
  }

  /** The step that makes a name a separate one; none if there is no move. */
  separating(rp: RelyingParty, name: string): Step[] {
    if (!this.relyingParties.current.predecessorOf(rp)) return [];
    return [ADD_SEPARATE_NAME[this.database.kind].step({ ...scope(rp), ...hashesOf(name) })];
  }

  /**
   * Whether a new user of a relying party may be linked to the relying party's successor.
   *
   * @param key the application key that permits the user; it must cover both
   */
  mayLink(rp: KeyDomain, key: ApplicationKeyGrant | undefined): boolean {
    if (!key?.relyingParties) return true;
    const successor = this.relyingParties.current.successorOf(rp);
    return successor !== undefined && keyCovers(key, successor);
  }

  /** The step that stores that a new user of the old domain is nobody at the new one; none if there is no move. */
  refusingLink(rp: RelyingParty, formerUserId: Buffer): Step[] {
    const successor = this.relyingParties.current.successorOf(rp);
    if (!successor) return [];
    const row = { ...scope(successor), formerRelyingPartyId: rp.id, formerUserId };
    return [ADD_COLLISIONS[this.database.kind].step({ rows: [{ ...row, reason: 'oneDomain' }] })];
  }

  /** The step that makes a separate name an ordinary one again. */
  joining(rp: RelyingParty, name: string): Step {
    return DROP_SEPARATE_NAME.step({ ...scope(rp), ...separateNameParams(rp, name) });
  }

  /**
   * The steps with which a user is deleted: a name that is given up at the new domain leads to nobody at the old one, and
   * a user who is deleted at the old one is no longer expected at the new one.
   */
  deleting({ id, relyingParty }: Pick<FoundUser, 'id' | 'relyingParty'>, name: string): Step[] {
    const successor = this.relyingParties.current.successorOf(relyingParty);
    return [
      ...this.separating(relyingParty, name),
      ...(successor ? [DROP_EXPECTED.step({ ...scope(successor), formerUserId: id })] : []),
    ];
  }

  /**
   * The steps after the undo of a deletion: who was suspended at the other domain since is suspended at both, and the
   * groups at the new domain count for the keys of both.
   */
  async restoring({ id, relyingParty }: Pick<FoundUser, 'id' | 'relyingParty'>): Promise<Step[]> {
    const { current } = this.relyingParties;
    const { kind } = this.database;
    const successor = current.successorOf(relyingParty);
    const predecessor = current.predecessorOf(relyingParty);
    const other = successor ?? predecessor;
    if (!other) return [];
    const note = { ...scope(relyingParty), rows: [{ id: newId(), userId: id }] };
    const noting = haveProfiles(relyingParty, other) ? [ADD_REGROUPED_USERS.step(note)] : [];
    if (successor) return [...noting, ...sharedSuspension(kind, successor, [id])];
    const links = await this.database.query(LINKS_OF, { ...scope(relyingParty), ids: [id] });
    const formerIds = links.map(({ formerUserId }) => formerUserId);
    const sharing = formerIds.length > 0 ? sharedSuspension(kind, relyingParty, formerIds) : [];
    return [...noting, ...sharing];
  }

  private adding(
    rp: RelyingParty,
    link: Link,
    { movedAt, isCreated = false }: { readonly movedAt: number; readonly isCreated?: boolean },
  ): Step[] {
    const predecessor = this.relyingParties.current.predecessorOf(rp);
    // If the move has ended in the meantime, the condition after these steps fails.
    if (!predecessor) return [];
    const first = userIdAt(rp, link.formerUserId);
    const params = { ...scope(rp), ...link };
    const formerRelyingPartyId = predecessor.id;
    return [
      ...notingLinked(rp, predecessor, [link], { isCreated }),
      ...(link.userId.equals(first) ? [] : [RELINK.step({ ...params, first })]),
      ADD_LINK[this.database.kind].step({ ...params, formerRelyingPartyId, movedAt }),
    ];
  }

  /**
   * The first condition of a unit that an old key vouches for: the key must still belong to this user and sign in.
   *
   * @param credentialHash SHA-256 of the key's credential ID
   */
  whileEnabled(rp: RelyingParty, credentialHash: Buffer, formerUserId: Buffer): Step[] {
    const predecessor = this.relyingParties.current.predecessorOf(rp);
    // If the move has ended in the meantime, the condition fails: this relying party has no such key.
    const params = { ...scope(predecessor ?? rp), credentialHash, userId: formerUserId };
    return [LOCK_USABLE_CREDENTIAL.mustChange(params)];
  }
}
