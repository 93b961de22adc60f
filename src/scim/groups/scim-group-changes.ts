import { Injectable } from '@nestjs/common';
import type { AuditEntry } from '../../audit/audit-entry.js';
import { AuditTrail } from '../../audit/audit-trail.js';
import { atRelyingParty, type AuditFacts } from '../../audit/request-rows.js';
import { Clock } from '../../platform/common/clock.js';
import { splitIntoParts } from '../../platform/common/split-into-parts.js';
import { distinctBytes, mapKey, newId } from '../../platform/database/row-ids.js';
import { scope } from '../../platform/database/scope.js';
import { OVERTAKEN, untilStored } from '../../platform/database/commit/until-stored.js';
import type { Step } from '../../platform/database/commit/unit.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import type { DirectoryGroup } from '../../users/groups/directory-group.entity.js';
import { UserGroups, groupsRow, type GroupsChange } from '../../users/groups/user-groups.js';
import { ensureVersion } from '../protocol/resource.js';
import { idBytes } from '../protocol/values.js';
import type { DirectoryCall, ResourceCall } from '../protocol/scim-request.js';
import {
  CHANGE_GROUP,
  COUNT_CHANGE_OF_MEMBERS,
  DELETE_GROUP,
  INSERT_GROUP,
  LOCK_GROUP_LEFT_BY_ALL,
} from './directory-group.statements.js';
import type { GroupWishes, MemberChange, NewGroupWishes } from './group-document.js';
import { GroupMembers, MEMBERS_PER_UNIT, ensureMayJoin, groupsChanges } from './group-members.js';
import { groupResource } from './group-resource.js';
import { ScimGroupFinder } from './scim-group-finder.js';
import { ScimGroupRenames } from './scim-group-renames.js';

const NOBODY = new Map<string, Buffer>();

/** A unit that changes a group with some of its members. */
interface GroupUnit {
  /** The condition about the group, and what follows the changes of the members. */
  readonly first: Step;
  readonly last?: Step;
  readonly changes: readonly GroupsChange[];
  /** The audit row of the group; the members have rows of their own. */
  readonly row?: AuditFacts;
}

interface GroupPlan {
  readonly wishes: GroupWishes;
  /** The name from now on. */
  readonly to: string;
  readonly isRenamed: boolean;
  /** Whether the name or the external ID changes. */
  readonly isDifferent: boolean;
  readonly change: MemberChange;
  /** The members to whom a new name is given: all of them, or the first `MEMBERS_PER_UNIT + 1`. */
  readonly named: readonly Buffer[];
}

/**
 * Creates, changes and deletes groups for a directory. One unit changes the group and up to `MEMBERS_PER_UNIT` members;
 * further members follow in units of their own. A call that was interrupted can be repeated: it does what is left.
 * But a repeated creation is refused (`uniqueness`), since the group exists: the directory finds it by its name or external
 * ID, and adds the missing members.
 */
@Injectable()
export class ScimGroupChanges {
  constructor(
    private readonly clock: Clock,
    private readonly finder: ScimGroupFinder,
    private readonly members: GroupMembers,
    private readonly renames: ScimGroupRenames,
    private readonly groups: UserGroups,
    private readonly trail: AuditTrail,
  ) {}

  /**
   * @throws ApiError E0045R `uniqueness` if another group has the name or the ID, `invalidValue` for a user who cannot
   *   be a member; E0052R if concurrent changes were faster each time
   */
  async create(by: DirectoryCall, wishes: NewGroupWishes): Promise<DirectoryGroup> {
    const { rp } = by;
    const { name, externalId = null } = wishes;
    const change = { add: wishes.members?.add ?? NOBODY, remove: NOBODY };
    const ids = [...change.add.values()];
    const detail = { members: change.add.size };
    const created = await untilStored('resource.changing', async () => {
      await this.finder.ensureFree(rp, wishes);
      await this.renames.finishLeaving(by, name);
      const users = await this.members.joining(rp, name, ids);
      const createdAt = this.clock.now();
      const id = newId(createdAt);
      const its = { ...scope(rp), id, name: Buffer.from(name), externalId: idBytes(externalId) };
      const isStored = await this.commit(by, {
        first: INSERT_GROUP.mustChange({ ...its, createdAt, version: 1 }),
        changes: groupsChanges(users.slice(0, MEMBERS_PER_UNIT), { from: name, to: name }, change),
        row: { action: 'group.create', target: name, detail },
      });
      return isStored ? id.toString('base64url') : OVERTAKEN;
    });
    await this.changeMembers({ ...by, id: created }, ids.slice(MEMBERS_PER_UNIT), change);
    return this.finder.get(rp, created);
  }

