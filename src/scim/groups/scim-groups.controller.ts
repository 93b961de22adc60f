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
import { Audited, CurrentCall, type AuditedCall } from '../../audit/audited.js';
import { readerOf } from '../../platform/access/limits/reader.js';
import type { Reader } from '../../platform/common/turns.js';
import { CurrentRequest } from '../../platform/common/from-request.js';
import { IfMatch } from '../../platform/http/versions.js';
import { DryRunGuard } from '../../platform/http/body/parameters.guard.js';
import type { DirectoryGroup } from '../../users/groups/directory-group.entity.js';
import { listRequestOf, projectionOf } from '../protocol/list-request.js';
import { listResponse, type ResourceList, type ScimResource } from '../protocol/resource.js';
import { ScimAnswerInterceptor } from '../protocol/scim-answer.interceptor.js';
import {
  CurrentPlace,
  SCIM_PATH,
  ScimBody,
  ScimGuard,
  type ScimPlace,
} from '../protocol/scim-request.js';
import { parseGroup, parseGroupPatch } from './group-document.js';
import { groupResource } from './group-resource.js';
import { ScimGroupChanges } from './scim-group-changes.js';
import { ScimGroupDeletion } from './scim-group-deletion.js';
import { ScimGroupFinder } from './scim-group-finder.js';

/** The row of a refused call names the group by what was sent. */
const ofName = ({ body }: Request): AuditNote => ({
  action: 'group.create',
  target: (body as { readonly displayName?: string } | undefined)?.displayName,
});
const ofId = ({ params }: Request): AuditNote => ({
  action: 'group.change',
  target: String(params['id']),
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
    private readonly deletion: ScimGroupDeletion,
  ) {}

  /** Members are in the answer to a filter: pages of groups could have millions. */
  @Get()
  async list(
    @CurrentPlace() place: ScimPlace,
    @CurrentRequest() request: Request,
  ): Promise<ResourceList> {
    const wanted = listRequestOf(request.query);
    const membersReader = membersReaderOf(request);
    const { groups, total } = await this.groups.list(place.rp, wanted, readerOf(request));
    const resources: ScimResource[] = [];
    for (const group of groups) {
      resources.push(await this.resource(place, group, wanted.filter && membersReader));
    }
    return listResponse(resources, { total, startIndex: wanted.startIndex });
  }

  @Get(':id')
  async get(
    @Param('id') id: string,
    @CurrentPlace() place: ScimPlace,
    @CurrentRequest() request: Request,
  ) {
    const reader = membersReaderOf(request);
    return this.resource(place, await this.groups.get(place.rp, id), reader);
  }

  @Post()
  @Audited(ofName)
  async create(
    @ScimBody() body: ReadonlyMap<string, unknown>,
    @CurrentPlace() place: ScimPlace,
    @CurrentCall() call: AuditedCall,
  ) {
    const reader = membersReaderOf(call.request);
    const group = await this.changes.create({ ...place, call }, parseGroup(body));
    return this.resource(place, group, reader);
  }

  @Put(':id')
  @Audited(ofId)
  async replace(
    @Param('id') id: string,
    @ScimBody() body: ReadonlyMap<string, unknown>,
    @IfMatch() expected: readonly string[] | undefined,
    @CurrentPlace() place: ScimPlace,
    @CurrentCall() call: AuditedCall,
  ) {
    const reader = membersReaderOf(call.request);
    await this.changes.change({ ...place, call }, id, parseGroup(body), expected);
    return this.resource(place, await this.groups.get(place.rp, id), reader);
  }

  /**
   * Reads and answers no members, of which a group can have many, unless the request asks for them; answers with the
   * group only if it names attributes (RFC 7644 §3.5.2).
   */
  @Patch(':id')
  @Audited(ofId)
  async patch(
    @Param('id') id: string,
    @ScimBody() body: ReadonlyMap<string, unknown>,
    @IfMatch() expected: readonly string[] | undefined,
    @CurrentPlace() place: ScimPlace,
    @CurrentCall() call: AuditedCall,
  ) {
    const reader = membersReaderOf(call.request);
    await this.changes.change({ ...place, call }, id, parseGroupPatch(body), expected);
    const wantsGroup = projectionOf(call.request.query).attributes !== undefined;
    if (!wantsGroup) return undefined;
    return this.resource(place, await this.groups.get(place.rp, id), reader);
  }

  @Delete(':id')
  @Audited(({ params }) => ({ action: 'group.delete', target: String(params['id']) }))
  async remove(
    @Param('id') id: string,
    @IfMatch() expected: readonly string[] | undefined,
    @CurrentPlace() place: ScimPlace,
    @CurrentCall() call: AuditedCall,
  ): Promise<void> {
    await this.deletion.remove({ ...place, call }, id, expected);
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
