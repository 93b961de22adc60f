import { Injectable } from '@nestjs/common';
import type { AuditEntry } from '../../audit/audit-entry.js';
import { AuditTrail } from '../../audit/audit-trail.js';
import { atRelyingParty } from '../../audit/request-rows.js';
import type { AuditedCall } from '../../audit/audited.js';
import { InvitationIssue } from '../../invitations/invitation-issue.js';
import { MAX_INVITATION_TTL } from '../../invitations/invitation.dto.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { OVERTAKEN, untilStored } from '../../platform/database/commit/until-stored.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { ensureCoversMove } from '../../tenancy/scope/visible-tenants.js';
import { UserGroups, groupsRow } from '../../users/groups/user-groups.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { isSuspendedBy } from '../../users/suspension/suspension.js';
import { Suspensions, type SuspensionChange } from '../../users/suspension/suspensions.js';
import { UserRenaming, type NamedUser } from '../../users/user-renaming.js';
import { scimError } from '../protocol/scim-error.js';
import { ensureVersion } from '../protocol/resource.js';
import type { DirectoryCall, ResourceCall } from '../protocol/scim-request.js';
import {
  columnsAfter,
  detailOf,
  isSameColumns,
  storingColumns,
  type DirectoryUser,
} from './directory-facts.js';
import { nameTaken, ScimUserFinder } from './scim-user-finder.js';
import type { UserWishes } from './user-document.js';
import { userResource } from './user-resource.js';

/** A user after a change, and the link of an invitation that the change issued. */
export interface UserAfterChange {
  readonly user: DirectoryUser;
  readonly enrolmentUrl: string | undefined;
}

/** A part of a change: what its steps change in the user's row, and their audit rows. */
interface Part {
  readonly after: Partial<DirectoryUser>;
  readonly audit: readonly AuditEntry[];
  readonly unit: readonly Step[];
}

/** The directory's own suspension of a user, or its end. */
export function directorySuspension(call: AuditedCall, active: boolean): SuspensionChange {
  const row = call.useRowPerChange();
  return {
    side: 'directory',
    suspended: !active,
    requestId: call.requestId,
    audit: ({ username: target, relyingParty }, detail) =>
      row({
        ...atRelyingParty(relyingParty),
        action: active ? 'user.unsuspend' : 'user.suspend',
        target,
        detail: { side: 'directory', ...detail },
      }),
  };
}

/** Changes users for a directory, by the services of the help desk. */
@Injectable()
export class ScimUserChanges {
  constructor(
    private readonly finder: ScimUserFinder,
    private readonly relyingParties: RelyingPartyCache,
    private readonly renaming: UserRenaming,
    private readonly suspensions: Suspensions,
    private readonly invitations: InvitationIssue,
    private readonly groups: UserGroups,
    private readonly trail: AuditTrail,
  ) {}

  /**
   * Changes a user as a directory wishes, in one unit, and then issues the invitation that it may wish. What is as it
   * wishes already leaves no row in the audit trail.
   *
   * @throws ApiError E0045R `uniqueness`; E0044R if there is no such user; E0053R for another version; E0043R during a
   *   move as `create`; E0052R if concurrent changes were faster each time
   */
  async change(by: ResourceCall, wishes: UserWishes): Promise<UserAfterChange> {
    this.ensureCoversMove(by);
    this.ensureMayEnrol(by, wishes);
    return this.complete(by, wishes);
  }

  /** The same for a user whom the call created. */
  async complete(by: ResourceCall, wishes: UserWishes): Promise<UserAfterChange> {
    const user = await this.changed(by, wishes);
    const isInvited = wishes.enrol === true && user.suspendedBy === null;
    return { user, enrolmentUrl: isInvited ? await this.invite(by, user) : undefined };
  }

  /** @returns the user as the unit stored it */
  private async changed(by: ResourceCall, wishes: UserWishes): Promise<DirectoryUser> {
    return untilStored('user.changing', async () => {
      const user = await this.finder.get(by.rp, by.id);
      ensureVersion(by.expected, userResource(by, user));
      await this.finder.ensureFree(by.rp, wishes, user);
      const parts = await this.parts(by, user, wishes);
      // The user was renamed since.
      if (!parts) return OVERTAKEN;
      if (parts.length === 0) return user;
      const unit = [this.finder.asRead(by.rp, user), ...parts.flatMap((part) => part.unit)];
      const rows = parts.flatMap(({ audit }) => audit);
      if (!(await this.trail.commit(rows, unit))) return OVERTAKEN;
      return Object.assign(user, ...parts.map(({ after }) => after)) as DirectoryUser;
    });
  }