  /**
   * Changes a group as a directory wishes; what is as it wishes already leaves no row in the audit trail.
   *
   * @throws ApiError as `create`; E0044R if there is no such group; E0053R for another version
   */
  async change(by: ResourceCall, wishes: GroupWishes): Promise<void> {
    by.call.omitRow();
    await untilStored('resource.changing', async () => {
      const group = await this.renames.settled(by, by.id);
      ensureVersion(by.expected, groupResource(by, group));
      await this.finder.ensureFree(by.rp, wishes, group);
      return (await this.changeOnce(by, group, wishes)) || OVERTAKEN;
    });
  }

  /**
   * Deletes a group; its members remain users. A call that was interrupted can be repeated, but not with the same version
   * (E0053R), which each unit raises.
   *
   * @throws ApiError E0044R if there is no such group; E0053R for another version; E0052R if concurrent changes were
   *   faster each time
   */
  async remove(by: ResourceCall): Promise<void> {
    let versions = by.expected;
    let isRemoved = false;
    while (!isRemoved) {
      isRemoved = await untilStored('resource.changing', () =>
        this.removePart({ ...by, expected: versions }),
      );
      // What has begun is completed, whatever happens to the group.
      versions = undefined;
    }
  }

  /**
   * Takes up to `MEMBERS_PER_UNIT` members out of a group; with the last ones, deletes the group.
   *
   * @returns whether the group is deleted
   */
  private async removePart(by: ResourceCall): Promise<boolean | typeof OVERTAKEN> {
    const { rp } = by;
    const group = await this.renames.settled(by, by.id);
    ensureVersion(by.expected, groupResource(by, group));
    const { name } = group;
    const ids = await this.finder.membersAfter(rp, name, { limit: MEMBERS_PER_UNIT + 1 });
    const users = await this.members.find(rp, ids.slice(0, MEMBERS_PER_UNIT));
    const remove = new Map(users.map((user) => [mapKey(user.id), user.id]));
    const isLast = ids.length <= MEMBERS_PER_UNIT;
    const version = Number(group.version) + 1;
    const isStored = await this.commit(by, {
      first: versioned(rp, group, {}),
      changes: groupsChanges(users, { from: name, to: name }, { add: NOBODY, remove }),
      ...(isLast && {
        last: DELETE_GROUP.mustChange({ ...lockOf(rp, group), version }),
        row: { action: 'group.delete', target: name, detail: {} },
      }),
    });
    return isStored ? isLast : OVERTAKEN;
  }

  /** @returns whether it is done; else the group or a member has changed since it was read */
  private async changeOnce(
    by: ResourceCall,
    group: DirectoryGroup,
    wishes: GroupWishes,
  ): Promise<boolean> {
    const { rp } = by;
    const { name: to = group.name } = wishes;
    const isRenamed = to !== group.name;
    if (isRenamed) await this.renames.finishLeaving(by, to);
    const plan: GroupPlan = {
      wishes,
      to,
      isRenamed,
      isDifferent: isRenamed || !hasExternalId(group, wishes),
      change: await this.memberChange(rp, group, wishes),
      named: isRenamed
        ? await this.finder.membersAfter(rp, group.name, { limit: MEMBERS_PER_UNIT + 1 })
        : [],
    };
    const affected = distinctBytes([...joiningAndLeaving(plan), ...plan.named]);
    return affected.length <= MEMBERS_PER_UNIT
      ? this.changeTogether(by, group, plan, affected)
      : this.changeInParts(by, group, plan);
  }

  /** Changes the group and all affected users in one unit. */
  private async changeTogether(
    by: ResourceCall,
    group: DirectoryGroup,
    plan: GroupPlan,
    affected: readonly Buffer[],
  ): Promise<boolean> {
    const { rp } = by;
    const { wishes, to, isRenamed, isDifferent, change } = plan;
    const users = await this.members.find(rp, affected);
    ensureMayJoin(group.name, change.add.values(), users);
    const changes = groupsChanges(users, { from: group.name, to }, change);
    if (!isDifferent && changes.length === 0) return true;
    const left = { ...scope(rp), id: group.id, formerName: Buffer.from(group.name) };
    return this.commit(by, {
      first:
        isDifferent || by.expected
          ? versioned(rp, group, wishes)
          : COUNT_CHANGE_OF_MEMBERS.mustChange(lockOf(rp, group)),
      changes,
      ...(isRenamed && { last: LOCK_GROUP_LEFT_BY_ALL.mustChange(left) }),
      ...(isDifferent && { row: changeRow(group, plan) }),
    });
  }

