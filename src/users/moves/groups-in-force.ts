import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { mapKey } from '../../platform/database/row-ids.js';
import type { KeyDomain, RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { groupsOfUsers } from '../groups/groups-of-users.js';
import { SameUsers } from './same-users.js';

/**
 * The groups that decide which profile applies to users. At a predecessor they are those at the successor, once the user
 * has arrived there. Relying parties without profiles read nothing.
 */
@Injectable()
export class GroupsInForce {
  constructor(
    private readonly database: Database,
    private readonly relyingParties: RelyingPartyCache,
    private readonly same: SameUsers,
  ) {}

  /** The groups of one user, of whom those at this relying party have been read. */
  async of(
    rp: KeyDomain,
    { id, groups }: { readonly id: Buffer; readonly groups: readonly string[] },
  ): Promise<readonly string[]> {
    if (rp.successor || rp.policy.profiles.length === 0) return groups;
    if (!this.relyingParties.current.successorOf(rp)) return groups;
    return (await this.ofUsers(rp, [id])).get(mapKey(id)) ?? [];
  }

  /** The groups by the users' IDs (`mapKey`); absent for users without groups. */
  async ofUsers(
    rp: RelyingParty,
    userIds: readonly Buffer[],
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    if (rp.policy.profiles.length === 0) return new Map();
    const own = await groupsOfUsers(this.database, rp, userIds);
    const successor = this.relyingParties.current.successorOf(rp);
    if (!successor) return own;
    const same = await this.same.ofPredecessor(successor, userIds);
    const arrived = [...same].filter(([, { name }]) => name !== undefined);
    const ids = arrived.map(([, { userId }]) => userId);
    const successorGroups = await groupsOfUsers(this.database, successor, ids);
    return new Map([
      ...own,
      ...arrived.map(
        ([id, { userId }]) => [id, successorGroups.get(mapKey(userId)) ?? []] as const,
      ),
    ]);
  }
}
