import { Injectable } from '@nestjs/common';
import { OVERTAKEN, untilStored } from '../../platform/database/commit/until-stored.js';
import { mapKey } from '../../platform/database/row-ids.js';
import { scope } from '../../platform/database/scope.js';
import { ensureVersion } from '../protocol/resource.js';
import type { DirectoryCall } from '../users/scim-user-changes.js';
import { DELETE_GROUP } from './directory-group.statements.js';
import { GroupMembers, MEMBERS_PER_UNIT, groupsChanges } from './group-members.js';
import { groupResource } from './group-resource.js';
import { ScimGroupFinder } from './scim-group-finder.js';
import { ScimGroupUnits } from './scim-group-units.js';

/**
 * Deletes groups for a directory, with their members in units of their own. A call that was interrupted can be repeated,
 * but not with the same version (E0053R), which each unit raises.
 */
@Injectable()
export class ScimGroupDeletion {
  constructor(
    private readonly finder: ScimGroupFinder,
    private readonly members: GroupMembers,
    private readonly units: ScimGroupUnits,
  ) {}

  /**
   * Deletes a group; its members remain users.
   *
   * @param expected the versions of which the group must have one; any version by default
   * @throws ApiError E0044R if there is no such group; E0053R for another version; E0052R if concurrent changes were
   *   faster each time
   */
  async remove(
    by: DirectoryCall,
    id: string,
    expected: readonly string[] | undefined,
  ): Promise<void> {
    let versions = expected;
    let isRemoved = false;
    while (!isRemoved) {
      isRemoved = await untilStored('resource.changing', () => this.removePart(by, id, versions));
      // What has begun is completed, whatever happens to the group.
      versions = undefined;
    }
  }

  /**
   * Takes up to `MEMBERS_PER_UNIT` members out of a group; with the last ones, deletes the group.
   *
   * @returns whether the group is deleted
   */
  private async removePart(
    by: DirectoryCall,
    id: string,
    expected: readonly string[] | undefined,
  ): Promise<boolean | typeof OVERTAKEN> {
    const { rp } = by;
    const group = await this.units.settled(by, id);
    ensureVersion(expected, groupResource(by, group));
    const { name } = group;
    const ids = await this.finder.membersAfter(rp, name, { limit: MEMBERS_PER_UNIT + 1 });
    const users = await this.members.find(rp, ids.slice(0, MEMBERS_PER_UNIT));
    const remove = new Map(users.map((user) => [mapKey(user.id), user.id]));
    const changes = groupsChanges(users, { from: name, to: name }, { add: new Map(), remove });
    const isLast = ids.length <= MEMBERS_PER_UNIT;
    const version = Number(group.version) + 1;
    const its = { ...scope(rp), id: group.id, name: Buffer.from(name) };
    const isStored = await this.units.commit(by, {
      first: this.units.versioned(rp, group, {}),
      changes,
      ...(isLast && {
        last: DELETE_GROUP.mustChange({ ...its, version }),
        row: { action: 'group.delete', target: name, detail: {} },
      }),
    });
    return isStored ? isLast : OVERTAKEN;
  }
}
