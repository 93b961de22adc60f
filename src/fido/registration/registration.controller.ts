import { Body, Post, Session, UseInterceptors } from '@nestjs/common';
import type { Request } from 'express';
import { ok } from '../../platform/http/ok.js';
import { ApiSecurity } from '../../platform/http/openapi/openapi.js';
import { Operation } from '../../platform/http/openapi/operation.js';
import { CurrentRequest } from '../../platform/common/from-request.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { CurrentRp } from '../../tenancy/scope/tenant.interceptor.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { CurrentCaller } from '../limits/fido-caller.guard.js';
import { GivesUp, PendingCeremony } from '../ceremonies/ceremony.interceptor.js';
import type { Pending, PendingRegistration } from '../ceremonies/ceremony.js';
import { FidoCalls, GIVEN_UP, RATE_LIMIT_HEADERS, SESSION_HEADERS } from '../fido-api.js';
import { authorizationWarnings } from '../ceremonies/authorization.guard.js';
import { beginAnswer, beginCallerOf, type CookieSession } from '../ceremonies/caller-session.js';
import { REGISTRATION_REFUSALS } from '../refusals/failure-codes.js';
import { CeremonyTally } from '../tally/ceremony-tally.js';
import { GivenUpDto } from '../tally/given-up.dto.js';
import { CompletesRepeatableRegistration } from '../idempotency/idempotency.interceptor.js';
import { AuditInvitation, invitedKeyRow } from '../invitations/audit-invitation.interceptor.js';
import { RateLimits, type Caller } from '../limits/rate-limits.js';
import { CreationOptionsAnswer, RegistrationAnswer } from './registration.answer.js';
import { BeginRegistrationDto, RegistrationResultDto } from './registration.dto.js';
import { RegistrationOptions } from './registration-options.js';
import { RegistrationService } from './registration.service.js';

/** The two calls of a registration with their aliases, and the report of a prompt that ended without a key. */
@FidoCalls()
export class RegistrationController {
  constructor(
    private readonly limits: RateLimits,
    private readonly options: RegistrationOptions,
    private readonly registration: RegistrationService,
    private readonly tally: CeremonyTally,
  ) {}

  @Post(['certify/attestation/options', 'register/begin'])
  @UseInterceptors(AuditInvitation)
  @ApiSecurity({})
  @Operation('beginRegistration', 'Begins a registration', {
    status: 200,
    description:
      'Returns the options for `navigator.credentials.create()`. The challenge is valid for ' +
      'one result call of the same session, or of the same application key with `ceremony`.',
    answers: CreationOptionsAnswer,
    refuses: ['E0039R', 'E0040R', 'E0043R'],
    headers: SESSION_HEADERS,
    headersOfAll: RATE_LIMIT_HEADERS,
  })
  async beginRegistration(
    @CurrentRp() rp: RelyingParty,
    @CurrentCaller() caller: Caller,
    @Session() session: CookieSession,
    @Body(DtoPipe) dto: BeginRegistrationDto,
    @CurrentRequest() request: Request,
  ) {
    this.limits.countUser(caller, rp, dto.username);
    const beginCaller = beginCallerOf(request, caller, session);
    const options = await this.options.begin(rp, dto, beginCaller);
    this.tally.registrationBegun(rp, caller, dto);
    return beginAnswer(session, beginCaller.session, options, authorizationWarnings(request));
  }

  @Post(['certify/attestation/result', 'register/complete'])
  @CompletesRepeatableRegistration()
  @Operation('completeRegistration', 'Completes a registration', {
    description:
      'Takes what the browser returned, verifies it by WebAuthn L3 §7.1 and stores the key. ' +
      'After any outcome, the next attempt needs a new begin call; a repeat with the same ' +
      '`Idempotency-Key` does not.',
    answers: RegistrationAnswer,
    refuses: REGISTRATION_REFUSALS,
    headersOfAll: RATE_LIMIT_HEADERS,
  })
  async completeRegistration(
    @CurrentRp() rp: RelyingParty,
    @CurrentCaller() caller: Caller,
    @PendingCeremony() pending: PendingRegistration,
    @Body(DtoPipe) dto: RegistrationResultDto,
    @CurrentRequest() request: Request,
  ) {
    this.limits.countUser(caller, rp, pending.username);
    const answer = await this.registration.complete(rp, pending, dto, {
      caller,
      keepAnswer: request.keepAnswer,
      audit: invitedKeyRow(request),
    });
    this.tally.finished(rp, caller, pending, answer.aaguid);
    return answer;
  }

  @Post('register/given-up')
  @GivesUp('registration')
  @Operation(
    'giveUpRegistration',
    'Reports that the prompt of a registration gave no key',
    GIVEN_UP,
  )
  giveUp(
    @CurrentRp() rp: RelyingParty,
    @CurrentCaller() caller: Caller,
    @PendingCeremony() pending: Pending,
    @Body(DtoPipe) dto: GivenUpDto,
  ) {
    this.tally.givenUp(rp, caller, pending, dto);
    return ok({});
  }
}
