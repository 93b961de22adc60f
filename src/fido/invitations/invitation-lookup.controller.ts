import { Body, Post, UseInterceptors } from '@nestjs/common';
import { UnknownNamesInterceptor } from '../../platform/access/unknown-names.interceptor.js';
import { Clock } from '../../platform/common/clock.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { problem, sentenceOf } from '../../platform/errors/reasons.js';
import { ok } from '../../platform/http/ok.js';
import { Operation } from '../../platform/http/openapi/operation.js';
import { FollowedInvitationAnswer } from '../../invitations/invitation.answer.js';
import { InvitationCodeDto } from '../../invitations/invitation.dto.js';
import { STATE_REASONS, invitationStateOf } from '../../invitations/invitation-state.js';
import { Invitations } from '../../invitations/invitations.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { OwnOrigin } from '../../platform/common/from-request.js';
import { isAppOrigin } from '../../tenancy/scope/app-origins.js';
import { CurrentRp } from '../../tenancy/scope/tenant.interceptor.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { FidoApi } from '../fido-api.js';

/** Whether a browser can open a listed origin: one of an app and a pattern such as `http://localhost:*` are no address. */
const isAddress = (origin: string): boolean => !isAppOrigin(origin) && !origin.includes('*');

/**
 * Returns the purpose and state of an invitation to its page, but not the user: anyone who finds the link must also
 * know the name, and has ten attempts.
 */
@UseInterceptors(UnknownNamesInterceptor)
@FidoApi('fidoapi/invitation')
export class InvitationLookupController {
  constructor(
    private readonly invitations: Invitations,
    private readonly clock: Clock,
  ) {}

  @Post()
  @Operation('readInvitation', 'Shows the purpose and the state of an invitation', {
    status: 200,
    description: 'For the page that a link leads to, before the user registers a key.',
    answers: FollowedInvitationAnswer,
    refuses: ['E0025R', 'E0040R', 'E0044R'],
  })
  async read(
    @CurrentRp() rp: RelyingParty,
    @Body(DtoPipe) dto: InvitationCodeDto,
    @OwnOrigin() own: string,
  ) {
    const found = await this.invitations.find(rp, dto.code);
    if (!found) throw new ApiError('E0044R', 'invitation.codeUnknown');
    const state = invitationStateOf(found, this.clock.now());
    const continueTo = rp.listedOrigins.find((origin) => isAddress(origin) && origin !== own);
    return ok({
      relyingParty: rp.domain,
      name: rp.name,
      state,
      advice: state === 'open' ? '' : sentenceOf(problem(STATE_REASONS[state])),
      minKeys: found.minKeys,
      keys: found.keysMade,
      expiresAt: new Date(found.expiresAt).toISOString(),
      ...(continueTo && { continueTo }),
    });
  }
}
