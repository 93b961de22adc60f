import { Injectable } from '@nestjs/common';
import { takeTurn, type Reader } from '../../platform/common/turns/read-turns.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { Database } from '../../platform/database/database.js';
import { NO_ID, mapKey } from '../../platform/database/row-ids.js';
import { scope } from '../../platform/database/scope.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { problem } from '../../platform/errors/reasons.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { nameKey } from '../../tenancy/usernames/name-key.js';
import { CredentialReader } from '../../users/credentials/credential-reader.js';
import { attributeOf, CORE_USER } from '../protocol/attributes.js';
import { unsupportedFilter, type Comparison } from '../protocol/filter.js';
import { pageOf, type ResourcePage, type ScimListRequest } from '../protocol/list-request.js';
import { scimError } from '../protocol/scim-error.js';
import { rowIdOf } from '../protocol/values.js';
import {
  DIRECTORY_GROUPS_OF_USER,
  DIRECTORY_GROUPS_OF_USERS,
  type GroupOfUserRow,
} from '../groups/directory-group.statements.js';
import { externalIdOf, managerOf, type DirectoryUser } from './directory-facts.js';
import {
  COUNT_USERS_OF,
  DIRECTORY_USER,
  DIRECTORY_USERS,
  ID_OF_EXTERNAL_ID,
  LOCK_USER_AS_READ,
  USER_IDS_FROM,
  type DirectoryUserRow,
} from './scim-user.statements.js';
import type { UserWishes } from './user-document.js';

@Injectable()
export class ScimUserFinder {
  constructor(
    private readonly database: Database,
    private readonly reader: CredentialReader,
  ) {}

  /**
   * @param id as in the path
   * @throws ApiError E0044R if there is no such user
   */
  async get(rp: RelyingParty, id: string): Promise<DirectoryUser> {
    const params = { ...scope(rp), id: rowIdOf(id) ?? NO_ID };
    const [rows, groups] = await Promise.all([
      this.database.query(DIRECTORY_USER, params),
      this.database.query(DIRECTORY_GROUPS_OF_USER, params),
    ]);
    const [user] = usersOf(rows, groups);
    if (!user) throw new ApiError('E0044R', 'user.unknown');
    return user;
  }

  /**
   * A page of the users in the order of their creation, or the user whom a filter names.
   *
   * @throws ApiError E0045R `invalidFilter`
   */
  async list(
    rp: RelyingParty,
    wanted: ScimListRequest,
    reader: Reader,
  ): Promise<ResourcePage<DirectoryUser>> {
    const { filter, startIndex, count } = wanted;
    if (filter) return pageOf(await this.matching(rp, filter), wanted);
    return takeTurn(reader, async () => {
      const [row] = await this.database.query(COUNT_USERS_OF, { relyingPartyId: rp.id });
      const page = { relyingPartyId: rp.id, limit: count, skip: startIndex - 1 };
      const ids = count === 0 ? [] : await this.database.query(USER_IDS_FROM, page);
      const users = await this.ofIds(
        rp,
        ids.map(({ id }) => id),
      );
      return { rows: users, total: Number(row?.n ?? 0) };
    });
  }

  /** The condition that a user is as it was read. */
  asRead(rp: RelyingParty, { username, ...user }: DirectoryUser): Step {
    const params = { ...scope(rp), ...user, username: Buffer.from(username) };
    return LOCK_USER_AS_READ[this.database.kind].mustChange(params);
  }

  /** @throws ApiError E0045R `uniqueness` if another user has the wanted name or ID */
  async ensureFree(
    rp: RelyingParty,
    { username, externalId }: UserWishes,
    user: DirectoryUser | undefined,
  ): Promise<void> {
    const isNewName = username !== undefined && username !== user?.username;
    const named = isNewName ? await this.reader.findUser(rp, username) : undefined;
    if (named && !user?.id.equals(named.id)) throw nameTaken();
    const isNewId = externalId && (!user || externalId !== externalIdOf(user));
    const owner = isNewId ? await this.idOfExternalId(rp, externalId) : undefined;
    if (owner && !user?.id.equals(owner)) throw externalIdTaken();
  }