  /** What differs from the wishes; `undefined` if the user does not have the name any longer. */
  private async parts(
    by: DirectoryCall,
    user: DirectoryUser,
    wishes: UserWishes,
  ): Promise<readonly Part[] | undefined> {
    by.call.omitRow();
    const suspension = await this.suspension(by, user, wishes);
    const renaming = await this.renamed(by, user, wishes);
    if (!suspension || !renaming) return undefined;
    return [...suspension, ...renaming, ...(await this.facts(by, user, wishes))];
  }

  /** @throws ApiError E0045R if an invitation is wanted and no page could register a key */
  ensureMayEnrol({ rp, origin }: DirectoryCall, { enrol }: UserWishes): void {
    const obstacle = enrol === true ? this.invitations.obstacle(rp, origin) : undefined;
    if (obstacle) throw scimError('invalidValue', obstacle);
  }

  /** @throws ApiError E0043R during a move for a key that does not cover both domains */
  ensureCoversMove({ rp, call }: DirectoryCall): void {
    ensureCoversMove(call.account, rp, this.relyingParties.current);
  }

  /** During a move, the other name at the other domain stays. */
  private async renamed(
    { rp, call }: DirectoryCall,
    user: DirectoryUser,
    { username, displayName }: UserWishes,
  ): Promise<readonly Part[] | undefined> {
    const wanted = {
      ...(username !== undefined && username !== user.username && { username }),
      ...(displayName !== undefined && displayName !== user.displayName && { displayName }),
    };
    if (Object.keys(wanted).length === 0) return [];
    const row = call.useRowPerChange();
    const audit = (one: NamedUser) =>
      row({
        ...atRelyingParty(one.relyingParty),
        action: 'user.rename',
        target: one.username,
        detail: {
          before: one.displayName,
          after: displayName ?? one.displayName,
          name: username ?? one.username,
        },
      });
    const prepared = await this.renaming.prepare(rp, user.username, wanted, audit, user);
    if (!prepared) return undefined;
    if (!prepared.change) throw nameTaken();
    return [{ ...prepared.change, after: wanted }];
  }

  /** The facts that differ. */
  private async facts(
    by: DirectoryCall,
    user: DirectoryUser,
    wishes: UserWishes,
  ): Promise<readonly Part[]> {
    const { rp, call } = by;
    const after = columnsAfter(user, wishes);
    if (isSameColumns(user, after)) return [];
    const row = call.useRowPerChange();
    const target = wishes.username ?? user.username;
    const audit = row({ ...atRelyingParty(rp), target, detail: detailOf(wishes) });
    const part = { audit: [audit], unit: [storingColumns(rp, user.id, after)], after };
    const isFirstOfDirectory = user.directoryJson === null;
    return isFirstOfDirectory ? [...(await this.takenOver(by, user, target)), part] : [part];
  }

  /**
   * What the first change by a directory does beside its own facts: the user becomes one of the directory, and loses the
   * groups that others gave.
   */
  private async takenOver(
    { rp, call }: DirectoryCall,
    { id }: DirectoryUser,
    username: string,
  ): Promise<readonly Part[]> {
    const lost = await this.groups.losingAll(rp, { id, username }, call.requestId);
    if (!lost) return [];
    const row = call.useRowPerChange();
    const facts = {
      ...atRelyingParty(rp),
      action: 'user.groups',
      ...groupsRow(lost.change),
    } as const;
    return [{ audit: [row(facts)], unit: lost.steps, after: {} }];
  }

  /** A user who is suspended already is locked out again. */
  private async suspension(
    { rp, call }: DirectoryCall,
    user: DirectoryUser,
    { active }: UserWishes,
  ): Promise<readonly Part[] | undefined> {
    const isSuspended = isSuspendedBy(user, 'directory');
    if (active === undefined || (active && !isSuspended)) return [];
    const change = directorySuspension(call, active);
    const prepared = await this.suspensions.prepare(rp, user.username, { known: user, ...change });
    if (!prepared) return undefined;
    const { suspendedBy, isChanged } = prepared.result;
    return isChanged ? [{ ...prepared, after: { suspendedBy } }] : [];
  }

  /** @throws ApiError E0052R if another call has changed the user since: the name may be somebody else's by now */
  private async invite({ rp, call, origin }: DirectoryCall, user: DirectoryUser): Promise<string> {
    const request = { username: user.username, ttl: MAX_INVITATION_TTL, minKeys: 1 };
    const issuer = call.account;
    const { url, unit, facts } = await this.invitations.prepare(rp, {
      ...request,
      issuer,
      origin,
      linking: 'none',
    });
    const guarded = [this.finder.asRead(rp, user), ...unit];
    if (await call.commit(guarded, { ...facts, action: 'invitation.issue' })) return url;
    throw new ApiError('E0052R', 'user.changing');
  }
}
