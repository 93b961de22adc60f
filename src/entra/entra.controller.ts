import {
  Body,
  Controller,
  Get,
  Param,
  Post,
  Query,
  Redirect,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import type { Request } from 'express';
import { AuthenticationResultDto } from '../fido/authentication/authentication.dto.js';
import type { PendingAuthentication } from '../fido/ceremonies/ceremony.js';
import { Completes, PendingCeremony } from '../fido/ceremonies/ceremony.interceptor.js';
import { FidoCallerGuard } from '../fido/limits/fido-caller.guard.js';
import { CurrentPageSignIn, type PageSignIn } from '../issuers/page-sign-ins.js';
import { CrossSiteGuard } from '../platform/access/cross-site.guard.js';
import { FormGuard, JsonGuard } from '../platform/http/body/request-body.js';
import { CurrentRequest } from '../platform/common/from-request.js';
import { Page } from '../platform/pages/page.interceptor.js';
import { DtoPipe } from '../platform/validation/dto.pipe.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { CurrentRp, TenantInterceptor } from '../tenancy/scope/tenant.interceptor.js';
import { AuthorizationDto } from './authorization-request.js';
import { EntraIssuerGuard } from './entra-issuer.guard.js';
import { EntraSignIns } from './entra-sign-ins.js';
import { allowForms, entraSignInView } from './entra.view.js';
import { PendingSignIns } from './pending-sign-ins.js';

/** The authorization endpoint of a relying party for Entra ID, and the page on which its users sign in. */
@UseGuards(EntraIssuerGuard)
@UseInterceptors(TenantInterceptor)
@Controller('entra/:domain')
export class EntraController {
  constructor(
    private readonly signIns: EntraSignIns,
    private readonly pending: PendingSignIns,
  ) {}

  @Get('authorize')
  @UseGuards(FidoCallerGuard)
  @Redirect('/', 303)
  async authorize(@CurrentPageSignIn() call: PageSignIn, @Query(DtoPipe) dto: AuthorizationDto) {
    return { url: await this.signIns.begin(call, dto) };
  }

  /** Entra's own page sends the form, so it comes from another site. */
  @Post('authorize')
  @UseGuards(FormGuard, FidoCallerGuard)
  @Redirect('/', 303)
  async authorizeByForm(
    @CurrentPageSignIn() call: PageSignIn,
    @Body(DtoPipe) dto: AuthorizationDto,
  ) {
    return { url: await this.signIns.begin(call, dto) };
  }

  @Get('sign-in/:id')
  @Page('entra-sign-in')
  async page(
    @CurrentRp() rp: RelyingParty,
    @Param('id') id: string,
    @CurrentRequest() request: Request,
  ) {
    const signIn = await this.pending.find(rp, id, request);
    allowForms(request, undefined);
    return entraSignInView(rp, signIn);
  }

  @Post('sign-in/:id/fidoapi/authenticate/complete')
  @UseGuards(CrossSiteGuard, JsonGuard, FidoCallerGuard)
  @Completes('authentication')
  async complete(
    @CurrentPageSignIn() call: PageSignIn,
    @Param('id') id: string,
    @PendingCeremony() pending: PendingAuthentication,
    @Body(DtoPipe) dto: AuthenticationResultDto,
  ) {
    return this.signIns.complete(call, id, pending, dto);
  }
}
