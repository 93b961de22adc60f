import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { FindOptionsWhere, Repository } from 'typeorm';
import { eachInTurn, takeTurn, type Reader } from '../../platform/common/turns/read-turns.js';
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

export const MEMBERS_PER_PART = 1000;

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
    const group = await this.groups.findOneBy({ ...scope(rp), id: rowIdOf(id) ?? NO_ID });
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

  /** The next members of a name, in the order of their IDs. */
  async membersAfter(
    rp: RelyingParty,
    name: string,
    { after = NO_ID, limit }: { readonly after?: Buffer | undefined; readonly limit: number },
  ): Promise<Buffer[]> {
    const params = { ...scope(rp), name: Buffer.from(name), after, limit };
    const rows = await this.database.query(MEMBERS_AFTER, params);
    return rows.map(({ userId }) => userId);
  }

  /** All members of a name in parts of up to `limit`, each read when it is needed. */
  async *memberParts(rp: RelyingParty, name: string, limit: number): AsyncGenerator<Buffer[]> {
    let after: Buffer | undefined;
    do {
      const ids = await this.membersAfter(rp, name, { after, limit });
      yield ids;
      after = ids.length === limit ? ids.at(-1) : undefined;
    } while (after);
  }

  /** All members of a group in parts of up to `MEMBERS_PER_PART`. */
  async *membersInTurn(
    rp: RelyingParty,
    { name, formerName }: DirectoryGroup,
    reader: Reader,
  ): AsyncGenerator<Buffer[], void> {
    for (const one of formerName ? [name, formerName.toString('utf8')] : [name]) {
      yield* eachInTurn(reader, this.memberParts(rp, one, MEMBERS_PER_PART));
    }
  }

  /** The group that all comparisons match. */
  private async matching(
    rp: RelyingParty,
    filter: readonly Comparison[],
  ): Promise<DirectoryGroup[]> {
    const wheres = filter.map(whereOf);
    // Stored as UTF-8, half a surrogate pair would be another text.
    if (!filter.every(({ value }) => value.isWellFormed())) return [];
    const reads = wheres.map((where) => this.groups.findOneBy({ ...scope(rp), ...where }));
    const groups = await Promise.all(reads);
    const [first] = groups;
    return first && groups.every((group) => group?.id.equals(first.id)) ? [first] : [];
  }
}

/**
 * Each attribute that filters compare names one group.
 *
 * @throws ApiError E0045R `invalidFilter` for another one
 */
function whereOf({ attribute, value }: Comparison): FindOptionsWhere<DirectoryGroup> {
  const { name, sub } = attributeOf(CORE_GROUP, attribute) ?? {};
  if (sub !== undefined) throw unsupportedFilter();
  if (name === 'id') return { id: rowIdOf(value) ?? NO_ID };
  if (name === 'displayname') return { name: normalizeName(value) };
  if (name === 'externalid') return { externalId: Buffer.from(value) };
  throw unsupportedFilter();
}
