import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { scope } from '../../platform/database/scope.js';
import { OVERTAKEN, untilStored } from '../../platform/database/commit/until-stored.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import type { DirectoryGroup } from '../../users/groups/directory-group.entity.js';
import { UserGroups } from '../../users/groups/user-groups.js';
import { END_RENAME, LOCK_RENAME } from './directory-group.statements.js';
import { GroupMembers, MEMBERS_PER_UNIT, groupsChanges } from './group-members.js';
import { ScimGroupFinder } from './scim-group-finder.js';

const NOBODY_ELSE = { add: new Map<string, Buffer>(), remove: new Map<string, Buffer>() };

/**
 * Completes changes of groups' names. The first unit gives a large group the new name, and the group keeps the former one
 * beside it until all members have the new one: they follow in slices, so that no other request waits for them.
 */
@Injectable()
export class ScimGroupRenames {
  constructor(
    private readonly database: Database,
    private readonly finder: ScimGroupFinder,
    private readonly members: GroupMembers,
    private readonly groups: UserGroups,
  ) {}

  /**
   * @param mayGoOn whether to continue with the next slice; a job stops when the server does
   * @throws ApiError E0052R if concurrent changes were faster each time
   */
  async finish(
    rp: RelyingParty,
    { id, name, formerName: bytes }: DirectoryGroup,
    { requestId, mayGoOn = () => true }: { requestId?: string; mayGoOn?: () => boolean } = {},
  ): Promise<void> {
    if (bytes === null) return;
    const formerName = bytes.toString('utf8');
    const renaming = { ...scope(rp), id, formerName: bytes };
    const options = { background: true, ownTransaction: true };
    const names = { from: formerName, to: name };
    await untilStored('resource.changing', async () => {
      let after: Buffer | undefined;
      for (;;) {
        if (!mayGoOn()) return true;
        const ids = await this.finder.membersAfter(rp, formerName, {
          after,
          limit: MEMBERS_PER_UNIT,
        });
        if (ids.length === 0) break;
        after = ids.at(-1);
        const changes = groupsChanges(await this.members.find(rp, ids), names, NOBODY_ELSE);
        const steps = this.groups.changing(rp, changes, { requestId, isOfDirectory: true });
        const unit = [LOCK_RENAME.mustChange(renaming), ...steps];
        if (!(await this.database.commit(unit, options))) return OVERTAKEN;
      }
      await this.database.store([END_RENAME.step(renaming)], options);
      // Another call may have ended it too.
      return (await this.finder.leaving(rp, formerName)) === undefined || OVERTAKEN;
    });
  }
}
