import { Body, Controller, Get, HttpCode, Post, UseGuards, UseInterceptors } from '@nestjs/common';
import { AuthenticationResultDto } from '../../fido/authentication/authentication.dto.js';
import type { PendingAuthentication } from '../../fido/ceremonies/ceremony.js';
import { Completes, PendingCeremony } from '../../fido/ceremonies/ceremony.interceptor.js';
import { FidoCallerGuard } from '../../fido/limits/fido-caller.guard.js';
import { CurrentPageSignIn, type PageSignIn } from '../../issuers/page-sign-ins.js';
import { CrossSiteGuard } from '../../platform/access/cross-site.guard.js';
import { JsonGuard } from '../../platform/http/body/request-body.js';
import { ok } from '../../platform/http/ok.js';
import { Page } from '../../platform/pages/page.interceptor.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { TenantInterceptor } from '../../tenancy/scope/tenant.interceptor.js';
import { CurrentInteraction, InteractionGuard } from './interaction.guard.js';
import { OidcSignIns } from './oidc-sign-ins.js';
import { signInView, type InteractionCall } from './sign-in.view.js';

/**
 * The sign-in page of applications. It begins its ceremonies by the four calls and ends them here, so that the proof of
 * a user goes from the authenticator to the interaction without a token in between.
 */
@UseGuards(CrossSiteGuard, InteractionGuard)
@UseInterceptors(TenantInterceptor)
@Controller('oidc/:domain/sign-in/:uid')
export class OidcSignInController {
  constructor(private readonly signIns: OidcSignIns) {}

  @Get()
  @Page('oidc-sign-in')
  page(@CurrentInteraction() call: InteractionCall) {
    return signInView(call);
  }

  @Post('fidoapi/authenticate/complete')
  @UseGuards(JsonGuard, FidoCallerGuard)
  @Completes('authentication')
  async complete(
    @CurrentInteraction() { interaction }: InteractionCall,
    @CurrentPageSignIn() call: PageSignIn,
    @PendingCeremony() pending: PendingAuthentication,
    @Body(DtoPipe) dto: AuthenticationResultDto,
  ) {
    return this.signIns.complete(interaction, call, pending, dto);
  }

  @Post('cancel')
  @HttpCode(200)
  @UseGuards(JsonGuard)
  async cancel(@CurrentInteraction() { interaction }: InteractionCall) {
    return ok({ returnTo: await this.signIns.cancel(interaction) });
  }
}
