import { Body, Controller, Get, HttpCode, Post, Query, Redirect, UseGuards } from '@nestjs/common';
import { IsString } from 'class-validator';
import type { Request } from 'express';
import { ApiError } from '../../platform/errors/api-error.js';
import { Audited, CurrentCall, type AuditedCall } from '../../audit/audited.js';
import { CrossSiteGuard } from '../../platform/access/cross-site.guard.js';
import { FormGuard } from '../../platform/http/body/request-body.js';
import { CurrentRequest } from '../../platform/common/from-request.js';
import { MayBeText } from '../../platform/validation/decorators.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { SignInStep } from '../sign-in/sign-in.dto.js';
import { SignInCompletion } from '../sign-in/sign-in-completion.js';
import { BackChannelLogout } from './back-channel-logout.js';
import { KeyAfterProvider, type ProvedSignIn } from './key-after-provider.js';
import { ProviderSignIn } from './provider-sign-in.js';

class BeginQuery extends SignInStep {
  /** `yes` if the user must authenticate now, whatever session the provider has. */
  @MayBeText()
  again?: string;
}

class KeyForm extends SignInStep {
  @IsString()
  pending!: string;

  /** The prompt's answer as JSON. */
  @IsString()
  response!: string;
}

class LogoutForm {
  @IsString()
  logout_token!: string;
}

/** The sign-in at the OpenID provider, and the provider's own calls. */
@UseGuards(CrossSiteGuard)
@Controller('console/oidc')
export class ProviderController {
  constructor(
    private readonly signIn: ProviderSignIn,
    private readonly key: KeyAfterProvider,
    private readonly completion: SignInCompletion,
    private readonly logout: BackChannelLogout,
  ) {}

  @Get()
  @Redirect('/', 303)
  async begin(
    @Query(DtoPipe) { to, undone, again }: BeginQuery,
    @CurrentRequest() request: Request,
  ): Promise<{ url: string }> {
    return { url: await this.signIn.begin(request, { to, undone, again }) };
  }

  @Get('callback')
  @Redirect('/', 303)
  @Audited('console.sign-in')
  async finish(@CurrentCall() call: AuditedCall): Promise<{ url: string }> {
    return this.complete(call, await this.signIn.finish(call.request));
  }

  /** The key of this console that the provider's sign-in still lacked. */
  @Post('key')
  @UseGuards(FormGuard)
  @Redirect('/', 303)
  @Audited('console.sign-in')
  async byKey(
    @Body(DtoPipe) form: KeyForm,
    @CurrentCall() call: AuditedCall,
  ): Promise<{ url: string }> {
    return this.complete(call, await this.key.finish(call.request, form));
  }

  @Post('backchannel-logout')
  @UseGuards(FormGuard)
  @HttpCode(200)
  async endSessions(
    @Body(DtoPipe) { logout_token: token }: LogoutForm,
    @CurrentRequest() request: Request,
  ): Promise<void> {
    await this.logout.end(request, token);
  }

  private async complete(
    call: AuditedCall,
    { target, known, proof }: ProvedSignIn,
  ): Promise<{ url: string }> {
    try {
      return await this.completion.begin(call, target, known, proof);
    } catch (error) {
      // The same answer of the provider was sent twice.
      if (error instanceof ApiError && error.code === 'E0042R')
        throw await this.signIn.startAgain(call.request, target);
      throw error;
    }
  }
}
