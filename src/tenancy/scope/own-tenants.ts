import { Injectable } from '@nestjs/common';
import { ApiError } from '../../platform/errors/api-error.js';
import { seesTenant, type Account } from '../../platform/access/accounts/account.js';
import { TenancyRows } from '../tenancy-rows.js';
import type { Tenant } from '../tenant.entity.js';
import { RelyingPartyCache } from './relying-party-cache.js';

/**
 * The tenants that an account may see, for items that belong to a tenant and may name some of its relying
 * parties: application keys and webhooks.
 */
@Injectable()
export class OwnTenants {
  constructor(
    private readonly rows: TenancyRows,
    private readonly directory: RelyingPartyCache,
  ) {}

  /** @throws ApiError E0044R if the account may see no open tenant with this name */
  async find(by: Account, name: string): Promise<Tenant> {
    const found = await this.rows.tenant(name);
    if (found && seesTenant(by, name)) return found;
    throw new ApiError('E0044R', 'tenant.unknown');
  }

  /**
   * Returns the IDs of a tenant's relying parties, Base64URL. IDs are stored instead of domains, because a
   * domain that is removed and assigned again is another relying party.
   *
   * @param domains `null` or absent: all of the tenant, including future ones
   * @returns `null` for all of the tenant
   * @throws ApiError E0045R for a domain that is not the tenant's
   */
  async relyingPartiesOf(
    { id, name }: Tenant,
    domains: readonly string[] | null | undefined,
  ): Promise<string[] | null> {
    if (!domains) return null;
    const own = (await this.directory.read()).filter(({ tenantId }) => tenantId.equals(id));
    return domains.map((domain) => {
      const found = own.find((rp) => rp.domain === domain);
      if (found) return found.id.toString('base64url');
      throw new ApiError('E0045R', 'tenant.noDomain', { tenant: name, domain });
    });
  }
}
