import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { atRelyingParty } from '../../audit/at-relying-party.js';
import type { AuditedCall } from '../../audit/audited.js';
import { InvitationIssue } from '../../invitations/invitation-issue.js';
import { MAX_INVITATION_TTL } from '../../invitations/invitation.dto.js';
import { updateStep } from '../../platform/database/commit/step-of.js';
import { scope } from '../../platform/database/scope.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { ensureCovers } from '../../tenancy/scope/visible-tenants.js';
import { Moves } from '../../users/moves/moves.js';
import { isSuspendedBy } from '../../users/suspension/suspension.js';
import { Suspensions } from '../../users/suspension/suspensions.js';
import { UserRenaming } from '../../users/user-renaming.js';
import { User } from '../../users/user.entity.js';
import { scimError } from '../protocol/scim-error.js';
import type { ScimPlace } from '../protocol/scim-request.js';
import { columnsAfter, detailOf, isSameColumns } from './directory-facts.js';
import { nameTaken, ScimUserFinder } from './scim-user-finder.js';
import type { UserWishes } from './user-document.js';

/** How often a change is retried if others rename the user between our read and our write. */
const TRIES = 5;

/** A call of a directory. The links of invitations lead to the origin of the request. */
export interface DirectoryCall extends ScimPlace {
  readonly call: AuditedCall;
}

/** A user after a change, and the link of an invitation that the change issued. */
export interface UserAfterChange {
  readonly user: User;
  readonly enrolmentUrl: string | undefined;
}

/** Changes users for a directory, by the same services and in the same units as the help desk. */
@Injectable()
export class ScimUserChanges {
  constructor(
    @InjectRepository(User) private readonly users: Repository<User>,
    private readonly finder: ScimUserFinder,
    private readonly moves: Moves,
    private readonly renaming: UserRenaming,
    private readonly suspensions: Suspensions,
    private readonly invitations: InvitationIssue,
  ) {}

  /**
   * Changes a user as a directory wishes; what is as it wishes already leaves no row in the audit trail. A suspension
   * comes first, so that a change that stops half-way leaves no leaver active.
   *
   * @throws ApiError E0045R `uniqueness`; E0044R if the user was deleted; E0043R during a move as `create`; E0052R if
   *   concurrent changes were faster each time
   */
  async change(by: DirectoryCall, user: User, wishes: UserWishes): Promise<UserAfterChange> {
    const { rp } = by;
    this.ensureCoversMove(by);
    this.ensureMayEnrol(by, wishes);
    await this.finder.ensureFree(rp, wishes, user);
    if (wishes.active === false) await this.suspend(by, user, wishes);
    await this.rename(by, user, wishes);
    await this.store(by, user, wishes);
    return this.complete(by, user.id, wishes);
  }

  /** What follows the change of names and facts: the wanted suspension, and an invitation unless the user is suspended. */
  async complete(by: DirectoryCall, id: Buffer, wishes: UserWishes): Promise<UserAfterChange> {
    const named = await this.finder.get(by.rp, id.toString('base64url'));
    const isChanged = await this.suspend(by, named, wishes);
    const user = isChanged ? await this.finder.get(by.rp, id.toString('base64url')) : named;
    const isInvited = wishes.enrol === true && user.suspendedBy === null;
    const enrolmentUrl = isInvited ? await this.invite(by, user) : undefined;
    return { user, enrolmentUrl };
  }

  /** @throws ApiError E0045R if an invitation is wanted and no page could register a key */
  ensureMayEnrol({ rp, origin }: DirectoryCall, { enrol }: UserWishes): void {
    const obstacle = enrol === true ? this.invitations.obstacle(rp, origin) : undefined;
    if (obstacle) throw scimError('invalidValue', obstacle);
  }

  /** @throws ApiError E0043R during a move for a key that does not cover both domains */
  ensureCoversMove({ rp, call }: DirectoryCall): void {
    const other = this.moves.otherDomainOf(rp);
    if (other) ensureCovers(call.account, rp, other);
  }

  /** Changes the names that differ. During a move, the other name at the other domain stays. */
  private async rename(
    { rp, call }: DirectoryCall,
    found: User,
    { username, displayName }: UserWishes,
  ): Promise<void> {
    await this.byCurrentName(rp, found, async (user) => {
      const wanted = {
        ...(username !== undefined && username !== user.username && { username }),
        ...(displayName !== undefined && displayName !== user.displayName && { displayName }),
      };
      if (Object.keys(wanted).length === 0) return user;
      const row = call.eachRow();
      const renamed = await this.renaming.change(
        rp,
        user.username,
        wanted,
        (one) =>
          row({
            ...atRelyingParty(one.relyingParty),
            action: 'user.rename',
            target: one.username,
            detail: {
              before: one.displayName,
              after: displayName ?? one.displayName,
              name: username ?? one.username,
            },
          }),
        user.id,
      );
      if (renamed?.outcome === 'taken') throw nameTaken();
      return renamed;
    });
  }

  /** Stores the facts that differ. The first change by a directory makes the user one of the directory. */
  private async store({ rp, call }: DirectoryCall, user: User, wishes: UserWishes): Promise<void> {
    const after = columnsAfter(user, wishes);
    if (isSameColumns(user, after)) return;
    const target = wishes.username ?? user.username;
    const facts = { ...atRelyingParty(rp), target, detail: detailOf(wishes) };
    const { id } = user;
    const step = updateStep(this.users, { ...scope(rp), id }, after, true);
    if (await call.commit([step], facts)) return;
    await this.finder.ensureFree(rp, wishes, user);
    await this.finder.get(rp, id.toString('base64url'));
    throw new ApiError('E0052R', 'user.changing');
  }

  /** @returns whether anything changed: a user who is suspended already is locked out again */
  private async suspend(
    { rp, call }: DirectoryCall,
    found: User,
    { active }: UserWishes,
  ): Promise<boolean> {
    const isSuspended = isSuspendedBy(found, 'directory');
    if (active === undefined || (active && !isSuspended)) return false;
    const row = call.eachRow();
    const { isChanged } = await this.byCurrentName(rp, found, ({ id, username }) =>
      this.suspensions.change(rp, username, {
        id,
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
      }),
    );
    return isChanged;
  }

  /**
   * Changes a user by name. While the name leads to nobody or to somebody else, the user was renamed and is read again.
   *
   * @param change resolves to `undefined` if the user does not have the name
   */
  private async byCurrentName<T>(
    rp: DirectoryCall['rp'],
    found: User,
    change: (user: User) => Promise<T | undefined>,
  ): Promise<T> {
    let user = found;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const result = await change(user);
      if (result !== undefined) return result;
      user = await this.finder.get(rp, user.id.toString('base64url'));
    }
    throw new ApiError('E0052R', 'user.changing');
  }

  private async invite({ rp, call, origin }: DirectoryCall, user: User): Promise<string> {
    const request = { username: user.username, ttl: MAX_INVITATION_TTL, minKeys: 1 };
    const issuer = call.account;
    const { url, unit, facts } = await this.invitations.prepare(rp, {
      ...request,
      issuer,
      origin,
      linking: 'none',
    });
    if (await call.commit(unit, { ...facts, action: 'invitation.issue' })) return url;
    throw new ApiError('E0052R', 'user.changing');
  }
}
