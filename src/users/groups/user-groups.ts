import { Injectable } from '@nestjs/common';
import type { AuditedCall } from '../../audit/audited.js';
import { ledgerStep } from '../../events/ledger.js';
import { Clock } from '../../platform/common/clock.js';
import { Database } from '../../platform/database/database.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { mapKey } from '../../platform/database/row-ids.js';
import { scope } from '../../platform/database/scope.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { ensureAsShown } from '../../platform/pages/form-base.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { CredentialReader } from '../credentials/credential-reader.js';
import { addingGroups } from './group-steps.js';
import { DROP_GROUPS, GROUPS_OF_USERS, LOCK_USER_OF_OWN_GROUPS } from './user-group.statements.js';

export interface NamedUserWithGroups {
  readonly id: Buffer;
  readonly username: string;
  /** Sorted byte by byte. */
  readonly groups: readonly string[];
  /** Whether only a directory may change them. */
  readonly isOfDirectory: boolean;
}

/** A call that changes groups: its audit row is stored with the change. */
interface GroupsCall extends Pick<AuditedCall, 'commit' | 'requestId'> {
  /** What the form showed (`baseOf`); absent for programs. */
  readonly base?: string | undefined;
}

/** How often a change is retried if the groups were changed between our read and our write. */
const TRIES = 5;

/** The groups of users. In a move the user has those of the new domain. */
@Injectable()
export class UserGroups {
  constructor(
    private readonly database: Database,
    private readonly reader: CredentialReader,
    private readonly clock: Clock,
  ) {}

  /** The user of a name with the groups; `undefined` if there is none. */
  async find(rp: RelyingParty, username: string): Promise<NamedUserWithGroups | undefined> {
    const user = await this.reader.findUser(rp, username);
    if (!user) return undefined;
    const groups = (await this.ofUsers(rp, [user.id])).get(mapKey(user.id)) ?? [];
    const { id, username: name, isOfDirectory } = user;
    return { id, username: name, groups, isOfDirectory };
  }

  /** The sorted groups of users by the users' IDs (`mapKey`); absent for users without groups. */
  async ofUsers(
    rp: RelyingParty,
    userIds: readonly Buffer[],
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    if (userIds.length === 0) return new Map();
    const rows = await this.database.query(GROUPS_OF_USERS, { ...scope(rp), userIds });
    const byUser = Map.groupBy(rows, ({ userId }) => mapKey(userId));
    return new Map(
      [...byUser].map(([id, itsRows]) => [id, sortedNames(itsRows.map(({ name }) => name))]),
    );
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
    { commit, requestId, base = '' }: GroupsCall,
  ) {
    const groups = normalized(wanted);
    for (let tries = 0; tries < TRIES; tries += 1) {
      const user = await this.find(rp, username);
      if (!user) return undefined;
      if (user.isOfDirectory) throw new ApiError('E0043R', 'groups.ofDirectory');
      ensureAsShown(base, { groups: user.groups }, { groups });
      const unit = this.replacing(rp, user, { groups, requestId });
      const detail = { before: user.groups.join(', '), after: groups.join(', ') };
      if (await commit(unit, { target: user.username, detail })) {
        return { username: user.username, groups };
      }
    }
    throw new ApiError('E0052R', 'user.changing');
  }

  private replacing(
    rp: RelyingParty,
    { id, username, groups: before }: NamedUserWithGroups,
    { groups, requestId }: { readonly groups: readonly string[]; readonly requestId: string },
  ): Step[] {
    const its = { ...scope(rp), userId: id };
    const names = before.map((name) => Buffer.from(name));
    return [
      LOCK_USER_OF_OWN_GROUPS.mustChange({ ...its, count: names.length }),
      ...(names.length > 0 ? [DROP_GROUPS.mustChange({ ...its, names }, names.length)] : []),
      ...addingGroups(rp, [{ id, groups }]),
      ledgerStep({
        kind: 'user-groups-changed',
        at: this.clock.now(),
        relyingParty: rp,
        user: { id, username },
        requestId,
        detail: groups.join(', '),
      }),
    ];
  }
}

const normalized = (names: readonly string[]): string[] =>
  sortedNames(names.map((name) => Buffer.from(normalizeName(name))));

const sortedNames = (names: readonly Buffer[]): string[] =>
  names.toSorted(Buffer.compare).map((name) => name.toString('utf8'));
