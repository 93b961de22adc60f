import type { IncomingHttpHeaders } from 'node:http';
import { Controller, Headers, HttpCode, Post, Session, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CheckedBody } from '../validation/body.pipe.js';
import type { SessionData } from 'express-session';
import { JsonGuard } from '../http/json-body.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { CurrentRp, TenancyGuard } from '../tenancy/tenancy.guard.js';
import { AuthenticationService } from './authentication.service.js';
import { BeginAuthenticationDto, BeginRegistrationDto } from './begin.dto.js';
import { PendingCeremony, TakesCeremony } from './ceremony.guard.js';
import type { PendingAuthentication, PendingRegistration } from './ceremony.js';
import { ApiCeremony, ApiResult } from './fido.openapi.js';
import { RateLimits } from './rate-limits.js';
import { RegistrationOptions } from './registration-options.service.js';
import { RegistrationService } from './registration.service.js';
import { AuthenticationResultDto, RegistrationResultDto } from './result.dto.js';

type FidoSession = SessionData & { id: string };

/** The four calls and their four aliases. */
@ApiTags('fido')
@UseGuards(JsonGuard, RateLimits, TenancyGuard)
@Controller('fidoapi')
export class FidoController {
  constructor(
    private readonly registrationOptions: RegistrationOptions,
    private readonly registration: RegistrationService,
    private readonly authentication: AuthenticationService,
    private readonly limits: RateLimits,
  ) {}

  @Post(['certify/attestation/options', 'register/begin'])
  @HttpCode(200)
  @ApiCeremony('Begins a registration', 'PublicKeyCredentialCreationOptionsJSON and status')
  async beginRegistration(
    @CurrentRp() rp: RelyingParty,
    @CheckedBody() dto: BeginRegistrationDto,
    @Session() session: FidoSession,
    @Headers() { authorization }: IncomingHttpHeaders,
  ) {
    await this.limits.countUser(rp, dto.username);
    const caller = { session: session.id, authorization };
    const options = await this.registrationOptions.begin(rp, dto, caller);
    session.begun = true;
    return options;
  }

  @Post(['certify/attestation/result', 'register/complete'])
  @HttpCode(200)
  @UseGuards(TakesCeremony('registration'))
  @ApiResult('Completes a registration', 'the stored credential')
  async completeRegistration(
    @CurrentRp() rp: RelyingParty,
    @PendingCeremony() pending: PendingRegistration,
    @CheckedBody() dto: RegistrationResultDto,
  ) {
    await this.limits.countUser(rp, pending.username);
    return this.registration.complete(rp, pending, dto);
  }

  @Post(['certify/assertion/options', 'authenticate/begin'])
  @HttpCode(200)
  @ApiCeremony('Begins an authentication', 'PublicKeyCredentialRequestOptionsJSON and status')
  async beginAuthentication(
    @CurrentRp() rp: RelyingParty,
    @CheckedBody() dto: BeginAuthenticationDto,
    @Session() session: FidoSession,
  ) {
    await this.limits.countUser(rp, dto.username);
    const options = await this.authentication.begin(rp, dto, session.id);
    session.begun = true;
    return options;
  }

  @Post(['certify/assertion/result', 'authenticate/complete'])
  @HttpCode(200)
  @UseGuards(TakesCeremony('authentication'))
  @ApiResult('Completes an authentication', 'who signed in, and the token')
  async completeAuthentication(
    @CurrentRp() rp: RelyingParty,
    @PendingCeremony() pending: PendingAuthentication,
    @CheckedBody() dto: AuthenticationResultDto,
  ) {
    await this.limits.countUser(rp, pending.username);
    return this.authentication.complete(rp, pending, dto);
  }
}
