import { Injectable } from '@nestjs/common';
import { seesTenant } from '../../platform/access/accounts/account.js';
import {
  MAX_MATCHES,
  SearchFinders,
  type FoundMatches,
  type SearchFinder,
  type SearchRequest,
} from '../../platform/pages/search-finders.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';

/** Finds tenants, and relying parties by their domains, by a part of a name. */
@Injectable()
export class TenantFinder implements SearchFinder {
  readonly kind = 'tenants';
  readonly permission = 'tenants:read';

  constructor(
    private readonly relyingParties: RelyingPartyCache,
    private readonly tenancy: TenancyService,
    finders: SearchFinders,
  ) {
    finders.register(this);
  }

  async find({ text, account }: SearchRequest): Promise<FoundMatches> {
    const wanted = text.toLowerCase();
    const fits = (...names: readonly string[]) =>
      names.some((name) => name.toLowerCase().includes(wanted));
    const nameOfTenant = await this.tenancy.nameOfTenant();
    const tenants = (await this.tenancy.listTenants())
      .filter(({ name, displayName }) => seesTenant(account, name) && fits(name, displayName))
      .map(({ name, displayName }) => ({
        title: displayName,
        address: tenantAddress(name),
        detail: displayName === name ? undefined : name,
      }));
    const domains = this.relyingParties
      .visibleTo(account)
      .filter(({ domain, name }) => fits(domain, name))
      .map(({ tenant, domain, name }) => ({
        title: domain,
        address: `${tenantAddress(tenant)}/${encodeURIComponent(domain)}`,
        detail: name === domain ? nameOfTenant(tenant) : name,
      }));
    const found = [...domains, ...tenants];
    const more = found.length > MAX_MATCHES ? '/tenants' : undefined;
    return { matches: found.slice(0, MAX_MATCHES), more };
  }
}

const tenantAddress = (name: string): string => `/tenants/${encodeURIComponent(name)}`;
