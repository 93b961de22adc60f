import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { ApiError } from '../platform/errors/api-error.js';
import { RelyingPartyCache } from '../tenancy/scope/relying-party-cache.js';
import { RateLimits } from '../fido/limits/rate-limits.js';
import { SignInPageMiddleware } from '../issuers/sign-in-page.middleware.js';
import { Providers } from './provider/providers.js';

/** Paths below an issuer that are ours; all others are oidc-provider's. */
const OWN_PATH = /^\/sign-in\//;

const READ = ['GET', 'HEAD'];

/** The methods of the provider's paths: to the provider, a path with another method is unknown. OPTIONS is for CORS. */
const METHODS: readonly { readonly path: RegExp; readonly methods: readonly string[] }[] = [
  { path: /^\/auth$/i, methods: [...READ, 'POST'] },
  { path: /^\/auth\/[^/]+$/i, methods: READ },
  { path: /^\/token(\/revocation)?$/i, methods: ['POST', 'OPTIONS'] },
  { path: /^\/me$/i, methods: [...READ, 'POST', 'OPTIONS'] },
  { path: /^\/(jwks|\.well-known\/openid-configuration)$/i, methods: [...READ, 'OPTIONS'] },
  { path: /^\/session\/end$/i, methods: [...READ, 'POST'] },
  { path: /^\/session\/end\/confirm$/i, methods: ['POST'] },
  { path: /^\/session\/end\/success$/i, methods: READ },
];

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
    const path = request.path.replace(/\/$/, '');
    const methods = METHODS.find((one) => one.path.test(path))?.methods;
    if (methods && !methods.includes(request.method)) {
      throw ApiError.wrongMethod(request.method, methods);
    }
    const { headers } = request;
    request.caller = {
      program: headers['user-agent'],
      ...this.limits.countCall(request.ip, response),
    };
    await this.providers.answer(issuer, request);
  }
}
