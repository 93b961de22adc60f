import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { FindOptionsWhere, Repository } from 'typeorm';
import { takeTurn, type Reader } from '../../platform/common/turns.js';
import { Database } from '../../platform/database/database.js';
import { scope } from '../../platform/database/scope.js';
import { NO_ID } from '../../platform/database/row-ids.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { problem } from '../../platform/errors/reasons.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { DirectoryGroup } from '../../users/groups/directory-group.entity.js';
import { attributeOf, CORE_GROUP } from '../protocol/attributes.js';
import { unsupportedFilter, type Comparison } from '../protocol/filter.js';
import { pageOf, type ResourcePage, type ScimListRequest } from '../protocol/list-request.js';
import { scimError } from '../protocol/scim-error.js';
import { rowIdOf } from '../protocol/values.js';
import { MEMBERS_AFTER } from './directory-group.statements.js';
import type { GroupWishes } from './group-document.js';

const MEMBERS_PER_STATEMENT = 1000;

/** Finds the groups of a directory and their members. */
@Injectable()
export class ScimGroupFinder {
  constructor(
    @InjectRepository(DirectoryGroup) private readonly groups: Repository<DirectoryGroup>,
    private readonly database: Database,
  ) {}

  /**
   * @param id as in the path
   * @throws ApiError E0044R if there is no such group
   */
  async get(rp: RelyingParty, id: string): Promise<DirectoryGroup> {
    const group = await this.byId(rp, id);
    if (!group) throw new ApiError('E0044R', 'scim.groupUnknown');
    return group;
  }

  /**
   * A page of the groups in the order of their creation, or the group that a filter names.
   *
   * @throws ApiError E0045R `invalidFilter`
   */
  async list(
    rp: RelyingParty,
    wanted: ScimListRequest,
    reader: Reader,
  ): Promise<ResourcePage<DirectoryGroup>> {
    const { filter, startIndex, count } = wanted;
    if (filter) return pageOf(await this.matching(rp, filter), wanted);
    return takeTurn(reader, async () => {
      const total = await this.groups.count({ where: scope(rp) });
      if (count === 0) return { rows: [], total };
      const order = { createdAt: 'ASC', id: 'ASC' } as const;
      const page = { skip: startIndex - 1, take: count };
      return { rows: await this.groups.find({ where: scope(rp), order, ...page }), total };
    });
  }

  /** @throws ApiError E0045R `uniqueness` if another group has the wanted name or ID */
  async ensureFree(
    rp: RelyingParty,
    { name, externalId }: GroupWishes,
    group?: DirectoryGroup,
  ): Promise<void> {
    const wanted: FindOptionsWhere<DirectoryGroup>[] = [
      ...(name !== undefined && name !== group?.name ? [{ name }] : []),
      ...(externalId ? [{ externalId: Buffer.from(externalId) }] : []),
    ];
    if (wanted.length === 0) return;
    const owners = await this.groups.findBy(wanted.map((one) => ({ ...scope(rp), ...one })));
    if (owners.some((owner) => !group?.id.equals(owner.id))) {
      throw scimError('uniqueness', problem('scim.groupTaken'));
    }
  }

  /** The group whose change of names has not reached all members of this name yet. */
  leaving(rp: RelyingParty, formerName: string): Promise<DirectoryGroup | null> {
    return this.groups.findOneBy({ ...scope(rp), formerName: Buffer.from(formerName) });
  }

  /** The next members of a name, by their IDs. */
  async membersAfter(
    rp: RelyingParty,
    name: string,
    { after = NO_ID, limit }: { readonly after?: Buffer | undefined; readonly limit: number },
  ): Promise<Buffer[]> {
    const params = { ...scope(rp), name: Buffer.from(name), after, limit };
    const rows = await this.database.query(MEMBERS_AFTER, params);
    return rows.map(({ userId }) => userId);
  }

  /** The IDs of all members. */
  async members(
    rp: RelyingParty,
    { name, formerName }: DirectoryGroup,
    reader: Reader,
  ): Promise<Buffer[]> {
    const ids: Buffer[] = [];
    for (const one of formerName ? [name, formerName.toString('utf8')] : [name]) {
      let page: readonly Buffer[];
      let after: Buffer | undefined;
      do {
        const rest = { after, limit: MEMBERS_PER_STATEMENT };
        page = await takeTurn(reader, () => this.membersAfter(rp, one, rest));
        ids.push(...page);
        after = page.at(-1);
      } while (page.length === MEMBERS_PER_STATEMENT);
    }
    return ids;
  }

  private async byId(rp: RelyingParty, text: string): Promise<DirectoryGroup | null> {
    const id = rowIdOf(text);
    return id ? this.groups.findOneBy({ ...scope(rp), id }) : null;
  }

  /** The group that all comparisons match. */
  private async matching(
    rp: RelyingParty,
    filter: readonly Comparison[],
  ): Promise<DirectoryGroup[]> {
    const wanted = filter.map(({ attribute, value }) => {
      const name = filterable(attribute);
      return { name, value: name === 'displayname' ? normalizeName(value) : value };
    });
    const [first] = wanted;
    const found = first && (await this.groups.findBy({ ...scope(rp), ...whereOf(first) }));
    return (found ?? []).filter((group) =>
      wanted.every(({ name, value }) => FILTERS[name](group) === value),
    );
  }
}

/** The attributes that filters compare; each names one group. */
const FILTERS = {
  id: ({ id }: DirectoryGroup) => id.toString('base64url'),
  displayname: ({ name }: DirectoryGroup) => name,
  externalid: ({ externalId }: DirectoryGroup) => externalId?.toString('utf8'),
};

type Filterable = keyof typeof FILTERS;

function filterable(text: string): Filterable {
  const { name, sub } = attributeOf(CORE_GROUP, text) ?? {};
  if (name === undefined || sub !== undefined || !Object.hasOwn(FILTERS, name)) {
    throw unsupportedFilter();
  }
  return name as Filterable;
}

function whereOf({
  name,
  value,
}: {
  readonly name: Filterable;
  readonly value: string;
}): FindOptionsWhere<DirectoryGroup> {
  if (name === 'displayname') return { name: value };
  const bytes = Buffer.from(value, name === 'id' ? 'base64url' : 'utf8');
  return name === 'id' ? { id: bytes } : { externalId: bytes };
}
