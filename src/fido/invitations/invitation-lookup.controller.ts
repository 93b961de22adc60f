import { Body, Controller, HttpCode, Post, UseGuards, UseInterceptors } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { problem, sentenceOf } from '../../platform/errors/reasons.js';
import { JsonGuard } from '../../platform/http/body/json-body.js';
import { ok } from '../../platform/http/ok.js';
import { ApiHeader } from '../../platform/http/openapi/openapi.js';
import { ForReader, Operation } from '../../platform/http/openapi/operation.js';
import { STATE_REASONS, stateOf } from '../../invitations/invitation-state.js';
import { Invitations } from '../../invitations/invitations.service.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { CurrentRp, TenantInterceptor } from '../../tenancy/scope/tenant.interceptor.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { AddressLimitGuard } from '../limits/address-limit.guard.js';
import { FollowedInvitationAnswer } from './invitation-lookup.answer.js';
import { InvitationCodeDto } from './invitation-lookup.dto.js';

/**
 * Tells the page of an invitation what it is for and what has become of it, but not whose it is: a finder of
 * the link must know the name, and has ten tries.
 */
@ForReader('integrator')
@ApiHeader({
  name: 'X-ServiceFido-RelyingParty',
  required: false,
  example: 'localhost',
  description: 'domain of the relying party; else --domain, else the Origin header decides',
})
@UseGuards(JsonGuard, AddressLimitGuard)
@UseInterceptors(TenantInterceptor)
@Controller('fidoapi/invitation')
export class InvitationLookupController {
  constructor(
    private readonly invitations: Invitations,
    private readonly clock: Clock,
  ) {}

  @Post()
  @HttpCode(200)
  @Operation('readInvitation', 'Says what an invitation is for and what has become of it', {
    answers: FollowedInvitationAnswer,
    refuses: ['E0025R', 'E0040R', 'E0044R'],
  })
  async read(@CurrentRp() rp: RelyingParty, @Body(DtoPipe) { code }: InvitationCodeDto) {
    const found = await this.invitations.find(rp, code);
    if (!found) throw new ApiError('E0044R', 'invitation.codeUnknown');
    const state = stateOf(found, this.clock.now());
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
