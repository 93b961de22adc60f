import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { ApiError } from '../../errors/api-error.js';
import { completePage } from '../../presentation/page.js';
import type { PageView } from '../../presentation/page.view.js';
import { seesTenant } from '../../security/account.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import type { Tenant } from '../../tenancy/tenant.entity.js';
import { Counts } from '../dashboard/counts.js';
import type { Faults } from './form.js';
import { relyingPartyPage, tenantPage, tenantsPage } from './tenants.view.js';
import type { RelyingPartyView, TenantView, TenantsView, Visit } from './tenants.view.js';

/** A page that holds a form. */
export interface FormPage {
  readonly template: 'tenants' | 'tenant' | 'relying-party';
  view(visit: Visit): Promise<PageView>;
}

/** A form that was sent, with the account that sent it. */
interface Submission extends Pick<Visit, 'account'> {
  readonly request: Request;
}

/** What of the list is asked for. */
export interface TenantSearch {
  /** Part of the short name, or of the name for people in upper or lower case. */
  readonly filter?: string | undefined;
  /** The short name at which the page begins. */
  readonly from?: string | undefined;
}

const LIMIT = 50;

/** Gathers what the pages of tenants show. */
@Injectable()
export class TenantPages {
  constructor(
    private readonly tenancy: TenancyService,
    private readonly counts: Counts,
  ) {}

  /** Those that the account may see, a page of them. */
  async list(visit: Visit, { filter = '', from = '' }: TenantSearch = {}): Promise<TenantsView> {
    const wanted = filter.trim().toLowerCase();
    const all = await this.tenancy.listTenants();
    const found = all.filter(
      ({ name, displayName }) =>
        seesTenant(visit.account, name) &&
        (name.includes(wanted) || displayName.toLowerCase().includes(wanted)),
    );
    const rest = found.filter(({ name }) => name >= from);
    const parts = await Promise.all(rest.slice(0, LIMIT).map((tenant) => this.partsOf(tenant)));
    const next = rest[LIMIT]?.name;
    const search = { filter, from, next, found: found.length };
    return tenantsPage(parts, await this.counts.holdings(), { visit, search });
  }

  /** @throws ApiError E0044R */
  async tenant(name: string, visit: Visit): Promise<TenantView> {
    const parts = await this.partsOf(await this.find(name));
    return tenantPage(parts, await this.counts.holdings(), visit);
  }

  /** @throws ApiError E0044R */
  async relyingParty(name: string, domain: string, visit: Visit): Promise<RelyingPartyView> {
    const { tenant, relyingParties } = await this.partsOf(await this.find(name));
    const rp = relyingParties.find((one) => one.domain === domain);
    if (!rp) throw new ApiError('E0044R', 'The tenant has no such relying party.');
    return relyingPartyPage({ tenant, rp }, await this.counts.holdings(), visit);
  }

  /**
   * Makes the change of a form that nothing is wrong with.
   *
   * @param page is shown again, with what was typed, where something is
   * @param taken the field whose value another has already, when the change fails of that
   * @throws ApiError E0045R with the page; what the change throws
   */
  async submit(
    { request, account }: Submission,
    { page, faults, taken }: { page: FormPage; faults: Faults; taken?: string },
    change: () => Promise<unknown>,
  ): Promise<void> {
    const refused = async (found: Faults) => {
      const sent = { body: request.body as unknown, faults: found };
      const model = completePage(await page.view({ account, sent }), request);
      const sentence = Object.values(found)[0];
      return new ApiError('E0045R', sentence, { page: { template: page.template, model } });
    };
    if (Object.keys(faults).length > 0) throw await refused(faults);
    try {
      await change();
    } catch (error) {
      if (taken === undefined || !(error instanceof ApiError) || error.code !== 'E0045R')
        throw error;
      throw await refused({ [taken]: error.message });
    }
  }

  private async find(name: string): Promise<Tenant> {
    const found = (await this.tenancy.listTenants()).find((tenant) => tenant.name === name);
    if (!found) throw new ApiError('E0044R', 'There is no such tenant.');
    return found;
  }

  private async partsOf(tenant: Tenant) {
    return { tenant, relyingParties: await this.tenancy.listRelyingParties(tenant.name) };
  }
}
