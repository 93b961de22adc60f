import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { AccountActivity } from '../../audit/account-activity.js';
import type { Change } from '../../audit/differences.js';
import { problem } from '../../platform/errors/reasons.js';
import { successBanner, warnedBanner, type Banner } from '../../platform/pages/banners.js';
import type { LastChanges } from '../../platform/pages/form-base.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { seesTenant } from '../../platform/access/accounts/account.js';
import type { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import { domainWarning } from '../../tenancy/origin-warnings.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import type { Tenant } from '../../tenancy/tenant.entity.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';
import { DashboardCounts } from '../dashboard/dashboard-counts.js';
import type { Faults, SentForm } from '../../platform/validation/dto.pipe.js';
import type { RemoveForm, TenantsQuery } from './tenants.dto.js';
import { PresetPages } from './drafts/presets.js';
import { relyingPartyChanges } from './changes.view.js';
import { relyingPartyPage } from './relying-party.view.js';
import { tenantPage, tenantsPage, type TenantPageVisit } from './tenants.view.js';

const TENANTS_PER_PAGE = 50;
const SAVED = phrase('tenants:done.saved');
const SAVED_POLICY = phrase('tenants:done.savedPolicy');
const AS_IT_WAS = phrase('tenants:done.asItWas');

/** A form with additional errors that belong to no single field. */
export const withFaults = <Dto extends object>(form: SentForm<Dto>, faults: Faults) => ({
  ...form,
  faults: { ...form.faults, ...faults },
});

/** A form that deletes something: its name must have been typed. */
export const confirmedBy = (name: string, form: SentForm<RemoveForm>): SentForm<RemoveForm> =>
  form.dto.confirm === name
    ? form
    : withFaults(form, { confirm: problem('form.typeToDelete', { name }) });

const savedText = ({ before, after }: Change<RelyingPartyEntity>) =>
  isDeepStrictEqual(before.policy, after.policy) ? SAVED : SAVED_POLICY;

@Injectable()
export class TenantPages {
  constructor(
    private readonly tenancy: TenancyService,
    private readonly counts: DashboardCounts,
    private readonly models: AuthenticatorModels,
    private readonly presets: PresetPages,
    private readonly activity: AccountActivity,
  ) {}

  /** One page of the tenants that the account may see. */
  async list(visit: TenantPageVisit, { filter = '', from = '' }: TenantsQuery = {}) {
    const wanted = filter.trim().toLowerCase();
    const all = await this.tenancy.listTenants();
    const found = all.filter(
      ({ name, displayName }) =>
        seesTenant(visit.account, name) &&
        (name.includes(wanted) || displayName.toLowerCase().includes(wanted)),
    );
    const rest = found.filter(({ name }) => name >= from);
    const parts = await Promise.all(
      rest.slice(0, TENANTS_PER_PAGE).map((tenant) => this.partsOf(tenant)),
    );
    const next = rest[TENANTS_PER_PAGE]?.name;
    const search = { filter, from, next, found: found.length };
    return tenantsPage(parts, await this.counts.holdings.read(), { visit, search });
  }

  /** @throws ApiError E0044R */
  async tenant(name: string, visit: TenantPageVisit) {
    const parts = await this.partsOf(await this.tenancy.tenant(name));
    const last = await this.lastChanges(name, { action: 'tenant.change' }, visit);
    return tenantPage(parts, await this.counts.holdings.read(), visit, last);
  }

  /** @throws ApiError E0044R */
  async relyingParty(name: string, domain: string, visit: TenantPageVisit) {
    const tenant = await this.tenancy.tenant(name);
    const rp = await this.tenancy.relyingParty(name, domain);
    return relyingPartyPage(
      {
        tenant,
        rp,
        deciding: this.presets.deciding,
        models: this.models,
        presets: this.presets.list((rp.policy.anchors ?? []).length > 0),
        storedWarnings: await this.tenancy.storedWarnings(visit.account, name, rp),
        hasClients: this.presets.deciding.oidc || this.presets.deciding.entra,
        move: await this.counts.moves.shown(domain),
        last: await this.lastChanges(
          name,
          { action: 'relying-party.change', relyingParty: domain },
          visit,
        ),
      },
      await this.counts.holdings.read(),
      visit,
    );
  }

  /** The banner that reports the changes of a relying party. */
  saved(change: Change<RelyingPartyEntity>): Banner {
    const changes = relyingPartyChanges(change, this.presets.deciding);
    const banner =
      changes.length === 0 ? successBanner(AS_IT_WAS) : successBanner(savedText(change), changes);
    return warnedBanner(banner, domainWarning(change.after.domain, change.after.origins));
  }

  /** The last changes by others, for a form that was saved too late. */
  private async lastChanges(
    tenant: string,
    rows: Parameters<AccountActivity['lastChanges']>[1],
    { sent }: TenantPageVisit,
  ): Promise<LastChanges> {
    return sent?.isStale ? this.activity.lastChanges({ tenants: [tenant] }, rows) : new Map();
  }

  private async partsOf(tenant: Tenant) {
    return { tenant, relyingParties: await this.tenancy.listRelyingParties(tenant.name) };
  }
}
