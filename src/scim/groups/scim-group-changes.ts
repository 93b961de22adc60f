import { Injectable } from '@nestjs/common';
import type { AuditFacts } from '../../audit/request-rows.js';
import { Clock } from '../../platform/common/clock.js';
import { splitIntoParts } from '../../platform/common/split-into-parts.js';
import { distinctBytes, mapKey, newId } from '../../platform/database/row-ids.js';
import { scope } from '../../platform/database/scope.js';
import { OVERTAKEN, untilStored } from '../../platform/database/commit/until-stored.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import type { DirectoryGroup } from '../../users/groups/directory-group.entity.js';
import { ensureVersion } from '../protocol/resource.js';
import { idBytes } from '../protocol/values.js';
import type { DirectoryCall } from '../users/scim-user-changes.js';
import {
  COUNT_CHANGE_OF_MEMBERS,
  INSERT_GROUP,
  LOCK_GROUP_LEFT_BY_ALL,
} from './directory-group.statements.js';
import type { GroupWishes, NewGroupWishes } from './group-document.js';
import {
  GroupMembers,
  MEMBERS_PER_UNIT,
  ensureMayJoin,
  groupsChanges,
  type MemberChange,
} from './group-members.js';
import { groupResource } from './group-resource.js';
import { ScimGroupFinder } from './scim-group-finder.js';
import { ScimGroupUnits } from './scim-group-units.js';

const NOBODY = new Map<string, Buffer>();

/** What a change of a group does. */
interface GroupPlan {
  readonly wishes: GroupWishes;
  /** The name from now on. */
  readonly to: string;
  readonly isRenamed: boolean;
  /** Whether the name or the external ID changes. */
  readonly isDifferent: boolean;
  /** Whether the caller named the versions that it has read. */
  readonly isVersioned: boolean;
  readonly change: MemberChange;
  /** The members to whom a new name is given: all of them, or the first `MEMBERS_PER_UNIT + 1`. */
  readonly named: readonly Buffer[];
}

