import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import { inFewSizes } from '../../platform/common/split-into-parts.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { Database } from '../../platform/database/database.js';
import { mapKey } from '../../platform/database/row-ids.js';
import { scope } from '../../platform/database/scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { ignoresCase } from '../../tenancy/usernames/name-key.js';
import { sharedSuspension } from '../suspension/suspension.statements.js';
import { namesOfUsers } from '../users-by-name.js';
import type { CollisionReason } from './move.entity.js';
import {
  ADD_LINKS,
  DROP_EXPECTED_OF_NAME,
  LINKS_OF,
  RENEW_LINK,
  type UserLink,
} from './link.statements.js';
import {
  ADD_COLLISIONS,
  DROP_LINKED_COLLISIONS,
  PREDECESSOR_USERS,
  POSSIBLE_PREDECESSOR_USERS,
  type PredecessorUserRow,
} from './move-decision.statements.js';
import { moveScope } from './move-scope.js';
import { notingLinked, separateNames, userIdAt } from './move-steps.js';

/** Who a user of the predecessor is at the successor. */
export interface SameUser {
  /** The ID that the user has, or will have, at the successor. */
  readonly userId: Buffer;
  /** The name of a user who exists at the successor. */
  readonly name: string | undefined;
}

interface Decision {
  readonly row: PredecessorUserRow;
  readonly same: SameUser | CollisionReason;
}

/**
 * Decides which user of the successor is which user of the predecessor. A stored decision applies: a collision,
 * otherwise a link. For other users it applies the rule, and `storing` stores the decision about those who exist at the
 * successor, and collisions. Users with equal user IDs (`subject`) are one user. A name leads only to a user who does
 * not exist at the successor yet: if another user has the name there, or gave it up, the two are a collision, which
 * only an account can resolve.
 */
@Injectable()
export class SameUsers {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Who users of the predecessor are at the successor, by their IDs (`mapKey`); absent for collisions.
   *
   * @param isLinking whether an account links users of the same name, so that a collision of names is none
   */
  async ofPredecessor(
    successor: RelyingParty,
    ids: readonly Buffer[],
    { isLinking } = { isLinking: false },
  ): Promise<ReadonlyMap<string, SameUser>> {
    const decisions = await this.decisions(successor, ids, isLinking);
    return new Map(
      decisions.flatMap(({ row, same }) =>
        typeof same === 'string' ? [] : [[mapKey(row.id), same] as const],
      ),
    );
  }

  /**
   * The steps that store what is decided about users of the predecessor, without those of whom it is stored. A user who
   * is not at the successor yet gets no link: an instance of 1.0 would take it for one that an account has made.
   */
  async storing(
    successor: RelyingParty,
    predecessor: RelyingParty,
    ids: readonly Buffer[],
  ): Promise<Step[]> {
    const { kind } = this.database;
    const decisions = await this.decisions(successor, ids, false);
    const move = moveScope(successor, predecessor);
    const now = this.clock.now();
    const links = decisions.flatMap(({ row, same }) => {
      if (typeof same === 'string' || same.name === undefined || row.linkedId) return [];
      return [{ ...move, userId: same.userId, predecessorUserId: row.id, movedAt: now }];
    });
    const collisions = decisions.flatMap(({ row: { id, reason, ...row }, same }) =>
      typeof same === 'string' && !reason ? [{ ...row, predecessorUserId: id, reason: same }] : [],
    );
    const collided = collisions.map(({ predecessorUserId }) => predecessorUserId);
    // These links give way. One that was stored after the rule read the user stays, and its collision is removed below:
    // a renaming or an account made that link.
    const withLink = collisions.filter(({ linkedId }) => linkedId !== null);
    const ended = await this.linkedByEndedMoves(successor, predecessor, links);
    const arrived = links.map(({ predecessorUserId }) => predecessorUserId);
    return [
      ...notingLinked(successor, predecessor, links),
      ...inFewSizes(links).map((rows) => ADD_LINKS[kind].step({ rows })),
      ...links
        .filter(({ userId }) => ended.has(mapKey(userId)))
        .map((link) => RENEW_LINK[kind].step(link)),
      ...inFewSizes(arrived).flatMap((ids) => sharedSuspension(kind, successor, ids)),
      ...withLink.map(({ predecessorUserId, username: predecessorUsername }) =>
        DROP_EXPECTED_OF_NAME.step({ ...scope(successor), predecessorUserId, predecessorUsername }),
      ),
      ...inFewSizes(collisions).map((some) =>
        ADD_COLLISIONS[kind].step({
          rows: some.map(({ predecessorUserId, reason }) => ({
            ...move,
            predecessorUserId,
            reason,
          })),
        }),
      ),
      ...inFewSizes(collided).map((some) =>
        DROP_LINKED_COLLISIONS.step({ ...scope(successor), ids: some }),
      ),
    ];
  }

