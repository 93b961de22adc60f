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
import { ApiError } from '../../platform/errors/api-error.js';
import { CurrentRequest } from '../../platform/common/from-request.js';
import { IfMatch } from '../../platform/http/versions.js';
import { DryRunGuard } from '../../platform/http/body/parameters.guard.js';
import type { User } from '../../users/user.entity.js';
import { listRequestOf } from '../protocol/list-request.js';
import { listResponse, type ResourceList, type ScimResource } from '../protocol/resource.js';
import { ScimAnswerInterceptor } from '../protocol/scim-answer.interceptor.js';
import {
  CurrentPlace,
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
import { withEnrolmentUrl } from './user-resource.js';

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
    const { users, total } = await this.users.list(place.rp, wanted, readerOf(request));
    const resources = await this.users.resources(place, users);
    return listResponse(resources, { total, startIndex: wanted.startIndex });
  }

  @Get(':id')
  async get(@Param('id') id: string, @CurrentPlace() place: ScimPlace) {
    return this.resource(place, await this.users.get(place.rp, id));
  }

  @Post()
  @Audited(ofName)
  async create(
    @ScimBody() body: ReadonlyMap<string, unknown>,
    @CurrentPlace() place: ScimPlace,
    @CurrentCall() call: AuditedCall,
  ) {
    const { user, enrolmentUrl } = await this.creation.create({ ...place, call }, parseUser(body));
    return withEnrolmentUrl(await this.resource(place, user), enrolmentUrl);
  }

  @Put(':id')
  @Audited(ofId)
  replace(
    @Param('id') id: string,
    @ScimBody() body: ReadonlyMap<string, unknown>,
    @IfMatch() expected: readonly string[] | undefined,
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
    @IfMatch() expected: readonly string[] | undefined,
    @CurrentPlace() place: ScimPlace,
    @CurrentCall() call: AuditedCall,
  ) {
    return this.change({ ...place, call, id, expected }, parseUserPatch(body));
  }

  @Delete(':id')
  @Audited(({ params }) => ({ action: 'user.delete', target: String(params['id']) }))
  async remove(
    @Param('id') id: string,
    @IfMatch() expected: readonly string[] | undefined,
    @CurrentPlace() place: ScimPlace,
    @CurrentCall() call: AuditedCall,
  ): Promise<void> {
    await this.deletion.remove({ ...place, call }, id, expected);
  }

  private async change({ id, expected, ...by }: ScimChange, wishes: UserWishes) {
    const { user, enrolmentUrl } = await this.changes.change(by, id, wishes, expected);
    return withEnrolmentUrl(await this.resource(by, user), enrolmentUrl);
  }

  private async resource(place: ScimPlace, user: User): Promise<ScimResource> {
    const [resource] = await this.users.resources(place, [user]);
    if (!resource) throw new ApiError('E0044R', 'user.unknown');
    return resource;
  }
}

interface ScimChange extends ScimPlace {
  readonly id: string;
  readonly expected: readonly string[] | undefined;
  readonly call: AuditedCall;
}
