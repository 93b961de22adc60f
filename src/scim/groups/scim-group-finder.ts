import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type FindOptionsWhere, type Repository } from 'typeorm';
import { takeTurn, type Reader } from '../../platform/common/turns.js';
import { Database } from '../../platform/database/database.js';
import { scope } from '../../platform/database/scope.js';
import { NO_ID } from '../../platform/database/row-ids.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { problem } from '../../platform/errors/reasons.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { DirectoryGroup } from '../../users/groups/directory-group.entity.js';
import { decodeBase64Url } from '../../webauthn/base64url.js';
import { unsupportedFilter, type Comparison } from '../protocol/filter.js';
import type { ScimListRequest } from '../protocol/list-request.js';
import { scimError } from '../protocol/scim-error.js';
import { MEMBERS_AFTER } from './directory-group.statements.js';
import { filterableOfGroup, type GroupWishes } from './group-document.js';

const ID_BYTES = 16;
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
    { filter, startIndex, count }: ScimListRequest,
    reader: Reader,
  ): Promise<{ readonly groups: readonly DirectoryGroup[]; readonly total: number }> {
    if (filter) {
      const found = await this.matching(rp, filter);
      const page = found.slice(startIndex - 1, startIndex - 1 + count);
      return { groups: page, total: found.length };
    }
    return takeTurn(reader, async () => {
      const total = await this.groups.count({ where: scope(rp) });
      if (count === 0) return { groups: [], total };
      const order = { createdAt: 'ASC', id: 'ASC' } as const;
      const page = { skip: startIndex - 1, take: count };
      return { groups: await this.groups.find({ where: scope(rp), order, ...page }), total };
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
    const owners = await this.groups.find({
      where: wanted.map((one) => ({ ...scope(rp), ...one })),
    });
    if (owners.some((owner) => !group?.id.equals(owner.id))) {
      throw scimError('uniqueness', problem('scim.groupTaken'));
    }
  }

  /** The group whose change of names has not reached all members of this name yet. */
  async leaving(rp: RelyingParty, formerName: string): Promise<DirectoryGroup | undefined> {
    return (
      (await this.groups.findOne({
        where: { ...scope(rp), formerName: Buffer.from(formerName) },
      })) ?? undefined
    );
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

  private async byId(rp: RelyingParty, text: string): Promise<DirectoryGroup | undefined> {
    const id = decodeBase64Url(text);
    if (id?.length !== ID_BYTES) return undefined;
    const [group] = await this.groups.find({ where: { ...scope(rp), id: In([id]) } });
    return group;
  }

  /** The group that all comparisons match; one of them must name an ID or a name. */
  private async matching(
    rp: RelyingParty,
    filter: readonly Comparison[],
  ): Promise<DirectoryGroup[]> {
    const wanted = filter.map(({ attribute, value }) => {
      const name = filterableOfGroup(attribute);
      if (name === undefined) throw unsupportedFilter();
      return { name, value };
    });
    const where: FindOptionsWhere<DirectoryGroup>[] = wanted.flatMap(
      ({ name, value }): FindOptionsWhere<DirectoryGroup>[] => {
        if (name === 'displayname') return [{ ...scope(rp), name: normalizeName(value) }];
        if (name === 'externalid') return [{ ...scope(rp), externalId: Buffer.from(value) }];
        const id = decodeBase64Url(value);
        return id?.length === ID_BYTES ? [{ ...scope(rp), id }] : [];
      },
    );
    if (where.length < wanted.length) return [];
    const [first] = where;
    const found = first ? await this.groups.find({ where: first }) : [];
    return found.filter((group) =>
      wanted.every(({ name, value }) => {
        if (name === 'displayname') return group.name === normalizeName(value);
        if (name === 'externalid') return group.externalId?.equals(Buffer.from(value)) ?? false;
        return group.id.toString('base64url') === value;
      }),
    );
  }
}