  /**
   * IDs of users of the predecessor who may be the users of the successor with these IDs: linked, or with equal user
   * IDs.
   */
  async predecessorUserIds(
    successor: RelyingParty,
    predecessor: RelyingParty,
    ids: readonly Buffer[],
  ): Promise<Buffer[]> {
    if (ids.length === 0) return [];
    const params = { ...moveScope(successor, predecessor), ids };
    const rows = await this.database.query(POSSIBLE_PREDECESSOR_USERS, params);
    return rows.map(({ id }) => id);
  }

  /** Whether the link of the two is stored, and no collision. */
  async isLinked(
    successor: RelyingParty,
    { userId, predecessorUserId }: UserLink,
  ): Promise<boolean> {
    const params = {
      ...scope(successor),
      ids: [predecessorUserId],
      ignoresCase: ignoresCase(successor),
    };
    const [row] = await this.database.query(PREDECESSOR_USERS, params);
    return row?.reason === null && row.linkedId?.equals(userId) === true;
  }

  /** Which of these users of the successor (`mapKey`) have a link that a move from another predecessor has left. */
  private async linkedByEndedMoves(
    successor: RelyingParty,
    predecessor: RelyingParty,
    links: readonly UserLink[],
  ): Promise<ReadonlySet<string>> {
    if (links.length === 0) return new Set();
    const ids = links.map(({ userId }) => userId);
    const rows = await this.database.query(LINKS_OF, { ...scope(successor), ids });
    const ended = rows.filter(({ predecessorId }) => !predecessorId.equals(predecessor.id));
    return new Set(ended.map(({ userId }) => mapKey(userId)));
  }

  private async decisions(
    successor: RelyingParty,
    ids: readonly Buffer[],
    isLinking: boolean,
  ): Promise<Decision[]> {
    if (ids.length === 0) return [];
    const params = { ...scope(successor), ids, ignoresCase: ignoresCase(successor) };
    const rows = await this.database.query(PREDECESSOR_USERS, params);
    const possible = rows.flatMap(({ id, linkedId, sameId, namesakeId }) =>
      [linkedId ?? userIdAt(successor, id), sameId, namesakeId].filter((one) => one !== null),
    );
    const [names, separate] = await Promise.all([
      namesOfUsers(this.database, successor, possible),
      separateNames(this.database, successor, rows.map(nameOf)),
    ]);
    return rows.map((row) => {
      const isSeparate = !isLinking && separate.has(nameOf(row));
      const first = userIdAt(successor, row.id);
      return { row, same: decide(row, { first, names, isSeparate, isLinking }) };
    });
  }
}

const nameOf = ({ username }: PredecessorUserRow): string => username.toString('utf8');

interface Facts {
  /** The ID at the successor of a user who moves there. */
  readonly first: Buffer;
  readonly names: ReadonlyMap<string, string>;
  readonly isSeparate: boolean;
  readonly isLinking: boolean;
}

/** The rule. The first line that applies decides. */
function decide(
  row: PredecessorUserRow,
  { first, names, isSeparate, isLinking }: Facts,
): SameUser | CollisionReason {
  const { linkedId, sameId, namesakeId } = row;
  const successorUser = (userId: Buffer): SameUser => ({ userId, name: names.get(mapKey(userId)) });
  const linked = successorUser(linkedId ?? first);
  // Until a user arrives, the stored link is none, or one to the ID that the user will have.
  const mayArrive = !linkedId || linkedId.equals(first);

  // What is stored applies: a collision until an account links the two, a link once the user is at the successor.
  if (row.reason && !isLinking) return row.reason;
  if (linked.name !== undefined) return linked;
  // The name never leads to keys of the predecessor.
  if (isSeparate) return namesakeId ? 'nameTaken' : 'nameGivenUp';
  // Equal user IDs make one user, unless the user of the successor is another user's already.
  if (sameId && mayArrive) return row.samePredecessorUserId ? 'userIdTaken' : successorUser(sameId);
  // An account may say that the user of the same name is the user; otherwise the two collide.
  if (namesakeId) {
    const mayLink = isLinking && mayArrive && !row.namesakePredecessorUserId;
    return mayLink ? successorUser(namesakeId) : 'nameTaken';
  }
  // A user of the successor had this name before, and may have been this user.
  if (row.isGivenUp && !isLinking) return 'nameGivenUp';
  return linked;
}
