import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { mapKey } from '../../platform/database/row-ids.js';
import { scope } from '../../platform/database/scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { ignoresCase } from '../../tenancy/usernames/name-key.js';
import { UsersByName } from '../users-by-name.js';
import {
  FORMER_USERS,
  FORMER_USERS_AFTER,
  POSSIBLE_FORMER_IDS,
  type FormerUserRow,
} from './move.statements.js';
import { separateNames, userIdAt } from './move-steps.js';

/** Who a user of the old domain is at the new one. */
export interface SameUser {
  /** The ID that the user has, or will have, at the new domain. */
  readonly userId: Buffer;
  /** The name of a user who exists at the new domain. */
  readonly name: string | undefined;
  /** Whether the link is stored. */
  readonly isStored: boolean;
}

/**
 * Why a user of the old domain is nobody at the new one: another user there has the name, or gave it up, or the user
 * with the same user ID is linked to somebody else.
 */
export const COLLISIONS = ['nameTaken', 'nameGivenUp', 'userIdTaken'] as const;
type CollisionReason = (typeof COLLISIONS)[number];

export interface Collision {
  /** The name at the old domain. */
  readonly username: string;
  readonly reason: CollisionReason;
}

/** Users of the old domain per slice, and how long one call looks for collisions before it hands out a cursor. */
const SLICE = 500;
const BUDGET_MS = 500;

/**
 * Decides who at the new domain of a move is the same person as whom at the old one. A stored link decides, else equal
 * user IDs (`externalId`). A name leads only to a person who does not exist at the new domain: if somebody else has
 * the name there, or gave it up, the two are a collision, which only an administrator can resolve.
 */
@Injectable()
export class SameUsers {
  constructor(
    private readonly database: Database,
    private readonly users: UsersByName,
  ) {}

  /**
   * Who users of the old domain are at the new one, by their IDs (`mapKey`); absent for collisions.
   *
   * @param isLinking whether an administrator links users of the same name, so that a collision of names is none
   */
  async ofFormer(
    rp: RelyingParty,
    ids: readonly Buffer[],
    { isLinking } = { isLinking: false },
  ): Promise<ReadonlyMap<string, SameUser>> {
    const decisions = await this.decisions(rp, ids, isLinking);
    return new Map(
      decisions.filter((one): one is [string, SameUser] => typeof one[1] !== 'string'),
    );
  }

  /**
   * The collisions of a move, in the order of names at the old domain.
   *
   * @param after a name; the search begins after it
   * @returns also the name at which the search stopped; `undefined` if there are no more users
   */
  async collisions(
    rp: RelyingParty,
    former: RelyingParty,
    { after, limit }: { readonly after: Buffer; readonly limit: number },
  ): Promise<{ readonly collisions: readonly Collision[]; readonly last: Buffer | undefined }> {
    const collisions: Collision[] = [];
    const until = performance.now() + BUDGET_MS;
    let last = after;
    while (performance.now() < until) {
      const params = { ...scope(former), after: last, limit: SLICE };
      const users = await this.database.query(FORMER_USERS_AFTER, params);
      const ids = users.map(({ id }) => id);
      const decisions = new Map(await this.decisions(rp, ids, false));
      for (const { id, username } of users) {
        last = username;
        const reason = decisions.get(mapKey(id));
        if (typeof reason === 'string') collisions.push({ username: username.toString(), reason });
        if (collisions.length === limit) return { collisions, last };
      }
      if (users.length < SLICE) return { collisions, last: undefined };
    }
    return { collisions, last };
  }

  private async decisions(
    rp: RelyingParty,
    ids: readonly Buffer[],
    isLinking: boolean,
  ): Promise<[string, SameUser | CollisionReason][]> {
    if (ids.length === 0) return [];
    const params = { ...scope(rp), ids, ignoresCase: ignoresCase(rp) };
    const rows = await this.database.query(FORMER_USERS, params);
    const possible = rows.flatMap(({ id, linkedId, sameId, namesakeId }) =>
      [linkedId ?? userIdAt(rp, id), sameId, namesakeId].filter((one) => one !== null),
    );
    const [names, separate] = await Promise.all([
      this.users.names(rp, possible),
      separateNames(this.database, rp, rows.map(nameOf)),
    ]);
    return rows.map((row) => {
      const isSeparate = !isLinking && separate.has(nameOf(row));
      const first = userIdAt(rp, row.id);
      return [mapKey(row.id), decide(row, { first, names, isSeparate, isLinking })];
    });
  }

  /** Users of the old domain who are users of the new one with these IDs, by a link or by equal user IDs. */
  async formerIds(
    rp: RelyingParty,
    former: RelyingParty,
    ids: readonly Buffer[],
  ): Promise<Buffer[]> {
    if (ids.length === 0) return [];
    const params = { ...scope(rp), formerRelyingPartyId: former.id, ids };
    const rows = await this.database.query(POSSIBLE_FORMER_IDS, params);
    return rows.map(({ id }) => id);
  }
}

const nameOf = ({ username }: FormerUserRow): string => username.toString('utf8');

interface Facts {
  /** The ID at the new domain of a user who moves there. */
  readonly first: Buffer;
  readonly names: ReadonlyMap<string, string>;
  readonly isSeparate: boolean;
  readonly isLinking: boolean;
}

function decide(
  { linkedId, sameId, sameFormerId, namesakeId, namesakeFormerId }: FormerUserRow,
  { first, names, isSeparate, isLinking }: Facts,
): SameUser | CollisionReason {
  const the = (userId: Buffer, isStored: boolean): SameUser => ({
    userId,
    name: names.get(mapKey(userId)),
    isStored,
  });
  const stored = the(linkedId ?? first, true);
  if (stored.name !== undefined) return stored;
  if (isSeparate) return namesakeId ? 'nameTaken' : 'nameGivenUp';
  // A link to a user who has not arrived gives way to a user who exists.
  const isOpen = !linkedId || linkedId.equals(first);
  if (sameId && isOpen) return sameFormerId ? 'userIdTaken' : the(sameId, false);
  if (!namesakeId) return { ...stored, isStored: linkedId !== null };
  return isLinking && isOpen && !namesakeFormerId ? the(namesakeId, false) : 'nameTaken';
}
