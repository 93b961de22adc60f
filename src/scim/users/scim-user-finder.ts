import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type Repository } from 'typeorm';
import { takeTurn, type Reader } from '../../platform/common/turns.js';
import { updateStep } from '../../platform/database/commit/step-of.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { Database } from '../../platform/database/database.js';
import { mapKey } from '../../platform/database/row-ids.js';
import { scope } from '../../platform/database/scope.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { problem } from '../../platform/errors/reasons.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { nameKey } from '../../tenancy/usernames/name-key.js';
import { CredentialReader } from '../../users/credentials/credential-reader.js';
import { User } from '../../users/user.entity.js';
import { decodeBase64Url } from '../../webauthn/base64url.js';
import { attributeOf, CORE_USER } from '../protocol/attributes.js';
import { unsupportedFilter, type Comparison } from '../protocol/filter.js';
import type { ScimListRequest } from '../protocol/list-request.js';
import { ensureVersion, type ScimResource } from '../protocol/resource.js';
import { scimError } from '../protocol/scim-error.js';
import type { ScimPlace } from '../protocol/scim-request.js';
import { DIRECTORY_GROUPS_OF_USERS } from '../groups/directory-group.statements.js';
import { externalIdOf, managerOf, type DirectoryColumns } from './directory-facts.js';
import { COUNT_USERS_OF, LOCK_USER_AS_READ, USER_IDS_FROM } from './scim-user.statements.js';
import type { UserWishes } from './user-document.js';
import { userResource } from './user-resource.js';

const ID_BYTES = 16;

interface FoundPage {
  readonly users: readonly User[];
  readonly total: number;
}

/** Finds the users of a relying party for a directory. */
@Injectable()
export class ScimUserFinder {
  constructor(
    @InjectRepository(User) private readonly users: Repository<User>,
    private readonly database: Database,
    private readonly reader: CredentialReader,
  ) {}

  /**
   * @param id as in the path
   * @throws ApiError E0044R if there is no such user
   */
  async get(rp: RelyingParty, id: string): Promise<User> {
    const user = await this.byId(rp, id);
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
    { filter, startIndex, count }: ScimListRequest,
    reader: Reader,
  ): Promise<FoundPage> {
    if (filter) {
      const users = await this.matching(rp, filter);
      const page = users.slice(startIndex - 1, startIndex - 1 + count);
      return { users: page, total: users.length };
    }
    return takeTurn(reader, async () => {
      const [row] = await this.database.query(COUNT_USERS_OF, { relyingPartyId: rp.id });
      const total = Number(row?.n ?? 0);
      const page = { relyingPartyId: rp.id, limit: count, skip: startIndex - 1 };
      const ids = count === 0 ? [] : await this.database.query(USER_IDS_FROM, page);
      return {
        total,
        users: await this.ofIds(
          rp,
          ids.map(({ id }) => id),
        ),
      };
    });
  }

  /** Users as SCIM shows them. */
  async resources(place: ScimPlace, users: readonly User[]): Promise<ScimResource[]> {
    const userIds = users.filter(({ directoryJson }) => directoryJson !== null).map(({ id }) => id);
    const params = { ...scope(place.rp), userIds };
    const rows =
      userIds.length > 0 ? await this.database.query(DIRECTORY_GROUPS_OF_USERS, params) : [];
    const groups = rows
      .map(({ userId, id, name }) => ({ user: mapKey(userId), id, name: name.toString('utf8') }))
      .sort((one, other) => Buffer.compare(one.id, other.id));
    const byUser = Map.groupBy(groups, ({ user }) => user);
    return users.map((user) => userResource(place, user, byUser.get(mapKey(user.id)) ?? []));
  }

  /** @throws ApiError E0053R if the user has none of the versions that a request expects, if it does */
  async ensureVersion(
    place: ScimPlace,
    user: User,
    expected: readonly string[] | undefined,
  ): Promise<void> {
    if (expected === undefined) return;
    for (const resource of await this.resources(place, [user])) ensureVersion(expected, resource);
  }

