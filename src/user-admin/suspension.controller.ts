import { Body, Post } from '@nestjs/common';
import { IsBoolean, ValidateIf } from 'class-validator';
import { Audited, CurrentCall, type AuditedCall } from '../audit/audited.js';
import { atRelyingParty } from '../audit/request-rows.js';
import { ApiError } from '../platform/errors/api-error.js';
import { JsonGuard } from '../platform/http/body/request-body.js';
import { ok, OkAnswer } from '../platform/http/ok.js';
import { ApiProperty, ApiPropertyOptional } from '../platform/http/openapi/openapi.js';
import { Operation } from '../platform/http/openapi/operation.js';
import { IsKnownName, IsReason } from '../platform/validation/decorators.js';
import { DtoPipe } from '../platform/validation/dto.pipe.js';
import { isPresent } from '../platform/validation/field-validator.js';
import {
  CurrentParties,
  type CallParties,
  ScopedController,
} from '../tenancy/scope/scope.interceptor.js';
import { ensureCoversMove } from '../tenancy/scope/visible-tenants.js';
import { RelyingPartyCache } from '../tenancy/scope/relying-party-cache.js';
import {
  SIDE_NAMES,
  suspendingSides,
  type SuspendingSide,
} from '../users/suspension/suspension.js';
import { MayNameRelyingParty } from '../tenancy/tenancy.validators.js';
import { Suspensions } from '../users/suspension/suspensions.js';
import { EndedAnswer } from './manage-users/manage-users.answer.js';

/** Body of POST /userapi/users/suspension. */
class SuspensionDto {
  @ApiProperty({ example: 'alice@example.com' })
  @IsKnownName()
  username!: string;

  @MayNameRelyingParty()
  relyingParty?: string;

  @ApiProperty({ example: true, description: 'whether the user is suspended from now on' })
  @IsBoolean()
  suspended!: boolean;

  @ApiPropertyOptional({ example: 'on leave', description: 'shown on the user’s page' })
  @ValidateIf(isPresent)
  @IsReason()
  reason?: string;
}

class SuspensionAnswer extends OkAnswer {
  @ApiProperty({ example: 'alice@example.com' })
  readonly username!: string;

  @ApiProperty({ example: 'localhost', description: 'domain of the relying party' })
  readonly relyingParty!: string;

  @ApiProperty({
    enum: SIDE_NAMES,
    isArray: true,
    example: ['helpDesk'],
    description:
      'who suspends the user after the call; a call ends only the suspension of the help desk, not that of a directory',
  })
  readonly suspendedBy!: readonly SuspendingSide[];

  @ApiProperty({ description: 'whether the call changed anything' })
  readonly changed!: boolean;

  @ApiPropertyOptional({ type: EndedAnswer, description: 'only where `suspended` is true' })
  readonly ended?: EndedAnswer;
}

@ScopedController('userapi/users/suspension', {
  audience: 'help desk',
  permission: 'users:suspend',
})
export class SuspensionController {
  constructor(
    private readonly suspensions: Suspensions,
    private readonly relyingParties: RelyingPartyCache,
  ) {}

  @Post()
  @Audited(
    ({ body }) => ({
      action: body?.suspended === false ? 'user.unsuspend' : 'user.suspend',
      relyingParty: body?.relyingParty,
      target: body?.username,
    }),
    { guards: [JsonGuard] },
  )
  @Operation('suspendUser', 'Suspends a user, or ends the suspension by the help desk', {
    status: 200,
    description:
      'A suspended user can neither sign in nor register keys; the keys stay unchanged. During a ' +
      'move, the call acts at both domains.',
    answers: SuspensionAnswer,
    refuses: ['E0025R', 'E0044R', 'E0045R', 'E0052R'],
    sends: { username: 'alice@example.com', suspended: true, reason: 'on leave' },
  })
  async change(
    @Body(DtoPipe) { username, relyingParty, suspended, reason: given }: SuspensionDto,
    @CurrentParties() parties: CallParties,
    @CurrentCall() call: AuditedCall,
  ): Promise<SuspensionAnswer> {
    const rp = parties.named(relyingParty);
    call.about(atRelyingParty(rp));
    ensureCoversMove(parties.account, rp, this.relyingParties.current);
    const reason = given?.trim();
    const by = { account: parties.account.name, ...(reason && { reason }) };
    const result = await this.suspensions.byHelpDesk(rp, username, { suspended, by, call });
    if (!result) throw new ApiError('E0044R', 'user.unknown');
    const { user, isChanged: changed, ended, ...state } = result;
    return ok({
      username: user.username,
      relyingParty: rp.domain,
      suspendedBy: suspendingSides(state),
      changed,
      ...(suspended && { ended }),
    });
  }
}
