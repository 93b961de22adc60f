import { Injectable } from '@nestjs/common';
import { sha256 } from '../../platform/common/sha256.js';
import type { ApplicationKeyGrant } from '../../platform/access/accounts/account.js';
import { Clock } from '../../platform/common/clock.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { Database } from '../../platform/database/database.js';
import { newId } from '../../platform/database/row-ids.js';
import { scope } from '../../platform/database/scope.js';
import { noteForEvaluation } from '../groups/group-steps.js';
import { sharedSuspension } from '../suspension/suspension.statements.js';
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
  ADD_LINKS,
  DROP_EXPECTED,
  DROP_LINK_OF_ABSENT_USER,
  MARK_ARRIVED,
  NOTE_LINKED_USER,
  RENEW_LINK,
  LINKS_OF,
  LOCK_LINK,
  LOCK_LINK_OF_ABSENT_USER,
  LOCK_LINK_OF_KEYLESS_USER,
  type UserLink,
} from './link.statements.js';
import { ADD_COLLISIONS, DROP_COLLISION } from './move-decision.statements.js';
import { moveScope } from './move-scope.js';
import {
  ADD_SEPARATE_NAME,
  DROP_SEPARATE_NAME,
  SEPARATE_NAMES,
  type SeparateNameRow,
} from './separate-name.statements.js';

/** A user of both relying parties of a move. */
export interface Counterparts {
  readonly successor: RelyingParty;
  readonly predecessor: RelyingParty;
  /** The ID that the user has, or will have, at the successor. */
  readonly userId: Buffer;
  /** The user at the successor; `undefined` for a user who does not exist there yet. */
  readonly successorUser: KnownUser | undefined;
  /** The user at the predecessor. */
  readonly predecessorUser: KnownUser;
}

interface Arrival extends UserLink {
  /** The current name at the predecessor, which a user gets who does not exist at the successor. */
  readonly predecessorUsername: string;
}

const ID_BYTES = 16;

/** The ID at the successor of a user of the predecessor: always the same. */
export const userIdAt = ({ id }: RelyingParty, predecessorUserId: Buffer): Buffer =>
  sha256(Buffer.concat([id, predecessorUserId])).subarray(0, ID_BYTES);

const hashesOf = (name: string): SeparateNameRow => ({
  foldedHash: sha256(foldedName(name)),
  nameHash: sha256(normalizeName(name)),
});

const separateNameParams = (rp: RelyingParty, name: string) => ({
  ...hashesOf(name),
  ignoresCase: ignoresCase(rp),
});

/** The names among these that are separate: they never lead to keys of the predecessor. */
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
  successor: RelyingParty,
  predecessor: RelyingParty,
  links: readonly UserLink[],
  { isCreated } = { isCreated: false },
): Step[] =>
  haveProfiles(successor, predecessor)
    ? links.map(({ userId, predecessorUserId }) =>
        NOTE_LINKED_USER.step({
          ...scope(successor),
          id: newId(),
          userId,
          predecessorUserId,
          isCreated,
        }),
      )
    : [];

/** The steps of units in which users move from a predecessor to its successor. */
@Injectable()
export class MoveSteps {
  constructor(
    private readonly database: Database,
    private readonly relyingParties: RelyingPartyCache,
    private readonly clock: Clock,
  ) {}

  /**
   * The steps with which a user arrives at the successor, by signing in or by registering. They fail if the two are not
   * one user, or the name is not free for a user who does not exist there.
   *
   * @param isCreated whether later steps create the user there
   */
  arrival(
    successor: RelyingParty,
    { predecessorUsername, ...link }: Arrival,
    { isCreated } = { isCreated: false },
  ): Step[] {
    const come = MARK_ARRIVED.mustChange({
      ...scope(successor),
      ...link,
      ...separateNameParams(successor, predecessorUsername),
      now: this.clock.now(),
      predecessorUsername: Buffer.from(predecessorUsername),
      // No user has an empty name.
      predecessorFoldedName: Buffer.from(
        ignoresCase(successor) ? foldedName(predecessorUsername) : '',
      ),
    });
    return [...this.adding(successor, link, { movedAt: 0, isCreated }), come];
  }

  /** The steps with which an account ends a collision and links the two, as `linking`. */
  resolving(both: Counterparts, name: string): Step[] {
    const { successor, predecessorUser } = both;
    const params = { ...scope(successor), predecessorUserId: predecessorUser.id };
    return [DROP_COLLISION.step(params), this.joining(successor, name), ...this.linking(both)];
  }

