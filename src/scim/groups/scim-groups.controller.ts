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
import { readerOf } from '../../platform/access/limits/reader.js';
import type { Reader } from '../../platform/common/turns.js';
import { CurrentRequest } from '../../platform/common/from-request.js';
import { DryRunGuard } from '../../platform/http/body/parameters.guard.js';
import type { DirectoryGroup } from '../../users/groups/directory-group.entity.js';
import type { ScimMembers } from '../protocol/attributes.js';
import { listRequestOf, projectionOf } from '../protocol/list-request.js';
import { listResponse, type ResourceList, type ScimResource } from '../protocol/resource.js';
import { ScimAnswerInterceptor } from '../protocol/scim-answer.interceptor.js';
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
import { ScimGroupFinder } from './scim-group-finder.js';

/** The row of a refused call names the group by what was sent. */
const ofName = ({ body }: Request): AuditNote => ({
  action: 'group.create',
  target: (body as { readonly displayName?: string } | undefined)?.displayName,
});

/** Who reads the members; `undefined` if the request does not ask for them. */
function membersReaderOf(request: Request): Reader | undefined {
  const { attributes, excluded } = projectionOf(request.query);
  const isWanted = attributes?.has('members') ?? !excluded.has('members');
  return isWanted ? readerOf(request) : undefined;
}

/** The groups of a relying party that a directory makes (RFC 7643 §4.2, RFC 7644 §3). */
@Controller(`${SCIM_PATH}/Groups`)
@UseGuards(ScimGuard, DryRunGuard)
@UseInterceptors(ScimAnswerInterceptor)
export class ScimGroupsController {
  constructor(
    private readonly groups: ScimGroupFinder,
    private readonly changes: ScimGroupChanges,
  ) {}

  /** Members are in the answer to a filter: pages of groups could have millions. */
  @Get()
  async list(
    @CurrentPlace() place: ScimPlace,
    @CurrentRequest() request: Request,
  ): Promise<ResourceList> {
    const wanted = listRequestOf(request.query);
    const membersReader = wanted.filter && membersReaderOf(request);
    const { rows, total } = await this.groups.list(place.rp, wanted, readerOf(request));
    const resources: ScimResource[] = [];
    for (const group of rows) resources.push(await this.resource(place, group, membersReader));
    return listResponse(resources, { total, startIndex: wanted.startIndex });
  }

  @Get(':id')
  async get(
    @Param('id') id: string,
    @CurrentPlace() place: ScimPlace,
    @CurrentRequest() request: Request,
  ) {
    return this.resource(place, await this.groups.get(place.rp, id), membersReaderOf(request));
  }

  @Post()
  @Audited(ofName)
  async create(@CurrentDirectoryCall() by: DirectoryCall, @ScimBody() body: ScimMembers) {
    const group = await this.changes.create(by, parseGroup(body));
    return this.resource(by, group, membersReaderOf(by.call.request));
  }

  @Put(':id')
  @Audited('group.change', { target: 'id' })
  async replace(@CurrentResourceCall() by: ResourceCall, @ScimBody() body: ScimMembers) {
    await this.changes.change(by, parseGroup(body));
    return this.changed(by);
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
    return wantsGroup ? this.changed(by) : undefined;
  }

  @Delete(':id')
  @Audited('group.delete', { target: 'id' })
  remove(@CurrentResourceCall() by: ResourceCall): Promise<void> {
    return this.changes.remove(by);
  }

  private async changed(by: ResourceCall): Promise<ScimResource> {
    const group = await this.groups.get(by.rp, by.id);
    return this.resource(by, group, membersReaderOf(by.call.request));
  }

  private async resource(
    place: ScimPlace,
    group: DirectoryGroup,
    reader: Reader | undefined,
  ): Promise<ScimResource> {
    const members = reader && (await this.groups.members(place.rp, group, reader));
    return groupResource(place, group, members);
  }
}
