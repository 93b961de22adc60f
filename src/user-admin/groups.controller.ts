import { Body, Get, Put, Query, UseGuards } from '@nestjs/common';
import { Audited, CurrentCall, type AuditedCall } from '../audit/audited.js';
import { atRelyingParty } from '../audit/request-rows.js';
import { AllowHere } from '../platform/access/allow.js';
import { ApiError } from '../platform/errors/api-error.js';
import { PlainParametersGuard } from '../platform/http/body/parameters.guard.js';
import { JsonGuard } from '../platform/http/body/request-body.js';
import { ok, OkAnswer } from '../platform/http/ok.js';
import { ApiProperty } from '../platform/http/openapi/openapi.js';
import { Operation } from '../platform/http/openapi/operation.js';
import { IsKnownName } from '../platform/validation/decorators.js';
import { DtoPipe } from '../platform/validation/dto.pipe.js';
import {
  CurrentParties,
  type CallParties,
  ScopedController,
} from '../tenancy/scope/scope.interceptor.js';
import { MayNameRelyingParty } from '../tenancy/tenancy.validators.js';
import { IsGroups, MAX_GROUPS } from '../users/groups/group.validators.js';
import { UserGroups } from '../users/groups/user-groups.js';

/** Parameters of GET /userapi/users/groups. */
class GroupsQuery {
  @ApiProperty({ example: 'alice@example.com' })
  @IsKnownName()
  username!: string;

  @MayNameRelyingParty()
  relyingParty?: string;
}

/** Body of PUT /userapi/users/groups. */
class GroupsDto extends GroupsQuery {
  @ApiProperty({
    type: [String],
    maxItems: MAX_GROUPS,
    example: ['administrators'],
    description: 'names of 1 to 255 bytes; they replace the groups that the user has',
  })
  @IsGroups()
  groups!: string[];
}

class GroupsAnswer extends OkAnswer {
  @ApiProperty({ example: 'alice@example.com' })
  readonly username!: string;

  @ApiProperty({ example: 'localhost', description: 'domain of the relying party' })
  readonly relyingParty!: string;

  @ApiProperty({ type: [String], example: ['administrators'] })
  readonly groups!: readonly string[];

  @ApiProperty({ example: false, description: 'whether only a directory may change them' })
  readonly ofDirectory!: boolean;
}

@ScopedController('userapi/users/groups', { audience: 'help desk', permission: 'groups:change' })
export class GroupsController {
  constructor(private readonly groups: UserGroups) {}

  @Get()
  @AllowHere('users:read')
  @UseGuards(PlainParametersGuard)
  @Operation('getGroups', 'Shows the groups of a user', {
    answers: GroupsAnswer,
    refuses: ['E0044R'],
  })
  async show(
    @Query(DtoPipe) { username, relyingParty }: GroupsQuery,
    @CurrentParties() parties: CallParties,
  ): Promise<GroupsAnswer> {
    const rp = parties.named(relyingParty);
    const user = await this.groups.find(rp, username);
    if (!user) throw new ApiError('E0044R', 'user.unknown');
    const { username: name, groups, isOfDirectory: ofDirectory } = user;
    return ok({ username: name, relyingParty: rp.domain, groups, ofDirectory });
  }

  @Put()
  @Audited(
    ({ body }) => ({
      action: 'user.groups',
      relyingParty: body?.relyingParty,
      target: body?.username,
    }),
    { guards: [JsonGuard] },
  )
  @Operation('setGroups', 'Sets the groups of a user', {
    description:
      'They replace the groups that the user has. During a move, the groups at the new domain ' +
      'count.',
    answers: GroupsAnswer,
    refuses: ['E0025R', 'E0044R', 'E0045R'],
    sends: { username: 'alice@example.com', groups: ['administrators'] },
  })
  async replace(
    @Body(DtoPipe) { username, relyingParty, groups }: GroupsDto,
    @CurrentParties() parties: CallParties,
    @CurrentCall() call: AuditedCall,
  ): Promise<GroupsAnswer> {
    const rp = parties.named(relyingParty);
    call.about(atRelyingParty(rp));
    const changed = await this.groups.replace(rp, username, groups, call);
    if (!changed) throw new ApiError('E0044R', 'user.unknown');
    return ok({ ...changed, relyingParty: rp.domain, ofDirectory: false });
  }
}
