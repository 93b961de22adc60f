import { Injectable, type NestMiddleware, type OnModuleInit } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { ApiError } from '../platform/errors/api-error.js';
import { jsonBody, uncompressedOnly } from '../platform/http/body/request-body.js';
import { joinMiddlewares } from '../platform/http/express-routing.js';
import { noStore } from '../platform/http/security-headers.js';
import { SecretStore } from '../platform/database/secrets/secret-store.js';
import { isDomain } from '../platform/validation/values/domain.js';
import { RelyingPartyCache } from '../tenancy/scope/relying-party-cache.js';
import { fidoSession } from '../fido/ceremonies/session.js';
import { RateLimits } from '../fido/limits/rate-limits.js';
import { Providers } from './provider/providers.js';

/** Paths below an issuer that are ours; all others are oidc-provider's. */
const OWN_PATH = /^\/sign-in\//;

/** Leads requests below `/oidc/DOMAIN` to the provider of the relying party, or to the sign-in page's controller. */
@Injectable()
export class OidcMiddleware implements NestMiddleware, OnModuleInit {
  private own: RequestHandler = noStore;

  constructor(
    private readonly providers: Providers,
    private readonly directory: RelyingPartyCache,
    private readonly limits: RateLimits,
    private readonly secrets: SecretStore,
  ) {}

  async onModuleInit(): Promise<void> {
    const session = fidoSession(await this.secrets.findOrCreate('session-cookie'));
    this.own = joinMiddlewares(noStore, uncompressedOnly, jsonBody(), session);
  }

  /** @throws ApiError E0047R for a path of no issuer; E0040R */
  async use(request: Request, response: Response, next: NextFunction): Promise<void> {
    const { domain } = request.params;
    const rp =
      typeof domain === 'string' && isDomain(domain)
        ? this.directory.current.find(domain)
        : undefined;
    const issuer = rp && (await this.providers.of(rp));
    if (!rp || !issuer) throw new ApiError('E0047R');
    request.issuer = { rp, provider: issuer.provider };
    if (OWN_PATH.test(request.path)) return this.own(request, response, next) as undefined;
    const { headers } = request;
    request.caller = {
      program: headers['user-agent'],
      ...this.limits.countCall(request.ip, response),
    };
    await this.providers.answer(issuer, request);
  }
}
