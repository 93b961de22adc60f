import {
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Patch,
  Post,
  Put,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import type { Request } from 'express';
import type { AuditNote } from '../../audit/audit-trail.js';
import { Audited, CurrentCall, type AuditedCall } from '../../audit/audited.js';
import { CurrentReader } from '../../platform/access/limits/reader.js';
import type { Reader } from '../../platform/common/turns.js';
import { ListRequest, type ScimListRequest } from '../protocol/list-request.js';
import { ensureVersion, listResponse, type ResourceList } from '../protocol/resource.js';
import { ScimAnswerInterceptor } from '../protocol/scim-answer.interceptor.js';
import {
  CurrentPlace,
  ExpectedVersions,
  SCIM_PATH,
  ScimBody,
  ScimGuard,
  type ScimPlace,
} from '../protocol/scim-request.js';
import { ScimUserChanges } from './scim-user-changes.js';
import { ScimUserCreation } from './scim-user-creation.js';
import { ScimUserDeletion } from './scim-user-deletion.js';
import { ScimUserFinder } from './scim-user-finder.js';
import { parseUser, parseUserPatch, type UserWishes } from './user-document.js';
import { changedUserResource, userResource } from './user-resource.js';

/** The row of a refused call names the user by what was sent. */
const ofName = ({ body }: Request): AuditNote => ({
  action: 'user.create',
  target: (body as { readonly userName?: string } | undefined)?.userName,
});
const ofId = ({ params }: Request): AuditNote => ({
  action: 'user.change',
  target: String(params['id']),
});

/** The users of a relying party (RFC 7643 §4.1, RFC 7644 §3). */
@Controller(`${SCIM_PATH}/Users`)
@UseGuards(ScimGuard)
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
    @ListRequest() request: ScimListRequest,
    @CurrentPlace() place: ScimPlace,
    @CurrentReader() reader: Reader,
  ): Promise<ResourceList> {
    const { users, total } = await this.users.list(place.rp, request, reader);
    const resources = users.map((user) => userResource(place, user));
    return listResponse(resources, { total, startIndex: request.startIndex });
  }

  @Get(':id')
  async get(@Param('id') id: string, @CurrentPlace() place: ScimPlace) {
    return userResource(place, await this.users.get(place.rp, id));
  }

  @Post()
  @Audited(ofName)
  async create(
    @ScimBody() body: ReadonlyMap<string, unknown>,
    @CurrentPlace() place: ScimPlace,
    @CurrentCall() call: AuditedCall,
  ) {
    return changedUserResource(
      place,
      await this.creation.create({ ...place, call }, parseUser(body)),
    );
  }

  @Put(':id')
  @Audited(ofId)
  replace(
    @Param('id') id: string,
    @ScimBody() body: ReadonlyMap<string, unknown>,
    @ExpectedVersions() expected: readonly string[] | undefined,
    @CurrentPlace() place: ScimPlace,
    @CurrentCall() call: AuditedCall,
  ) {
    return this.change({ ...place, call, id, expected }, parseUser(body));
  }

  @Patch(':id')
  @Audited(ofId)
  patch(
    @Param('id') id: string,
    @ScimBody() body: ReadonlyMap<string, unknown>,
    @ExpectedVersions() expected: readonly string[] | undefined,
    @CurrentPlace() place: ScimPlace,
    @CurrentCall() call: AuditedCall,
  ) {
    return this.change({ ...place, call, id, expected }, parseUserPatch(body));
  }

  @Delete(':id')
  @HttpCode(204)
  @Audited(({ params }) => ({ action: 'user.delete', target: String(params['id']) }))
  async remove(
    @Param('id') id: string,
    @ExpectedVersions() expected: readonly string[] | undefined,
    @CurrentPlace() place: ScimPlace,
    @CurrentCall() call: AuditedCall,
  ): Promise<void> {
    const user = await this.users.get(place.rp, id);
    ensureVersion(expected, userResource(place, user));
    await this.deletion.remove({ ...place, call }, user);
  }

  private async change({ id, expected, ...by }: ScimChange, wishes: UserWishes) {
    const user = await this.users.get(by.rp, id);
    ensureVersion(expected, userResource(by, user));
    // A change that finds everything as wished leaves no row.
    by.call.omitRow();
    return changedUserResource(by, await this.changes.change(by, user, wishes));
  }
}

interface ScimChange extends ScimPlace {
  readonly id: string;
  readonly expected: readonly string[] | undefined;
  readonly call: AuditedCall;
}
