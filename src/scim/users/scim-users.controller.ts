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
import { readerOf } from '../../platform/access/limits/current-reader.js';
import { CurrentRequest } from '../../platform/common/from-request.js';
import { DryRunGuard } from '../../platform/http/body/parameters.guard.js';
import type { ScimMembers } from '../protocol/attributes.js';
import { listRequestOf } from '../protocol/list-request.js';
import { listResponse, type ResourceList } from '../protocol/resource.js';
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
import { ScimUserChanges, type UserAfterChange } from './scim-user-changes.js';
import { ScimUserCreation } from './scim-user-creation.js';
import { ScimUserDeletion } from './scim-user-deletion.js';
import { ScimUserFinder } from './scim-user-finder.js';
import { parseUser, parseUserPatch } from './user-document.js';
import { userResource } from './user-resource.js';

/** The row of a refused call names the user by what was sent. */
const ofName = ({ body }: Request): AuditNote => ({
  action: 'user.create',
  target: (body as { readonly userName?: string } | undefined)?.userName,
});

/** The users of a relying party (RFC 7643 §4.1, RFC 7644 §3). */
@Controller(`${SCIM_PATH}/Users`)
@UseGuards(ScimGuard, DryRunGuard)
@UseInterceptors(ScimAnswerInterceptor)
export class ScimUsersController {
  constructor(
    private readonly users: ScimUserFinder,
    private readonly creation: ScimUserCreation,
    private readonly changes: ScimUserChanges,
    private readonly deletion: ScimUserDeletion,
  ) {}

  @Get()
  async list(
    @CurrentPlace() place: ScimPlace,
    @CurrentRequest() request: Request,
  ): Promise<ResourceList> {
    const wanted = listRequestOf(request.query);
    const { rows, total } = await this.users.list(place.rp, wanted, readerOf(request));
    const resources = rows.map((user) => userResource(place, user));
    return listResponse(resources, { total, startIndex: wanted.startIndex });
  }

  @Get(':id')
  async get(@Param('id') id: string, @CurrentPlace() place: ScimPlace) {
    return userResource(place, await this.users.get(place.rp, id));
  }

  @Post()
  @Audited(ofName)
  async create(@CurrentDirectoryCall() by: DirectoryCall, @ScimBody() body: ScimMembers) {
    return answerOf(by, await this.creation.create(by, parseUser(body)));
  }

  @Put(':id')
  @Audited('user.change', { target: 'id' })
  async replace(@CurrentResourceCall() by: ResourceCall, @ScimBody() body: ScimMembers) {
    return answerOf(by, await this.changes.change(by, parseUser(body)));
  }

  @Patch(':id')
  @Audited('user.change', { target: 'id' })
  async patch(@CurrentResourceCall() by: ResourceCall, @ScimBody() body: ScimMembers) {
    return answerOf(by, await this.changes.change(by, parseUserPatch(body)));
  }

  @Delete(':id')
  @Audited('user.delete', { target: 'id' })
  remove(@CurrentResourceCall() by: ResourceCall): Promise<void> {
    return this.deletion.remove(by);
  }
}

const answerOf = (place: ScimPlace, { user, enrolmentUrl }: UserAfterChange) =>
  userResource(place, user, enrolmentUrl);
