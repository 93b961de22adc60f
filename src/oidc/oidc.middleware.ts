import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { ApiError } from '../platform/errors/api-error.js';
import { RelyingPartyCache } from '../tenancy/scope/relying-party-cache.js';
import { RateLimits } from '../fido/limits/rate-limits.js';
import { SignInPageMiddleware } from '../issuers/sign-in-page.middleware.js';
import { Providers } from './provider/providers.js';

/** Paths below an issuer that are ours; all others are oidc-provider's. */
const OWN_PATH = /^\/sign-in\//;

/** Paths that take only POST, and OPTIONS of browsers. The provider knows no path for another method. */
const POST_ONLY = /^\/token(?:\/revocation)?\/?$/i;
const POST_METHODS = ['POST', 'OPTIONS'];

/** Leads requests below `/oidc/DOMAIN` to the provider of the relying party, or to the sign-in page's controller. */
@Injectable()
export class OidcMiddleware implements NestMiddleware {
  constructor(
    private readonly providers: Providers,
    private readonly relyingParties: RelyingPartyCache,
    private readonly limits: RateLimits,
    private readonly page: SignInPageMiddleware,
  ) {}

  /** @throws ApiError E0047R for a path of no issuer, or another method; E0040R */
  async use(request: Request, response: Response, next: NextFunction): Promise<void> {
    const rp = this.relyingParties.current.find(String(request.params['domain']));
    const issuer = rp && (await this.providers.of(rp));
    if (!rp || !issuer) throw new ApiError('E0047R');
    request.issuer = { rp, provider: issuer.provider };
    if (OWN_PATH.test(request.path)) return this.page.use(request, response, next);
    if (POST_ONLY.test(request.path) && !POST_METHODS.includes(request.method)) {
      throw ApiError.wrongMethod(request.method, POST_METHODS);
    }
    const { headers } = request;
    request.caller = {
      program: headers['user-agent'],
      ...this.limits.countCall(request.ip, response),
    };
    await this.providers.answer(issuer, request);
  }
}
