import {
  Controller,
  Delete,
  Get,
  Param,
  Patch,
  Post,
  Put,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import type { Request } from 'express';
import type { AuditNote } from '../../audit/request-rows.js';
import { Audited } from '../../audit/audited.js';
import { callerOf } from '../../platform/access/accounts/account.js';
import { ListReaders } from '../../platform/access/limits/concurrency-limit.js';
import { readerOf } from '../../platform/access/limits/current-reader.js';
import { CurrentRequest } from '../../platform/common/from-request.js';
import { problem } from '../../platform/errors/reasons.js';
import { DryRunGuard } from '../../platform/http/body/parameters.guard.js';
import type { DirectoryGroup } from '../../users/groups/directory-group.entity.js';
import type { ScimMembers } from '../protocol/attributes.js';
import { listRequestOf, projectionOf } from '../protocol/list-request.js';
import { listResponse, type ResourceList, type ScimResource } from '../protocol/resource.js';
import { ScimAnswerInterceptor } from '../protocol/scim-answer.interceptor.js';
import { scimError } from '../protocol/scim-error.js';
import {
  CurrentDirectoryCall,
  CurrentPlace,
  CurrentResourceCall,
  SCIM_PATH,
  ScimBody,
  ScimGuard,
  type DirectoryCall,
  type ResourceCall,
  type ScimPlace,
} from '../protocol/scim-request.js';
import { parseGroup, parseGroupPatch } from './group-document.js';
import { groupResource } from './group-resource.js';
import { ScimGroupChanges } from './scim-group-changes.js';
import { MEMBERS_PER_PART, ScimGroupFinder } from './scim-group-finder.js';

/** The row of a refused call names the group by what was sent. */
const ofName = ({ body }: Request): AuditNote => ({
  action: 'group.create',
  target: (body as { readonly displayName?: string } | undefined)?.displayName,
});

/** The maximum number of members in an answer: some megabytes. */
const MAX_MEMBERS = 100_000;

function wantsMembers({ query }: Request): boolean {
  const { attributes, excluded } = projectionOf(query);
  return attributes?.has('members') ?? !excluded.has('members');
}

/** The groups of a relying party that a directory makes (RFC 7643 §4.2, RFC 7644 §3). */
@Controller(`${SCIM_PATH}/Groups`)
@UseGuards(ScimGuard, DryRunGuard)
@UseInterceptors(ScimAnswerInterceptor)
export class ScimGroupsController {
  constructor(
    private readonly groups: ScimGroupFinder,
    private readonly changes: ScimGroupChanges,
    private readonly readers: ListReaders,
  ) {}

  /** Members are in the answer to a filter: pages of groups could have millions. */
  @Get()
  async list(
    @CurrentPlace() place: ScimPlace,
    @CurrentRequest() request: Request,
  ): Promise<ResourceList> {
    const wanted = listRequestOf(request.query);
    const { rows, total } = await this.groups.list(place.rp, wanted, readerOf(request));
    const resources: ScimResource[] = [];
    for (const group of rows) {
      resources.push(
        wanted.filter ? await this.read(place, group, request) : groupResource(place, group),
      );
    }
    return listResponse(resources, { total, startIndex: wanted.startIndex });
  }

  @Get(':id')
  async get(
    @Param('id') id: string,
    @CurrentPlace() place: ScimPlace,
    @CurrentRequest() request: Request,
  ) {
    return this.read(place, await this.groups.get(place.rp, id), request);
  }

  @Post()
  @Audited(ofName)
  async create(@CurrentDirectoryCall() by: DirectoryCall, @ScimBody() body: ScimMembers) {
    return this.changed(by, await this.changes.create(by, parseGroup(body)));
  }

  @Put(':id')
  @Audited('group.change', { target: 'id' })
  async replace(@CurrentResourceCall() by: ResourceCall, @ScimBody() body: ScimMembers) {
    await this.changes.change(by, parseGroup(body));
    return this.changed(by, await this.groups.get(by.rp, by.id));
  }

  /**
   * Reads and answers no members, of which a group can have many, unless the request asks for them; answers with the
   * group only if it names attributes (RFC 7644 §3.5.2).
   */
  @Patch(':id')
  @Audited('group.change', { target: 'id' })
  async patch(@CurrentResourceCall() by: ResourceCall, @ScimBody() body: ScimMembers) {
    await this.changes.change(by, parseGroupPatch(body));
    const wantsGroup = projectionOf(by.call.request.query).attributes !== undefined;
    return wantsGroup ? this.changed(by, await this.groups.get(by.rp, by.id)) : undefined;
  }

  @Delete(':id')
  @Audited('group.delete', { target: 'id' })
  remove(@CurrentResourceCall() by: ResourceCall): Promise<void> {
    return this.changes.remove(by);
  }

  /**
   * @throws ApiError E0045R `tooMany` for more than `MAX_MEMBERS`; E0040R if the account reads the members of too many
   *   groups at a time
   */
  private async read(
    place: ScimPlace,
    group: DirectoryGroup,
    request: Request,
  ): Promise<ScimResource> {
    if (!wantsMembers(request)) return groupResource(place, group);
    const members: Buffer[] = [];
    let isLarge = false;
    for await (const part of this.groups.membersInTurn(place.rp, group, readerOf(request))) {
      members.push(...part);
      if (members.length > MAX_MEMBERS) {
        throw scimError('tooMany', problem('scim.membersTooMany', { most: MAX_MEMBERS }));
      }
      if (isLarge || members.length < MEMBERS_PER_PART) continue;
      isLarge = true;
      const { res } = request;
      if (res && !res.closed) res.once('close', this.readers.begin(callerOf(request)));
    }
    return groupResource(place, group, members);
  }

  /** The change is stored, so its answer is not refused: that of a large group has no members. */
  private async changed(by: DirectoryCall, group: DirectoryGroup): Promise<ScimResource> {
    const { request } = by.call;
    if (!wantsMembers(request)) return groupResource(by, group);
    const members: Buffer[] = [];
    for await (const part of this.groups.membersInTurn(by.rp, group, readerOf(request))) {
      members.push(...part);
      if (members.length > MEMBERS_PER_PART) return groupResource(by, group);
    }
    return groupResource(by, group, members);
  }
}
