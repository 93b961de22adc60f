import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { mapKey } from '../../platform/database/row-ids.js';
import { scope } from '../../platform/database/scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { ignoresCase } from '../../tenancy/usernames/name-key.js';
import { UsersByName } from '../users-by-name.js';
import { FORMER_USERS, POSSIBLE_FORMER_IDS, type FormerUserRow } from './move.statements.js';
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
    if (ids.length === 0) return new Map();
    const params = { ...scope(rp), ids, ignoresCase: ignoresCase(rp) };
    const rows = await this.database.query(FORMER_USERS, params);
    const possible = rows.flatMap(({ id, linkedId, sameId, namesakeId }) =>
      [linkedId ?? userIdAt(rp, id), sameId, namesakeId].filter((one) => one !== null),
    );
    const [names, separate] = await Promise.all([
      this.users.names(rp, possible),
      separateNames(this.database, rp, rows.map(nameOf)),
    ]);
    const decided = rows.flatMap((row): [string, SameUser][] => {
      const isSeparate = !isLinking && separate.has(nameOf(row));
      const found = decide(row, { first: userIdAt(rp, row.id), names, isSeparate, isLinking });
      return found ? [[mapKey(row.id), found]] : [];
    });
    return new Map(decided);
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

/** @returns `undefined` for a collision */
function decide(
  { linkedId, sameId, sameFormerId, namesakeId, namesakeFormerId }: FormerUserRow,
  { first, names, isSeparate, isLinking }: Facts,
): SameUser | undefined {
  const the = (userId: Buffer, isStored: boolean): SameUser => ({
    userId,
    name: names.get(mapKey(userId)),
    isStored,
  });
  const stored = the(linkedId ?? first, true);
  if (stored.name !== undefined) return stored;
  if (isSeparate) return undefined;
  // A link to a user who has not arrived gives way to a user who exists.
  const isOpen = !linkedId || linkedId.equals(first);
  if (sameId && isOpen) return sameFormerId ? undefined : the(sameId, false);
  if (!namesakeId) return { ...stored, isStored: linkedId !== null };
  return isLinking && isOpen && !namesakeFormerId ? the(namesakeId, false) : undefined;
}
