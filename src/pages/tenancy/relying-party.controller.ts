import { Body, Get, Param, Post, UseGuards } from '@nestjs/common';
import { problem } from '../../platform/errors/reasons.js';
import { Audited, CurrentCall, type AuditedCall } from '../../audit/audited.js';
import { ShownVersion, type ExpectedTags } from '../../platform/http/versions.js';
import { FormGuard } from '../../platform/http/body/request-body.js';
import {
  successBanner,
  LeadsToPage,
  type RedirectWithBanner,
} from '../../platform/pages/banners.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { Page, PageController } from '../../platform/pages/page.interceptor.js';
import { submitForm, type RefusedForm } from '../../platform/pages/submit-form.js';
import { CurrentAccount, type Account } from '../../platform/access/accounts/account.js';
import { AllowHere } from '../../platform/access/allow.js';
import { changedBy } from '../../tenancy/changes/relying-party-change.js';
import { baseIn, ensureAsShown } from '../../platform/pages/form-base.js';
import type { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import { appOriginsOf } from '../../tenancy/scope/app-origins.js';
import type { RelyingPartyAddress } from '../../tenancy/tenancy.dto.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import { VisibleTenantGuard } from '../../tenancy/scope/visible-tenants.js';
import { FormPipe, type Faults, type SentForm } from '../../platform/validation/dto.pipe.js';
import { formMembers, typedChanges } from './changes.view.js';
import { textIn } from './form.js';
import { policyOf } from './policy-form.js';
import { MODEL_MEMBERS, findField } from './policy-fields.js';
import { TenantPages, withFaults, confirmedBy } from './tenant-pages.js';
import { RelyingPartyForm, RemoveForm } from './tenants.dto.js';
import { tenantAddress, type TenantPageVisit } from './tenants.view.js';
import { wellKnownOf } from './well-known-form.js';

const TICK = problem('form.tickModels');
const CONFIRMED = phrase('tenants:done.appsConfirmed');
const REMOVED = phrase('tenants:done.partyRemoved');

/** The Enter key in the search field of a model searches, and does not save. */
const notPicked = (fields: Readonly<Record<string, unknown>>): Faults =>
  Object.fromEntries(
    MODEL_MEMBERS.filter((name) => textIn(fields, findField(name)) !== '').map((name) => [
      name,
      TICK,
    ]),
  );

/** The page of a relying party: its name, its origins, its policy. */
@UseGuards(VisibleTenantGuard, FormGuard)
@PageController('tenants/:tenant/:domain', 'tenants:change')
export class RelyingPartyController {
  constructor(
    private readonly pages: TenantPages,
    private readonly tenancy: TenancyService,
  ) {}

  @Get()
  @AllowHere('tenants:read')
  @Page('relying-party')
  show(@Param() { tenant, domain }: RelyingPartyAddress, @CurrentAccount() account: Account) {
    return this.pages.relyingParty(tenant, domain, { account });
  }

  /** Saves the whole form: name, origins, published files and policy. */
  @Post()
  @LeadsToPage()
  @Audited('relying-party.change')
  async change(
    @Param() place: RelyingPartyAddress,
    @Body(new FormPipe(RelyingPartyForm)) sent: SentForm<RelyingPartyForm>,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const { tenant, domain } = place;
    const { policy, faults } = policyOf(sent.dto.policy);
    const published = wellKnownOf(sent.fields);
    const form = withFaults(sent, { ...faults, ...published.faults, ...notPicked(sent.fields) });
    const typed = {
      base: baseIn(sent.fields),
      members: { ...sent.dto, policy, ...published.files },
    };
    const page = this.page(place, { account: call.account, typed });
    const change = await submitForm({ ...call, form, page, field: 'origins' }, () =>
      this.tenancy.changeRelyingParty(call, tenant, domain, (found) => {
        const changes = typedChanges(typed, found);
        const then = changedBy(found, changes);
        ensureAsShown(typed.base, formMembers(found), formMembers(then));
        return changes;
      }),
    );
    return { url: tenantAddress(tenant, domain), banner: this.pages.saved(change) };
  }

  /** Confirms the app origins that the page shows. */
  @Post('confirm-apps')
  @LeadsToPage()
  @Audited('relying-party.change', { allTenants: true })
  async confirmApps(
    @Param() { tenant, domain }: RelyingPartyAddress,
    @CurrentCall() call: AuditedCall,
    @ShownVersion() expected: ExpectedTags,
  ): Promise<RedirectWithBanner> {
    const confirm = (found: RelyingPartyEntity) => ({ confirmedApps: appOriginsOf(found) });
    await this.tenancy.changeRelyingParty(call, tenant, domain, confirm, expected);
    return { url: tenantAddress(tenant, domain), banner: successBanner(CONFIRMED) };
  }

  @Post('remove')
  @LeadsToPage()
  @Audited('relying-party.remove')
  async remove(
    @Param() place: RelyingPartyAddress,
    @Body(new FormPipe(RemoveForm)) sent: SentForm<RemoveForm>,
    @CurrentCall() call: AuditedCall,
    @ShownVersion() expected: ExpectedTags,
  ): Promise<RedirectWithBanner> {
    const { tenant, domain } = place;
    const form = confirmedBy(domain, sent);
    const page = this.page(place, { account: call.account });
    await submitForm({ ...call, form, page, field: 'confirm' }, () =>
      this.tenancy.removeRelyingParty(call, tenant, domain, expected),
    );
    return { url: tenantAddress(tenant), banner: successBanner(REMOVED) };
  }

  private page({ tenant, domain }: RelyingPartyAddress, visit: TenantPageVisit) {
    const view = (sent: RefusedForm) => this.pages.relyingParty(tenant, domain, { ...visit, sent });
    return { template: 'relying-party', view };
  }
}
