import {
  Body,
  Controller,
  HttpCode,
  Post,
  Session,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import type { SessionData } from 'express-session';
import { Authorization } from '../http/request-context.js';
import { JsonGuard } from '../http/json-body.js';
import { ApiBearerAuth, ApiCookieAuth, ApiHeader, ApiSecurity } from '../http/openapi.js';
import { ForReader, Operation } from '../http/operation.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { CurrentRp, TenantInterceptor } from '../tenancy/tenant.interceptor.js';
import { DtoPipe } from '../validation/dto.pipe.js';
import { AddressLimitGuard, CurrentCaller } from './address-limit.guard.js';
import { AuthenticationOptions } from './authentication/authentication-options.service.js';
import { CreationOptionsAnswer, RequestOptionsAnswer } from './begin.answer.js';
import { BeginAuthenticationDto, BeginRegistrationDto } from './begin.dto.js';
import { Completes, CurrentSession, PendingCeremony } from './ceremonies/ceremony.interceptor.js';
import type { PendingAuthentication, PendingRegistration } from './ceremonies/ceremony.js';
import { SESSION_COOKIE } from './ceremonies/session.js';
import { newKeySession } from './ceremonies/key-session.js';
import type { KeySession } from './ceremonies/key-session.js';
import { AUTHENTICATION_REFUSALS, REGISTRATION_REFUSALS } from './fido.refusals.js';
import { AuditInvitation } from './invitations/audit-invitation.interceptor.js';
import { SignIns } from './move/sign-ins.js';
import { RateLimits } from './rate-limits.js';
import type { Caller } from './rate-limits.js';
import { RegistrationOptions } from './registration/registration-options.service.js';
import { RegistrationService } from './registration/registration.service.js';
import {
  AuthenticationAnswer,
  RegistrationAnswer,
  UnknownCredentialAnswer,
} from './result.answer.js';
import { AuthenticationResultDto, RegistrationResultDto } from './result.dto.js';

/** A session is its name, and whether a ceremony was ever begun in it. */
interface FidoSession extends Pick<SessionData, 'begun'> {
  readonly id: string;
}

/** Where a ceremony waits: in the session of a cookie, or in one of its own that an application is told. */
const sessionFor = ({ key, group }: Caller, session: FidoSession): FidoSession | KeySession =>
  key ? newKeySession(key, group) : session;

/** The begin call's answer; the cookie of a session goes along, a ceremony's own name stands in it. */
function begun<Options extends object>(session: FidoSession | KeySession, options: Options) {
  if ('ceremony' in session) return { ...options, ceremony: session.ceremony };
  session.begun = true;
  return options;
}

const LIMITS = {
  RateLimit: 'what is left of each limit, and the seconds until it is whole again',
  'RateLimit-Policy': 'the limits (draft-ietf-httpapi-ratelimit-headers)',
};

const SETS_COOKIE = {
  'Set-Cookie': 'the session, for the result call; an application key gets `ceremony` instead',
};

/**
 * The four calls and their four aliases. What each passes before its handler, in the order in which the
 * first fault answers: JSON, the limit of the address, the relying party, the pending ceremony (result
 * calls), the fields of the body.
 */
@ForReader('integrator')
@ApiBearerAuth()
@ApiHeader({
  name: 'X-ServiceFido-RelyingParty',
  required: false,
  example: 'localhost',
  description: 'domain of the relying party; else --domain, else the Origin header decides',
})
@ApiHeader({
  name: 'X-ServiceFido-Client-Address',
  required: false,
  description: 'with an application key: the address of the client for whom it calls',
})
@UseGuards(JsonGuard, AddressLimitGuard)
@UseInterceptors(TenantInterceptor)
@Controller('fidoapi')
export class FidoController {
  constructor(
    private readonly limits: RateLimits,
    private readonly registrationOptions: RegistrationOptions,
    private readonly registration: RegistrationService,
    private readonly authenticationOptions: AuthenticationOptions,
    private readonly signIns: SignIns,
  ) {}

  @Post(['certify/attestation/options', 'register/begin'])
  @HttpCode(200)
  @UseInterceptors(AuditInvitation)
  @ApiSecurity({})
  @Operation('beginRegistration', 'Begins a registration', {
    answers: CreationOptionsAnswer,
    refuses: ['E0039R', 'E0040R', 'E0043R'],
    headers: SETS_COOKIE,
    headersOfAll: LIMITS,
  })
  async beginRegistration(
    @CurrentRp() rp: RelyingParty,
    @CurrentCaller() caller: Caller,
    @Session() session: FidoSession,
    @Body(DtoPipe) dto: BeginRegistrationDto,
    @Authorization() authorization: string | undefined,
  ) {
    this.limits.countUser(caller, rp, dto.username);
    const own = sessionFor(caller, session);
    const options = await this.registrationOptions.begin(rp, dto, {
      session: own.id,
      authorization,
      vouched: caller.key !== undefined,
    });
    return begun(own, options);
  }

  @Post(['certify/attestation/result', 'register/complete'])
  @HttpCode(200)
  @UseInterceptors(AuditInvitation)
  @Completes('registration')
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: 'with an application key: who repeats the call with it is given the same answer',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,64}$' },
  })
  @ApiCookieAuth(SESSION_COOKIE)
  @Operation('completeRegistration', 'Completes a registration', {
    answers: RegistrationAnswer,
    refuses: REGISTRATION_REFUSALS,
    headersOfAll: LIMITS,
  })
  completeRegistration(
    @CurrentRp() rp: RelyingParty,
    @CurrentCaller() caller: Caller,
    @PendingCeremony() pending: PendingRegistration,
    @Body(DtoPipe) dto: RegistrationResultDto,
  ) {
    this.limits.countUser(caller, rp, pending.username);
    return this.registration.complete(rp, pending, dto, caller);
  }

  @Post(['certify/assertion/options', 'authenticate/begin'])
  @HttpCode(200)
  @ApiSecurity({})
  @Operation('beginAuthentication', 'Begins an authentication', {
    answers: RequestOptionsAnswer,
    refuses: ['no-account', 'E0040R', 'E0046R'],
    headers: SETS_COOKIE,
    headersOfAll: LIMITS,
  })
  async beginAuthentication(
    @CurrentRp() rp: RelyingParty,
    @CurrentCaller() caller: Caller,
    @Session() session: FidoSession,
    @Body(DtoPipe) dto: BeginAuthenticationDto,
  ) {
    this.limits.countUser(caller, rp, dto.username);
    const own = sessionFor(caller, session);
    const vouched = caller.key !== undefined;
    const options = await this.authenticationOptions.begin(rp, dto, { session: own.id, vouched });
    return begun(own, options);
  }

  @Post(['certify/assertion/result', 'authenticate/complete'])
  @HttpCode(200)
  @Completes('authentication')
  @ApiCookieAuth(SESSION_COOKIE)
  @Operation('completeAuthentication', 'Completes an authentication', {
    answers: AuthenticationAnswer,
    refuses: AUTHENTICATION_REFUSALS,
    bodies: { E0033R: UnknownCredentialAnswer },
    headersOfAll: LIMITS,
  })
  completeAuthentication(
    @CurrentRp() rp: RelyingParty,
    @CurrentCaller() caller: Caller,
    @CurrentSession() session: FidoSession,
    @PendingCeremony() pending: PendingAuthentication,
    @Body(DtoPipe) dto: AuthenticationResultDto,
  ) {
    this.limits.countUser(caller, rp, pending.username);
    return this.signIns.complete(rp, pending, dto, () => sessionFor(caller, session));
  }
}
