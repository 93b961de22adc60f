import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { ApiTags } from '../http/openapi.js';
import { AuthenticationOptions } from './authentication/authentication-options.service.js';
import { AuthenticationService } from './authentication/authentication.service.js';
import { BeginAuthenticationDto, BeginRegistrationDto } from './begin.dto.js';
import { ApiCeremony, ApiResult } from './fido.openapi.js';
import { Reception } from './reception.js';
import { RegistrationOptions } from './registration/registration-options.service.js';
import { RegistrationService } from './registration/registration.service.js';
import { AuthenticationResultDto, RegistrationResultDto } from './result.dto.js';

/** The four calls and their four aliases. */
@ApiTags('fido')
@Controller('fidoapi')
export class FidoController {
  constructor(
    private readonly reception: Reception,
    private readonly registrationOptions: RegistrationOptions,
    private readonly registration: RegistrationService,
    private readonly authenticationOptions: AuthenticationOptions,
    private readonly authentication: AuthenticationService,
  ) {}

  @Post(['certify/attestation/options', 'register/begin'])
  @HttpCode(200)
  @ApiCeremony(BeginRegistrationDto, {
    summary: 'Begins a registration',
    answer: 'PublicKeyCredentialCreationOptionsJSON and status',
  })
  async beginRegistration(@Req() request: Request) {
    const { rp, dto } = this.reception.begin(request, BeginRegistrationDto);
    const { session, sessionID, headers } = request;
    const caller = { session: sessionID, authorization: headers.authorization };
    const options = await this.registrationOptions.begin(rp, dto, caller);
    session.begun = true;
    return options;
  }

  @Post(['certify/attestation/result', 'register/complete'])
  @HttpCode(200)
  @ApiResult(RegistrationResultDto, {
    summary: 'Completes a registration',
    answer: 'the stored credential',
  })
  async completeRegistration(@Req() request: Request) {
    const call = await this.reception.complete(request, 'registration', RegistrationResultDto);
    return this.registration.complete(call.rp, call.pending, call.dto, call.caller);
  }

  @Post(['certify/assertion/options', 'authenticate/begin'])
  @HttpCode(200)
  @ApiCeremony(BeginAuthenticationDto, {
    summary: 'Begins an authentication',
    answer: 'PublicKeyCredentialRequestOptionsJSON and status',
  })
  async beginAuthentication(@Req() request: Request) {
    const { rp, dto } = this.reception.begin(request, BeginAuthenticationDto);
    const { session, sessionID } = request;
    const options = await this.authenticationOptions.begin(rp, dto, sessionID);
    session.begun = true;
    return options;
  }

  @Post(['certify/assertion/result', 'authenticate/complete'])
  @HttpCode(200)
  @ApiResult(AuthenticationResultDto, {
    summary: 'Completes an authentication',
    answer: 'who signed in, and the token',
  })
  async completeAuthentication(@Req() request: Request) {
    const call = await this.reception.complete(request, 'authentication', AuthenticationResultDto);
    return this.authentication.complete(call.rp, call.pending, call.dto);
  }
}
