import { Injectable } from '@nestjs/common';
import type { AuditedCall } from '../../audit/audited.js';
import { ledgerStep, type LedgerEvent } from '../../events/ledger.js';
import { Clock } from '../../platform/common/clock.js';
import { Database } from '../../platform/database/database.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { OVERTAKEN, untilStored } from '../../platform/database/commit/until-stored.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { ensureAsShown } from '../../platform/pages/form-base.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { CredentialReader } from '../credentials/credential-reader.js';
import {
  addingGroups,
  droppingGroups,
  keepingGroups,
  lockingUsers,
  namesNotIn,
  regroupedUsersSteps,
} from './group-steps.js';
import { groupsOfUser, sortGroups } from './groups-of-users.js';

export interface NamedUserWithGroups {
  readonly id: Buffer;
  readonly username: string;
  /** Sorted byte by byte. */
  readonly groups: readonly string[];
  /** Whether only a directory may change them. */
  readonly isOfDirectory: boolean;
}

/** A change of one user's groups; both lists are sorted byte by byte. */
export interface GroupsChange {
  readonly id: Buffer;
  readonly username: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** A call that changes groups: its audit row is stored with the change. */
interface GroupsCall extends Pick<AuditedCall, 'commit' | 'requestId'> {
  /** The ID of the user whom the form showed; absent for programs, which change any user of the name. */
  readonly userId?: Buffer | undefined;
  /** What the form showed (`baseOf`); absent for programs. */
  readonly base?: string | undefined;
}

/** The groups of users. In a move the user has those of the successor. */
@Injectable()
export class UserGroups {
  constructor(
    private readonly database: Database,
    private readonly reader: CredentialReader,
    private readonly relyingParties: RelyingPartyCache,
    private readonly clock: Clock,
  ) {}

  /** The user of a name with the groups; `undefined` if there is none. */
  async find(rp: RelyingParty, username: string): Promise<NamedUserWithGroups | undefined> {
    const user = await this.reader.findUser(rp, username);
    if (!user) return undefined;
    const groups = await groupsOfUser(this.database, rp, user.id);
    const { id, username: name, isOfDirectory } = user;
    return { id, username: name, groups, isOfDirectory };
  }

  /**
   * Replaces the groups of a user.
   *
   * @param wanted names as `IsGroups` allows them
   * @returns the user's name and new groups, sorted; `undefined` if there is no such user
   * @throws ApiError E0043R if the groups are those of a directory; E0053R if they are not those of the base; E0052R if
   *   concurrent changes were faster each time
   */
  async replace(
    rp: RelyingParty,
    username: string,
    wanted: readonly string[],
    { commit, requestId, userId, base = '' }: GroupsCall,
  ) {
    const groups = sortGroups(wanted.map(normalizeName));
    return untilStored('user.changing', async () => {
      const user = await this.find(rp, username);
      if (!user || (userId && !userId.equals(user.id))) return undefined;
      if (user.isOfDirectory) throw new ApiError('E0043R', 'groups.ofDirectory');
      ensureAsShown(base, { groups: user.groups }, { groups });
      const change = { ...user, before: user.groups, after: groups };
      const unit = this.changing(rp, [change], { requestId, isOfDirectory: false });
      const isStored = await commit(unit, groupsRow(change));
      return isStored ? { username: user.username, groups } : OVERTAKEN;
    });
  }

  /**
   * The change with which a user loses all groups when a directory begins to manage the user, and its steps; `undefined`
   * for a user without groups.
   */
  async losingAll(
    rp: RelyingParty,
    { id, username }: Pick<GroupsChange, 'id' | 'username'>,
    requestId: string | undefined,
  ): Promise<{ readonly change: GroupsChange; readonly steps: Step[] } | undefined> {
    const before = await groupsOfUser(this.database, rp, id);
    if (before.length === 0) return undefined;
    const change = { id, username, before, after: [] };
    return { change, steps: this.changing(rp, [change], { requestId, isOfDirectory: false }) };
  }

  /**
   * The steps of each change of groups. Their unit fails if one of the users has another number of groups by now, or a
   * directory has begun or ceased to manage the user.
   *
   * @param isOfDirectory whether a directory changes the groups of its users: it names the groups to change. Elsewhere
   *   a list replaces the groups, so they must be those of `before`
   */
  changing(
    rp: RelyingParty,
    changes: readonly GroupsChange[],
    {
      requestId,
      isOfDirectory,
    }: { readonly requestId: string | undefined; readonly isOfDirectory: boolean },
  ): Step[] {
    const at = this.clock.now();
    const eventOf = ({ id, username, after }: GroupsChange): LedgerEvent => ({
      kind: 'user-groups-changed',
      at,
      relyingParty: rp,
      user: { id, username },
      ...(requestId !== undefined && { requestId }),
      detail: after.join(', '),
    });
    const real = changes.filter(
      ({ before, after }) =>
        namesNotIn(after, before).length + namesNotIn(before, after).length > 0,
    );
    return [
      ...lockingUsers(rp, changes, isOfDirectory),
      ...(isOfDirectory ? [] : keepingGroups(rp, changes)),
      ...droppingGroups(rp, changes),
      ...addingGroups(
        rp,
        changes.map(({ id, before, after }) => ({ id, groups: namesNotIn(after, before) })),
      ),
      ...regroupedUsersSteps(rp, this.relyingParties.current.predecessorOf(rp), changes),
      ...(real.length > 0 ? [ledgerStep(...real.map(eventOf))] : []),
    ];
  }
}

/** The facts of the audit row of a change. */
export const groupsRow = ({ username: target, before, after }: GroupsChange) => ({
  target,
  detail: { before: before.join(', '), after: after.join(', ') },
});
