import { Controller, Get, Header, UseGuards } from '@nestjs/common';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { CurrentRp } from '../tenancy/scope/tenant.interceptor.js';
import { EntraIssuer } from './entra-issuer.js';
import { EntraIssuerGuard } from './entra-issuer.guard.js';

/**
 * What Entra ID reads of an issuer. It is public whatever the policy says about callers: otherwise Entra could not verify
 * the tokens that it already has.
 */
@UseGuards(EntraIssuerGuard)
@Controller('entra/:domain')
export class EntraMetadataController {
  constructor(private readonly issuer: EntraIssuer) {}

  @Get('.well-known/openid-configuration')
  @Header('Cache-Control', 'public, max-age=60')
  metadata(@CurrentRp() rp: RelyingParty) {
    return this.issuer.metadata(rp);
  }

  @Get('jwks')
  @Header('Cache-Control', 'public, max-age=60')
  jwks(@CurrentRp() rp: RelyingParty) {
    return this.issuer.jwks(rp);
  }
}