  /** Changes the group, then its members in units of their own. */
  private async changeInParts(
    by: ResourceCall,
    group: DirectoryGroup,
    plan: GroupPlan,
  ): Promise<boolean> {
    const { rp } = by;
    const { wishes, isDifferent, change, named } = plan;
    await this.members.joining(rp, group.name, [...change.add.values()]);
    if (isDifferent || by.expected) {
      // `settled` gives the members the new name.
      const formerName = named.length > 0 ? group.name : null;
      const first = versioned(rp, group, { ...wishes, formerName });
      const row = changeRow(group, plan);
      if (!(await this.commit(by, { first, changes: [], row }))) return false;
    }
    await this.renames.settled(by, by.id);
    await this.changeMembers(by, joiningAndLeaving(plan), change);
    return true;
  }

  /** Changes members in units of their own. */
  private async changeMembers(
    by: DirectoryCall & Pick<ResourceCall, 'id'>,
    ids: readonly Buffer[],
    change: MemberChange,
  ): Promise<void> {
    for (const part of splitIntoParts(ids, MEMBERS_PER_UNIT)) {
      await untilStored('resource.changing', async () => {
        const group = await this.renames.settled(by, by.id);
        const users = await this.members.find(by.rp, part);
        const joining = part.filter((one) => change.add.has(mapKey(one)));
        ensureMayJoin(group.name, joining, users);
        const changes = groupsChanges(users, { from: group.name, to: group.name }, change);
        if (changes.length === 0) return true;
        const first = COUNT_CHANGE_OF_MEMBERS.mustChange(lockOf(by.rp, group));
        return (await this.commit(by, { first, changes })) || OVERTAKEN;
      });
    }
  }

  /** @returns whether it applied; else the group or a member has changed since it was read */
  private commit(
    { rp, call }: DirectoryCall,
    { first, last, changes, row }: GroupUnit,
  ): Promise<boolean> {
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

  /** Only a call that replaces all members reads them. */
  private async memberChange(
    rp: RelyingParty,
    { name }: DirectoryGroup,
    { members }: GroupWishes,
  ): Promise<MemberChange> {
    if (!members) return { add: NOBODY, remove: NOBODY };
    if (!members.replaces) return members;
    const [add, remove] = [new Map(members.add), new Map<string, Buffer>()];
    for await (const ids of this.finder.memberParts(rp, name, MEMBERS_PER_UNIT)) {
      for (const id of ids) {
        if (!add.delete(mapKey(id))) remove.set(mapKey(id), id);
      }
    }
    return { add, remove };
  }
}

/** The condition that the group has the version that was read; it also stores the facts. */
const versioned = (
  rp: RelyingParty,
  group: DirectoryGroup,
  {
    name = group.name,
    externalId,
    formerName = null,
  }: GroupWishes & { readonly formerName?: string | null },
): Step =>
  CHANGE_GROUP.mustChange({
    ...scope(rp),
    id: group.id,
    version: Number(group.version),
    name: Buffer.from(name),
    formerName: idBytes(formerName),
    externalId: externalId === undefined ? group.externalId : idBytes(externalId),
  });

const joiningAndLeaving = ({ change }: GroupPlan): Buffer[] => [
  ...change.add.values(),
  ...change.remove.values(),
];

/** The audit row of a change of the name or the external ID. */
const changeRow = ({ name }: DirectoryGroup, { wishes, to, isRenamed }: GroupPlan): AuditFacts => ({
  action: 'group.change',
  target: name,
  detail: {
    ...(isRenamed && { name: to }),
    ...(wishes.externalId !== undefined && { attributes: 'externalId' }),
  },
});

const lockOf = (rp: RelyingParty, { id, name }: DirectoryGroup) => ({
  ...scope(rp),
  id,
  name: Buffer.from(name),
});

const hasExternalId = (group: DirectoryGroup, { externalId }: GroupWishes): boolean =>
  externalId === undefined || externalId === (group.externalId?.toString('utf8') ?? null);