/**
 * Creates and changes groups for a directory. One unit changes the group and up to `MEMBERS_PER_UNIT` members;
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
    private readonly units: ScimGroupUnits,
  ) {}

  /**
   * @throws ApiError E0045R `uniqueness` if another group has the name or the ID, `invalidValue` for a user who cannot
   *   be a member; E0052R if concurrent changes were faster each time
   */
  async create(by: DirectoryCall, wishes: NewGroupWishes): Promise<DirectoryGroup> {
    const { rp } = by;
    const { name, externalId = null } = wishes;
    const change = { add: wishes.members?.add ?? NOBODY, remove: NOBODY };
    const [firstIds = [], ...rest] = splitIntoParts([...change.add.values()], MEMBERS_PER_UNIT);
    const detail = { members: change.add.size };
    const created = await untilStored('resource.changing', async () => {
      await this.finder.ensureFree(rp, wishes);
      await this.units.finishLeaving(by, name);
      const users = await this.members.joining(rp, name, { first: firstIds, rest });
      const createdAt = this.clock.now();
      const id = newId(createdAt);
      const its = { ...scope(rp), id, name: Buffer.from(name), externalId: idBytes(externalId) };
      const isStored = await this.units.commit(by, {
        first: INSERT_GROUP.mustChange({ ...its, createdAt, version: 1 }),
        changes: groupsChanges(users, { from: name, to: name }, change),
        row: { action: 'group.create', target: name, detail },
      });
      return isStored ? id.toString('base64url') : OVERTAKEN;
    });
    await this.changeMembers(by, created, rest, change);
    return this.finder.get(rp, created);
  }

  /**
   * Changes a group as a directory wishes; what is as it wishes already leaves no row in the audit trail.
   *
   * @param expected the versions of which the group must have one; any version by default
   * @throws ApiError as `create`; E0044R if there is no such group; E0053R for another version
   */
  async change(
    by: DirectoryCall,
    id: string,
    wishes: GroupWishes,
    expected: readonly string[] | undefined,
  ): Promise<void> {
    by.call.omitRow();
    const isVersioned = expected !== undefined;
    await untilStored('resource.changing', async () => {
      const group = await this.units.settled(by, id);
      ensureVersion(expected, groupResource(by, group));
      await this.finder.ensureFree(by.rp, wishes, group);
      return (await this.changeOnce(by, group, { wishes, isVersioned })) || OVERTAKEN;
    });
  }

  /** @returns whether it is done; else the group or a member has changed since it was read */
  private async changeOnce(
    by: DirectoryCall,
    group: DirectoryGroup,
    { wishes, isVersioned }: { readonly wishes: GroupWishes; readonly isVersioned: boolean },
  ): Promise<boolean> {
    const { rp } = by;
    const { name: to = group.name } = wishes;
    const isRenamed = to !== group.name;
    if (isRenamed) await this.units.finishLeaving(by, to);
    const plan: GroupPlan = {
      wishes,
      to,
      isRenamed,
      isDifferent: isRenamed || !hasExternalId(group, wishes),
      isVersioned,
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
    by: DirectoryCall,
    group: DirectoryGroup,
    plan: GroupPlan,
    affected: readonly Buffer[],
  ): Promise<boolean> {
    const { rp } = by;
    const { wishes, to, isRenamed, isDifferent, isVersioned, change } = plan;
    const users = await this.members.find(rp, affected);
    ensureMayJoin(group.name, change.add.values(), users);
    const changes = groupsChanges(users, { from: group.name, to }, change);
    if (!isDifferent && changes.length === 0) return true;
    const left = { ...scope(rp), id: group.id, formerName: Buffer.from(group.name) };
    return this.units.commit(by, {
      first:
        isDifferent || isVersioned
          ? this.units.versioned(rp, group, wishes)
          : COUNT_CHANGE_OF_MEMBERS.mustChange(lockOf(rp, group)),
      changes,
      ...(isRenamed && { last: LOCK_GROUP_LEFT_BY_ALL.mustChange(left) }),
      ...(isDifferent && { row: changeRow(group, plan) }),
    });
  }

  /** Changes the group, then its members in units of their own. */
  private async changeInParts(
    by: DirectoryCall,
    group: DirectoryGroup,
    plan: GroupPlan,
  ): Promise<boolean> {
    const { rp } = by;
    const { wishes, isDifferent, isVersioned, change, named } = plan;
    const joining = splitIntoParts([...change.add.values()], MEMBERS_PER_UNIT);
    await this.members.ensureMayJoin(rp, group.name, joining);
    if (isDifferent || isVersioned) {
      // `settled` gives the members the new name.
      const formerName = named.length > 0 ? group.name : null;
      const first = this.units.versioned(rp, group, { ...wishes, formerName });
      const row = changeRow(group, plan);
      if (!(await this.units.commit(by, { first, changes: [], row }))) return false;
    }
    const id = group.id.toString('base64url');
    await this.units.settled(by, id);
    await this.changeMembers(
      by,
      id,
      splitIntoParts(joiningAndLeaving(plan), MEMBERS_PER_UNIT),
      change,
    );
    return true;
  }

  /** Changes members in units of their own. */
  private async changeMembers(
    by: DirectoryCall,
    id: string,
    parts: readonly (readonly Buffer[])[],
    change: MemberChange,
  ): Promise<void> {
    for (const part of parts) await this.changePart(by, id, part, change);
  }

  private async changePart(
    by: DirectoryCall,
    id: string,
    part: readonly Buffer[],
    change: MemberChange,
  ): Promise<void> {
    await untilStored('resource.changing', async () => {
      const group = await this.units.settled(by, id);
      const users = await this.members.find(by.rp, part);
      const joining = part.filter((one) => change.add.has(mapKey(one)));
      ensureMayJoin(group.name, joining, users);
      const changes = groupsChanges(users, { from: group.name, to: group.name }, change);
      if (changes.length === 0) return true;
      const first = COUNT_CHANGE_OF_MEMBERS.mustChange(lockOf(by.rp, group));
      return (await this.units.commit(by, { first, changes })) || OVERTAKEN;
    });
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
    let after: Buffer | undefined;
    do {
      const ids = await this.finder.membersAfter(rp, name, { after, limit: MEMBERS_PER_UNIT });
      for (const id of ids) {
        if (!add.delete(mapKey(id))) remove.set(mapKey(id), id);
      }
      after = ids.length === MEMBERS_PER_UNIT ? ids.at(-1) : undefined;
    } while (after);
    return { add, remove };
  }
}

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
