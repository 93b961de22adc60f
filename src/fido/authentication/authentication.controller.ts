import { Body, Post, Session } from '@nestjs/common';
import type { Request } from 'express';
import { ok } from '../../platform/http/ok.js';
import { ApiSecurity } from '../../platform/http/openapi/openapi.js';
import { Operation } from '../../platform/http/openapi/operation.js';
import { CurrentRequest } from '../../platform/common/from-request.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { CurrentRp } from '../../tenancy/scope/tenant.interceptor.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { CurrentCaller } from '../limits/fido-caller.guard.js';
import {
  Completes,
  CurrentSession,
  GivesUp,
  PendingCeremony,
} from '../ceremonies/ceremony.interceptor.js';
import type { Pending, PendingAuthentication } from '../ceremonies/ceremony.js';
import { FidoCalls, GIVEN_UP, RATE_LIMIT_HEADERS, SESSION_HEADERS } from '../fido-api.js';
import { authorizationWarnings } from '../ceremonies/authorization.guard.js';
import {
  beginAnswer,
  beginCallerOf,
  sessionFor,
  type CookieSession,
} from '../ceremonies/caller-session.js';
import { AUTHENTICATION_REFUSALS } from '../refusals/failure-codes.js';
import { CeremonyTally } from '../tally/ceremony-tally.js';
import { GivenUpDto } from '../tally/given-up.dto.js';
import { RateLimits, type Caller } from '../limits/rate-limits.js';
import {
  RequestOptionsAnswer,
  AuthenticationAnswer,
  UnknownCredentialAnswer,
} from './authentication.answer.js';
import { BeginAuthenticationDto, AuthenticationResultDto } from './authentication.dto.js';
import { AuthenticationService } from './authentication.service.js';
import { AuthenticationOptions } from './authentication-options.js';

/** The two calls of an authentication with their aliases, and the report of a prompt that ended without a key. */
@FidoCalls()
export class AuthenticationController {
  constructor(
    private readonly limits: RateLimits,
    private readonly beginCalls: AuthenticationOptions,
    private readonly authentication: AuthenticationService,
    private readonly tally: CeremonyTally,
  ) {}

  @Post(['certify/assertion/options', 'authenticate/begin'])
  @ApiSecurity({})
  @Operation('beginAuthentication', 'Begins a sign-in', {
    status: 200,
    description:
      'Returns the options for `navigator.credentials.get()`. Without `username` but with ' +
      '`mediation`, the user chooses one of the passkeys on the device. The challenge is ' +
      'valid for one result call of the same session, or of the same application key with ' +
      '`ceremony`.',
    answers: RequestOptionsAnswer,
    refuses: ['no-account', 'E0040R', 'E0046R'],
    headers: SESSION_HEADERS,
    sends: { username: 'alice@example.com' },
    headersOfAll: RATE_LIMIT_HEADERS,
  })
  async beginAuthentication(
    @CurrentRp() rp: RelyingParty,
    @CurrentCaller() caller: Caller,
    @Session() session: CookieSession,
    @Body(DtoPipe) dto: BeginAuthenticationDto,
    @CurrentRequest() request: Request,
  ) {
    this.limits.countUser(caller, rp, dto.username);
    const beginCaller = beginCallerOf(request, caller, session);
    const options = await this.beginCalls.begin(rp, dto, beginCaller);
    this.tally.authenticationBegun(rp, caller, dto);
    return beginAnswer(session, beginCaller.session, options, authorizationWarnings(request));
  }

  @Post(['certify/assertion/result', 'authenticate/complete'])
  @Completes('authentication')
  @Operation('completeAuthentication', 'Completes a sign-in', {
    description:
      'Takes what the browser returned, verifies it by WebAuthn L3 §7.2, and returns the ' +
      'user name and, with `--jwt on`, a token. After any outcome, the next attempt needs a ' +
      'new begin call.',
    answers: AuthenticationAnswer,
    refuses: AUTHENTICATION_REFUSALS,
    bodies: { E0033R: UnknownCredentialAnswer },
    headersOfAll: RATE_LIMIT_HEADERS,
  })
  async completeAuthentication(
    @CurrentRp() rp: RelyingParty,
    @CurrentCaller() caller: Caller,
    @CurrentSession() session: CookieSession,
    @PendingCeremony() pending: PendingAuthentication,
    @Body(DtoPipe) dto: AuthenticationResultDto,
  ) {
    this.limits.countUser(caller, rp, pending.username);
    const from = { client: caller.client, session: () => sessionFor(caller, session) };
    const { answer } = await this.authentication.complete(rp, pending, dto, from);
    this.tally.finished(rp, caller, pending, answer.aaguid);
    return answer;
  }

  @Post('authenticate/given-up')
  @GivesUp('authentication')
  @Operation('giveUpAuthentication', 'Reports that the prompt of a sign-in gave no key', GIVEN_UP)
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
