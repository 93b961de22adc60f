import { Injectable } from '@nestjs/common';
import type { AuditEntry } from '../../audit/audit-entry.js';
import { AuditTrail } from '../../audit/audit-trail.js';
import { atRelyingParty, type AuditFacts } from '../../audit/request-rows.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { scope } from '../../platform/database/scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import type { DirectoryGroup } from '../../users/groups/directory-group.entity.js';
import { UserGroups, groupsRow, type GroupsChange } from '../../users/groups/user-groups.js';
import { idBytes } from '../protocol/values.js';
import type { DirectoryCall } from '../users/scim-user-changes.js';
import { CHANGE_GROUP } from './directory-group.statements.js';
import type { GroupWishes } from './group-document.js';
import { ScimGroupFinder } from './scim-group-finder.js';
import { ScimGroupRenames } from './scim-group-renames.js';

interface GroupUnit {
  /** The condition about the group, and what follows the changes of the members. */
  readonly first: Step;
  readonly last?: Step;
  readonly changes: readonly GroupsChange[];
  /** The audit row of the group; the members have rows of their own. */
  readonly row?: AuditFacts;
}

/** The units that change a group with some of its members. */
@Injectable()
export class ScimGroupUnits {
  constructor(
    private readonly finder: ScimGroupFinder,
    private readonly groups: UserGroups,
    private readonly renames: ScimGroupRenames,
    private readonly trail: AuditTrail,
  ) {}

  /** @returns whether it applied; else the group or a member has changed since it was read */
  commit({ rp, call }: DirectoryCall, { first, last, changes, row }: GroupUnit): Promise<boolean> {
    const { requestId } = call;
    const rowOf = call.useRowPerChange();
    const here = atRelyingParty(rp);
    const rows: AuditEntry[] = [
      ...(row ? [rowOf({ ...here, ...row })] : []),
      ...changes.map((one) => rowOf({ ...here, action: 'user.groups', ...groupsRow(one) })),
    ];
    if (rows.length === 0) return Promise.resolve(true);
    const steps =
      changes.length > 0
        ? this.groups.changing(rp, changes, { requestId, isOfDirectory: true })
        : [];
    return this.trail.commit(rows, [first, ...steps, ...(last ? [last] : [])]);
  }

  /** The condition that the group has the version that was read; it also stores the facts. */
  versioned(
    rp: RelyingParty,
    group: DirectoryGroup,
    {
      name = group.name,
      externalId,
      formerName = null,
    }: GroupWishes & { readonly formerName?: string | null },
  ): Step {
    return CHANGE_GROUP.mustChange({
      ...scope(rp),
      id: group.id,
      version: Number(group.version),
      name: Buffer.from(name),
      formerName: idBytes(formerName),
      externalId: externalId === undefined ? group.externalId : idBytes(externalId),
    });
  }

  /** The group, once a change of its name has reached all members. */
  async settled({ rp, call }: DirectoryCall, id: string): Promise<DirectoryGroup> {
    const group = await this.finder.get(rp, id);
    if (group.formerName === null) return group;
    await this.renames.finish(rp, group, { requestId: call.requestId });
    return this.finder.get(rp, id);
  }

  /** Completes the change of names of the group that had this name. */
  async finishLeaving({ rp, call }: DirectoryCall, name: string): Promise<void> {
    const group = await this.finder.leaving(rp, name);
    if (group) await this.renames.finish(rp, group, { requestId: call.requestId });
  }
}
