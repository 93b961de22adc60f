import { Body, Controller, HttpCode, Post, UseGuards, UseInterceptors } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { ApiError } from '../../errors/api-error.js';
import { JsonGuard } from '../../http/json-body.js';
import { ok } from '../../http/ok.js';
import { ApiHeader } from '../../http/openapi.js';
import { ForReader, Operation } from '../../http/operation.js';
import { STATE_SENTENCES, stateOf } from '../../invitations/invitation-state.js';
import { Invitations } from '../../invitations/invitations.service.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { CurrentRp, TenantInterceptor } from '../../tenancy/tenant.interceptor.js';
import { DtoPipe } from '../../validation/dto.pipe.js';
import { AddressLimitGuard } from '../address-limit.guard.js';
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
    if (!found) throw new ApiError('E0044R', 'No invitation has this code here.');
    const state = stateOf(found, this.clock.now());
    return ok({
      relyingParty: rp.domain,
      name: rp.name,
      state,
      advice: state === 'open' ? '' : STATE_SENTENCES[state],
      minKeys: found.minKeys,
      keys: found.keysMade,
      expiresAt: new Date(found.expiresAt).toISOString(),
    });
  }
}
