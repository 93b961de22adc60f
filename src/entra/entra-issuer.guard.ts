import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { ApiError } from '../platform/errors/api-error.js';
import { IssuerKeys } from '../issuers/issuer-keys.js';
import { bindToRelyingParty } from '../tenancy/scope/relying-party-finder.js';
import { RelyingPartyCache } from '../tenancy/scope/relying-party-cache.js';

/**
 * Admits paths of relying parties that have, or had, a client of Entra ID; the call is then for the relying party of the
 * path.
 */
@Injectable()
export class EntraIssuerGuard implements CanActivate {
  constructor(
    private readonly relyingParties: RelyingPartyCache,
    private readonly keys: IssuerKeys,
  ) {}

  /** @throws ApiError E0047R for a path of no issuer */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const rp = this.relyingParties.current.find(String(request.params['domain']));
    if (!rp || (await this.keys.of(rp, 'entra')).length === 0) throw new ApiError('E0047R');
    bindToRelyingParty(request, rp);
    request.relyingParty = rp;
    return true;
  }
}
