import { Injectable, Param, type PipeTransform } from '@nestjs/common';
import { ApiError } from '../../platform/errors/api-error.js';
import type { RelyingParty } from '../relying-party.js';
import type { RelyingPartyAddress } from '../tenancy.dto.js';
import { RelyingPartyCache } from './relying-party-cache.js';

@Injectable()
class RelyingPartyPipe implements PipeTransform<RelyingPartyAddress, RelyingParty> {
  constructor(private readonly relyingParties: RelyingPartyCache) {}

  transform({ tenant, domain }: RelyingPartyAddress): RelyingParty {
    const found = this.relyingParties.current.find(domain);
    if (found?.tenant === tenant) return found;
    throw new ApiError('E0044R', 'tenant.noRelyingParty');
  }
}

/**
 * The relying party that `:tenant` and `:domain` of the path name. Requires `VisibleTenantGuard`; application keys, which
 * may be limited to some relying parties, must not be admitted.
 *
 * @throws ApiError E0044R if the tenant has no such relying party
 */
export const PathRelyingParty = () => Param(RelyingPartyPipe);