  /** The users with these IDs, in the order of the IDs. */
  private async ofIds(rp: RelyingParty, ids: readonly Buffer[]): Promise<DirectoryUser[]> {
    if (ids.length === 0) return [];
    const params = { ...scope(rp), ids };
    const [rows, groups] = await Promise.all([
      this.database.query(DIRECTORY_USERS, params),
      this.database.query(DIRECTORY_GROUPS_OF_USERS, params),
    ]);
    const byId = new Map(usersOf(rows, groups).map((user) => [mapKey(user.id), user]));
    return ids.flatMap((id) => byId.get(mapKey(id)) ?? []);
  }

  private async idOfExternalId(rp: RelyingParty, externalId: string): Promise<Buffer | undefined> {
    const params = { ...scope(rp), externalId: Buffer.from(externalId) };
    const [row] = await this.database.query(ID_OF_EXTERNAL_ID, params);
    return row?.id;
  }

  /** The users whom all comparisons match: one at most, since one of them must name an ID or a user name. */
  private async matching(
    rp: RelyingParty,
    filter: readonly Comparison[],
  ): Promise<DirectoryUser[]> {
    const wanted = new Map(filter.map(({ attribute, value }) => [filterable(attribute), value]));
    const [id, username, externalId] = (['id', 'username', 'externalid'] as const).map((name) =>
      wanted.get(name),
    );
    let found: Buffer | undefined;
    if (id !== undefined) found = rowIdOf(id);
    else if (externalId !== undefined) found = await this.idOfExternalId(rp, externalId);
    else if (username !== undefined) found = (await this.reader.findUser(rp, username))?.id;
    else throw unsupportedFilter();
    const users = found ? await this.ofIds(rp, [found]) : [];
    return users.filter((user) =>
      filter.every(({ attribute, value }) => {
        const name = filterable(attribute);
        if (name === 'username') return nameKey(rp, user.username) === nameKey(rp, value);
        return FILTERS[name](user).toLowerCase() === value.toLowerCase();
      }),
    );
  }
}

function usersOf(
  rows: readonly DirectoryUserRow[],
  groups: readonly GroupOfUserRow[],
): DirectoryUser[] {
  const inOrder = groups.toSorted((one, other) => Buffer.compare(one.id, other.id));
  const byUser = Map.groupBy(inOrder, ({ userId }) => mapKey(userId));
  return rows.map((row) => ({
    ...row,
    username: row.username.toString('utf8'),
    // Others may have given a user groups of the same names.
    groups: row.directoryJson === null ? [] : (byUser.get(mapKey(row.id)) ?? []),
  }));
}

/** The attributes that filters compare besides the user name; case counts only where a value is an ID. */
const FILTERS = {
  id: ({ id }: DirectoryUser) => id.toString('base64url'),
  username: ({ username }: DirectoryUser) => username,
  externalid: (user: DirectoryUser) => externalIdOf(user) ?? '',
  displayname: ({ displayName }: DirectoryUser) => displayName,
  manager: (user: DirectoryUser) => managerOf(user) ?? '',
};

function filterable(text: string): keyof typeof FILTERS {
  const { name = '', sub = 'value' } = attributeOf(CORE_USER, text) ?? {};
  if (sub === 'value' && Object.hasOwn(FILTERS, name)) return name as keyof typeof FILTERS;
  // Entra names the enterprise extension's attribute without its URN.
  if (/^manager(?:\.value)?$/i.test(text)) return 'manager';
  throw unsupportedFilter();
}

export const nameTaken = () => scimError('uniqueness', problem('user.nameTaken'));
const externalIdTaken = () => scimError('uniqueness', problem('scim.externalIdTaken'));