  /** The condition that a user is as it was read. */
  asRead(rp: RelyingParty, { id, username, ...user }: User): Step {
    const { displayName, suspendedBy, externalId, directoryJson } = user;
    const shown = { displayName, suspendedBy, externalId, directoryJson };
    const params = { ...scope(rp), id, username: Buffer.from(username), ...shown };
    return LOCK_USER_AS_READ[this.database.kind].mustChange(params);
  }

  /** The step that stores a user's columns; unique keys decide whether another user has the ID. */
  storing(rp: RelyingParty, id: Buffer, columns: DirectoryColumns): Step {
    return updateStep(this.users, { ...scope(rp), id }, columns, true);
  }

  /** @throws ApiError E0045R `uniqueness` if another user has the wanted name or ID */
  async ensureFree(
    rp: RelyingParty,
    { username, externalId }: UserWishes,
    user: User | undefined,
  ): Promise<void> {
    const isNewName = username !== undefined && username !== user?.username;
    const named = isNewName ? await this.reader.findUser(rp, username) : undefined;
    if (named && !user?.id.equals(named.id)) throw nameTaken();
    const isNewId = externalId && (!user || externalId !== externalIdOf(user));
    const owner = isNewId ? await this.byExternalId(rp, externalId) : undefined;
    if (owner && !user?.id.equals(owner.id)) throw externalIdTaken();
  }

  private async byId(rp: RelyingParty, id: string): Promise<User | undefined> {
    const bytes = decodeBase64Url(id);
    return bytes?.length === ID_BYTES ? (await this.ofIds(rp, [bytes]))[0] : undefined;
  }

  /** In the order of the IDs. */
  private async ofIds(rp: RelyingParty, ids: readonly Buffer[]): Promise<User[]> {
    if (ids.length === 0) return [];
    const rows = await this.users.find({ where: { ...scope(rp), id: In([...ids]) } });
    const byId = new Map(rows.map((user) => [mapKey(user.id), user]));
    return ids.flatMap((id) => byId.get(mapKey(id)) ?? []);
  }

  private async byName(rp: RelyingParty, username: string): Promise<User | undefined> {
    const found = await this.reader.findUser(rp, username);
    return found && (await this.ofIds(rp, [found.id]))[0];
  }

  private async byExternalId(rp: RelyingParty, externalId: string): Promise<User | undefined> {
    const where = { ...scope(rp), externalId: Buffer.from(externalId) };
    return (await this.users.findOne({ where })) ?? undefined;
  }

  /** The users whom all comparisons match: one at most, since one of them must name an ID or a user name. */
  private async matching(rp: RelyingParty, filter: readonly Comparison[]): Promise<User[]> {
    const wanted = new Map(filter.map(({ attribute, value }) => [filterable(attribute), value]));
    const [id, username, externalId] = (['id', 'username', 'externalid'] as const).map((name) =>
      wanted.get(name),
    );
    let found: User | undefined;
    if (id !== undefined) found = await this.byId(rp, id);
    else if (externalId !== undefined) found = await this.byExternalId(rp, externalId);
    else if (username !== undefined) found = await this.byName(rp, username);
    else throw unsupportedFilter();
    if (!found) return [];
    const user = found;
    const matches = filter.every(({ attribute, value }) => {
      const name = filterable(attribute);
      if (name === 'username') return nameKey(rp, user.username) === nameKey(rp, value);
      return FILTERS[name](user).toLowerCase() === value.toLowerCase();
    });
    return matches ? [user] : [];
  }
}

/** The attributes that filters compare besides the user name; case counts only where a value is an ID. */
const FILTERS = {
  id: ({ id }: User) => id.toString('base64url'),
  username: ({ username }: User) => username,
  externalid: (user: User) => externalIdOf(user) ?? '',
  displayname: ({ displayName }: User) => displayName,
  manager: (user: User) => managerOf(user) ?? '',
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
