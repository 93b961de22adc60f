import { Body, HttpCode, Post } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { problem, sentenceOf } from '../../platform/errors/reasons.js';
import { ok, OkAnswer } from '../../platform/http/ok.js';
import { ApiProperty } from '../../platform/http/openapi/openapi.js';
import { Operation } from '../../platform/http/openapi/operation.js';
import {
  STATE_REASONS,
  invitationStateOf,
  INVITATION_STATES,
  type InvitationState,
} from '../../invitations/invitation-state.js';
import { Invitations } from '../../invitations/invitations.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { CurrentRp } from '../../tenancy/scope/tenant.interceptor.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { FidoApi } from '../fido-api.js';
import { IsString } from 'class-validator';
import { code } from '../../platform/validation/field-validator.js';

class FollowedInvitationAnswer extends OkAnswer {
  @ApiProperty({ example: 'localhost', description: 'domain of the relying party' })
  readonly relyingParty!: string;

  @ApiProperty({ example: 'Acme sign-in', description: 'name of the relying party' })
  readonly name!: string;

  @ApiProperty({
    enum: INVITATION_STATES,
    description: 'state of the invitation; only an open invitation can be used',
  })
  readonly state!: InvitationState;

  @ApiProperty({
    example: '',
    description: 'what the user can do if the invitation is not open; else empty',
  })
  readonly advice!: string;

  @ApiProperty({ example: 2, description: 'number of keys to register' })
  readonly minKeys!: number;

  @ApiProperty({ example: 0, description: 'number of keys registered so far' })
  readonly keys!: number;

  @ApiProperty({ format: 'date-time' })
  readonly expiresAt!: string;
}

/** Body of POST /fidoapi/invitation. */
class InvitationCodeDto {
  @ApiProperty({
    example: 'mJQ1nYkP0y8uGd4yQ2oZ7w',
    description: 'code from the link of the invitation',
  })
  @IsString(code('E0001R'))
  code!: string;
}

/**
 * Tells the page of an invitation its purpose and its state, but not the user: anyone who finds the link must also
 * know the name, and has ten attempts.
 */
@FidoApi('fidoapi/invitation')
export class InvitationLookupController {
  constructor(
    private readonly invitations: Invitations,
    private readonly clock: Clock,
  ) {}

  @Post()
  @HttpCode(200)
  @Operation('readInvitation', 'Shows the purpose and the state of an invitation', {
    answers: FollowedInvitationAnswer,
    refuses: ['E0025R', 'E0040R', 'E0044R'],
  })
  async read(@CurrentRp() rp: RelyingParty, @Body(DtoPipe) dto: InvitationCodeDto) {
    const found = await this.invitations.find(rp, dto.code);
    if (!found) throw new ApiError('E0044R', 'invitation.codeUnknown');
    const state = invitationStateOf(found, this.clock.now());
    return ok({
      relyingParty: rp.domain,
      name: rp.name,
      state,
      advice: state === 'open' ? '' : sentenceOf(problem(STATE_REASONS[state])),
      minKeys: found.minKeys,
      keys: found.keysMade,
      expiresAt: new Date(found.expiresAt).toISOString(),
    });
  }
}