  /** The steps that link a user at both relying parties. They fail if one of the two is linked to another user. */
  linking({
    successor,
    userId,
    successorUser,
    predecessorUser,
  }: Pick<Counterparts, 'successor' | 'userId'> & {
    readonly successorUser: object | undefined;
    readonly predecessorUser: { readonly id: Buffer };
  }): Step[] {
    const link = { userId, predecessorUserId: predecessorUser.id };
    const params = { ...scope(successor), ...link };
    // A user who did not exist at the successor must not exist there now.
    return successorUser
      ? [
          ...this.adding(successor, link, { movedAt: this.clock.now() }),
          LOCK_LINK.mustChange(params),
          ...sharedSuspension(this.database.kind, successor, [predecessorUser.id]),
        ]
      : [
          ...this.adding(successor, link, { movedAt: 0 }),
          LOCK_LINK_OF_ABSENT_USER.mustChange(params),
        ];
  }

  /** The last condition of a link that only users without a key at the successor may get. */
  whileKeyless({ successor, userId, predecessorUser }: Counterparts): Step {
    const link = { userId, predecessorUserId: predecessorUser.id };
    return LOCK_LINK_OF_KEYLESS_USER.mustChange({ ...scope(successor), ...link });
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

  /** The step that stores that a new user of a predecessor is nobody at the successor; none if there is no move. */
  refusingLink(rp: RelyingParty, predecessorUserId: Buffer): Step[] {
    const successor = this.relyingParties.current.successorOf(rp);
    if (!successor) return [];
    const row = { ...moveScope(successor, rp), predecessorUserId };
    return [ADD_COLLISIONS[this.database.kind].step({ rows: [{ ...row, reason: 'oneDomain' }] })];
  }

  /** The step that makes a separate name an ordinary one again. */
  joining(successor: RelyingParty, name: string): Step {
    return DROP_SEPARATE_NAME.step({ ...scope(successor), ...separateNameParams(successor, name) });
  }

  /**
   * The steps with which a user is deleted: a name that is given up at the successor leads to nobody at the predecessor,
   * and a user who is deleted at the predecessor is no longer expected at the successor.
   */
  deleting({ id, relyingParty }: Pick<FoundUser, 'id' | 'relyingParty'>, name: string): Step[] {
    const successor = this.relyingParties.current.successorOf(relyingParty);
    return [
      ...this.separating(relyingParty, name),
      ...(successor ? [DROP_EXPECTED.step({ ...scope(successor), predecessorUserId: id })] : []),
    ];
  }

  /**
   * The steps after the undo of a deletion: who was suspended at the other domain since is suspended at both, and the
   * groups at the successor count for the keys of both.
   */
  async restoring({ id, relyingParty }: Pick<FoundUser, 'id' | 'relyingParty'>): Promise<Step[]> {
    const { current } = this.relyingParties;
    const { kind } = this.database;
    const successor = current.successorOf(relyingParty);
    const predecessor = current.predecessorOf(relyingParty);
    const other = successor ?? predecessor;
    if (!other) return [];
    const noting = haveProfiles(relyingParty, other) ? [noteForEvaluation(relyingParty, id)] : [];
    if (successor) return [...noting, ...sharedSuspension(kind, successor, [id])];
    const links = await this.database.query(LINKS_OF, { ...scope(relyingParty), ids: [id] });
    const userIds = links
      .filter(({ predecessorId }) => predecessorId.equals(other.id))
      .map(({ predecessorUserId }) => predecessorUserId);
    const sharing = userIds.length > 0 ? sharedSuspension(kind, relyingParty, userIds) : [];
    return [...noting, ...sharing];
  }

  private adding(
    successor: RelyingParty,
    link: UserLink,
    { movedAt, isCreated = false }: { readonly movedAt: number; readonly isCreated?: boolean },
  ): Step[] {
    const predecessor = this.relyingParties.current.predecessorOf(successor);
    // If the move has ended in the meantime, the condition after these steps fails.
    if (!predecessor) return [];
    const first = userIdAt(successor, link.predecessorUserId);
    const params = { ...moveScope(successor, predecessor), ...link };
    return [
      ...notingLinked(successor, predecessor, [link], { isCreated }),
      ...(link.userId.equals(first) ? [] : [DROP_LINK_OF_ABSENT_USER.step({ ...params, first })]),
      ADD_LINKS[this.database.kind].step({ rows: [{ ...params, movedAt }] }),
      RENEW_LINK[this.database.kind].step({ ...params, movedAt }),
    ];
  }

  /**
   * The first condition of a unit that a key of the predecessor vouches for: the key must still belong to this user and
   * sign in.
   *
   * @param credentialHash SHA-256 of the key's credential ID
   */
  whileUsable(successor: RelyingParty, credentialHash: Buffer, predecessorUserId: Buffer): Step[] {
    const predecessor = this.relyingParties.current.predecessorOf(successor);
    // If the move has ended in the meantime, the condition fails: the successor has no such key.
    const params = {
      ...scope(predecessor ?? successor),
      credentialHash,
      userId: predecessorUserId,
    };
    return [LOCK_USABLE_CREDENTIAL.mustChange(params)];
  }
}
