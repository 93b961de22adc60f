import { Injectable } from '@nestjs/common';
import { splitIntoParts } from '../../platform/common/split-into-parts.js';
import { Database } from '../../platform/database/database.js';
import { mapKey } from '../../platform/database/row-ids.js';
import { scope } from '../../platform/database/scope.js';
import { problem } from '../../platform/errors/reasons.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { MAX_GROUPS } from '../../users/groups/group.validators.js';
import { groupsOfUsers, sortGroups } from '../../users/groups/groups-of-users.js';
import type { GroupsChange } from '../../users/groups/user-groups.js';
import { scimError } from '../protocol/scim-error.js';
import { DIRECTORY_USERS } from '../users/scim-user.statements.js';
import { noSuchMember, type MemberChange } from './group-document.js';

/** Few enough not to delay sign-ins. */
export const MEMBERS_PER_UNIT = 256;

/** A user with the groups, sorted byte by byte. */
interface PossibleMember extends Omit<GroupsChange, 'after'> {
  readonly isOfDirectory: boolean;
}

/** The name of a group before a change and after it. */
export interface GroupNames {
  readonly from: string;
  readonly to: string;
}

@Injectable()
export class GroupMembers {
  constructor(private readonly database: Database) {}

  /** The users of the relying party among these. */
  async find(rp: RelyingParty, ids: readonly Buffer[]): Promise<PossibleMember[]> {
    if (ids.length === 0) return [];
    const [users, groups] = await Promise.all([
      this.database.query(DIRECTORY_USERS, { ...scope(rp), ids }),
      groupsOfUsers(this.database, rp, ids),
    ]);
    return users.map(({ id, username, directoryJson }) => ({
      id,
      username: username.toString('utf8'),
      before: groups.get(mapKey(id)) ?? [],
      isOfDirectory: directoryJson !== null,
    }));
  }

  /**
   * The users with these IDs, once all of them may become members of a group.
   *
   * @throws ApiError as `ensureMayJoin`
   */
  async joining(rp: RelyingParty, name: string, ids: readonly Buffer[]): Promise<PossibleMember[]> {
    const users: PossibleMember[] = [];
    for (const part of splitIntoParts(ids, MEMBERS_PER_UNIT)) {
      const found = await this.find(rp, part);
      ensureMayJoin(name, part, found);
      users.push(...found);
    }
    return users;
  }
}

/**
 * Checks that users may become members of a group.
 *
 * @param users those who were found among them
 * @throws ApiError E0045R `invalidValue`
 */
export function ensureMayJoin(
  name: string,
  ids: Iterable<Buffer>,
  users: readonly PossibleMember[],
): void {
  const found = new Map(users.map((user) => [mapKey(user.id), user]));
  for (const bytes of ids) {
    const user = found.get(mapKey(bytes));
    const id = bytes.toString('base64url');
    if (!user) throw noSuchMember(id);
    if (!user.isOfDirectory)
      throw scimError('invalidValue', problem('scim.memberElsewhere', { id }));
    if (user.before.length >= MAX_GROUPS && !user.before.includes(name)) {
      throw scimError('invalidValue', problem('scim.memberOfMany', { id, most: MAX_GROUPS }));
    }
  }
}

/**
 * The changes of users of the directory whose groups differ afterwards. A user who has the new name already is a member
 * too: another call may be giving it to all members at the same time.
 */
export const groupsChanges = (
  users: readonly PossibleMember[],
  { from, to }: GroupNames,
  { add, remove }: MemberChange,
): GroupsChange[] =>
  users.flatMap(({ isOfDirectory, ...user }) => {
    const { before } = user;
    const key = mapKey(user.id);
    const hasName = before.includes(from) || before.includes(to);
    const isMember = add.has(key) || (hasName && !remove.has(key));
    const others = before.filter((name) => name !== from && name !== to);
    const after = sortGroups(isMember ? [...others, to] : others);
    const isSame = after.length === before.length && after.every((name, n) => name === before[n]);
    return isOfDirectory && !isSame ? [{ ...user, after }] : [];
  });
