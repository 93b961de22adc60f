import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { LeasedJob } from '../../platform/database/jobs/leased-job.js';
import { scope } from '../../platform/database/scope.js';
import { OVERTAKEN, untilStored } from '../../platform/database/commit/until-stored.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import type { DirectoryGroup } from '../../users/groups/directory-group.entity.js';
import { UserGroups } from '../../users/groups/user-groups.js';
import type { DirectoryCall } from '../protocol/scim-request.js';
import { END_RENAME, LOCK_RENAME, UNFINISHED_RENAMES } from './directory-group.statements.js';
import { GroupMembers, MEMBERS_PER_UNIT, groupsChanges } from './group-members.js';
import { ScimGroupFinder } from './scim-group-finder.js';

const EVERY_MS = 60_000;
const NOBODY_ELSE = { add: new Map<string, Buffer>(), remove: new Map<string, Buffer>() };

/**
 * Completes changes of groups' names. The first unit gives a large group the new name, and the group keeps the former one
 * beside it until all members have the new one: they follow in slices, so that no other request waits for them. The job
 * completes those whose call was interrupted.
 */
@Injectable()
export class ScimGroupRenames extends LeasedJob {
  constructor(
    private readonly database: Database,
    private readonly finder: ScimGroupFinder,
    private readonly members: GroupMembers,
    private readonly groups: UserGroups,
    private readonly relyingParties: RelyingPartyCache,
  ) {
    super(database, {
      name: 'unfinished-group-renames',
      everyMs: EVERY_MS,
      retryMessage: 'New names of groups reach their members in a minute',
    });
  }

  /** The group, once a change of its name has reached all members. */
  async settled({ rp, call }: DirectoryCall, id: string): Promise<DirectoryGroup> {
    const group = await this.finder.get(rp, id);
    if (group.formerName === null) return group;
    await this.finish(rp, group, { requestId: call.requestId });
    return this.finder.get(rp, id);
  }

  /** Completes the change of names of the group that had this name. */
  async finishLeaving({ rp, call }: DirectoryCall, name: string): Promise<void> {
    const group = await this.finder.leaving(rp, name);
    if (group) await this.finish(rp, group, { requestId: call.requestId });
  }

  protected override async work(): Promise<void> {
    for (const { id, relyingPartyId } of await this.database.query(UNFINISHED_RENAMES)) {
      const rp = this.relyingParties.current.all.find((one) => one.id.equals(relyingPartyId));
      if (!rp || !(await this.hold())) continue;
      try {
        const group = await this.finder.get(rp, id.toString('base64url'));
        await this.finish(rp, group, { mayGoOn: () => !this.isShuttingDown });
      } catch (error) {
        // It may be deleted by now, or change all the time; the other groups do not wait for it.
        const sentence = `A group has two names for a further minute: ${String(error)}`;
        Logger.warn(sentence, ScimGroupRenames.name);
      }
    }
  }

  /**
   * @param mayGoOn whether to continue with the next slice; a job stops when the server does
   * @throws ApiError E0052R if concurrent changes were faster each time
   */
  private async finish(
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
      for await (const ids of this.finder.memberParts(rp, formerName, MEMBERS_PER_UNIT)) {
        if (!mayGoOn()) return true;
        const changes = groupsChanges(await this.members.find(rp, ids), names, NOBODY_ELSE);
        // Another call has given them the new name meanwhile.
        if (changes.length === 0) continue;
        const steps = this.groups.changing(rp, changes, { requestId, isOfDirectory: true });
        const unit = [LOCK_RENAME.mustChange(renaming), ...steps];
        if (!(await this.database.commit(unit, options))) return OVERTAKEN;
      }
      await this.database.store([END_RENAME.step(renaming)], options);
      // Another call may have ended it too.
      return (await this.finder.leaving(rp, formerName)) === null || OVERTAKEN;
    });
  }
}
