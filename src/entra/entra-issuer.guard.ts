import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { ApiError } from '../platform/errors/api-error.js';
import { isDomain } from '../platform/validation/values/domain.js';
import { IssuerKeys } from '../issuers/issuer-keys.js';
import { RelyingPartyCache } from '../tenancy/scope/relying-party-cache.js';

/**
 * Admits paths of relying parties that have, or had, a client of Entra ID. Then lets the guards and interceptors of the
 * four calls find the relying party of the path: nobody may name another one here.
 */
@Injectable()
export class EntraIssuerGuard implements CanActivate {
  constructor(
    private readonly relyingParties: RelyingPartyCache,
    private readonly keys: IssuerKeys,
  ) {}

  /** @throws ApiError E0047R for a path of no issuer */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { params, headers } = context.switchToHttp().getRequest<Request>();
    const { domain } = params;
    const rp =
      typeof domain === 'string' && isDomain(domain)
        ? this.relyingParties.current.find(domain)
        : undefined;
    if (!rp || (await this.keys.of(rp, 'entra')).length === 0) throw new ApiError('E0047R');
    headers['x-servicefido-relyingparty'] = rp.domain;
    delete headers.authorization;
    return true;
  }
}
