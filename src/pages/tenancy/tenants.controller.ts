import { Body, Get, Param, Post, Query, UseGuards } from '@nestjs/common';
import { Audited, CurrentCall, type AuditedCall } from '../../audit/audited.js';
import { ShownVersion, type ExpectedTags } from '../../platform/http/versions.js';
import { FormGuard } from '../../platform/http/body/request-body.js';
import {
  successBanner,
  warnedBanner,
  LeadsToPage,
  type RedirectWithBanner,
} from '../../platform/pages/banners.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { Page, PageController } from '../../platform/pages/page.interceptor.js';
import { submitForm, type RefusedForm } from '../../platform/pages/submit-form.js';
import { CurrentAccount, type Account } from '../../platform/access/accounts/account.js';
import { AllowHere } from '../../platform/access/allow.js';
import { ChangeTenantDto, CreateTenantDto, domainIn } from '../../tenancy/tenancy.dto.js';
import { baseIn, ensureAsShown } from '../../platform/pages/form-base.js';
import { domainWarning } from '../../tenancy/origin-warnings.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import { VisibleTenantGuard } from '../../tenancy/scope/visible-tenants.js';
import { DtoPipe, FormPipe, type SentForm } from '../../platform/validation/dto.pipe.js';
import { TenantPages, confirmedBy } from './tenant-pages.js';
import { AddRelyingPartyForm, RemoveForm, TenantsQuery } from './tenants.dto.js';
import { tenantAddress } from './tenants.view.js';

const CREATED = phrase('tenants:done.created');
const RENAMED = phrase('tenants:done.renamed');
const REMOVED = phrase('tenants:done.removed');
const ADDED = phrase('tenants:done.added');

/** The pages of tenants: the list, and each tenant with its relying parties. */
@UseGuards(VisibleTenantGuard, FormGuard)
@PageController('tenants', 'tenants:change')
export class TenantsController {
  constructor(
    private readonly pages: TenantPages,
    private readonly tenancy: TenancyService,
  ) {}

  @Get()
  @AllowHere('tenants:read')
  @Page('tenants')
  list(@CurrentAccount() account: Account, @Query(DtoPipe) query: TenantsQuery) {
    return this.pages.list({ account }, query);
  }

  @Post()
  @LeadsToPage()
  @Audited(({ body }) => ({ action: 'tenant.create', tenant: body?.tenant }), { allTenants: true })
  async create(
    @Body(new FormPipe(CreateTenantDto)) form: SentForm<CreateTenantDto>,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const view = (sent: RefusedForm) => this.pages.list({ account: call.account, sent });
    const page = { template: 'tenants', view };
    await submitForm({ ...call, form, page, field: 'tenant' }, () =>
      this.tenancy.addTenant(call, form.dto),
    );
    return { url: tenantAddress(form.dto.tenant), banner: successBanner(CREATED) };
  }

  @Get(':tenant')
  @AllowHere('tenants:read')
  @Page('tenant')
  show(@Param('tenant') tenant: string, @CurrentAccount() account: Account) {
    return this.pages.tenant(tenant, { account });
  }

  @Post(':tenant')
  @LeadsToPage()
  @Audited(({ body }) => ({ action: 'relying-party.create', relyingParty: domainIn(body?.domain) }))
  async add(
    @Param('tenant') tenant: string,
    @Body(new FormPipe(AddRelyingPartyForm)) form: SentForm<AddRelyingPartyForm>,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const page = this.page(tenant, call);
    const { domain, origins } = await submitForm({ ...call, form, page, field: 'domain' }, () =>
      this.tenancy.addRelyingParty(call, tenant, form.dto),
    );
    const banner = warnedBanner(successBanner(ADDED), domainWarning(domain, origins));
    return { url: tenantAddress(tenant, domain), banner };
  }

  @Post(':tenant/_rename')
  @LeadsToPage()
  @Audited('tenant.change')
  async rename(
    @Param('tenant') tenant: string,
    @Body(new FormPipe(ChangeTenantDto)) form: SentForm<ChangeTenantDto>,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    await submitForm({ ...call, form, page: this.page(tenant, call) }, () =>
      this.tenancy.changeTenant(call, tenant, ({ displayName: stored }) => {
        const { displayName } = form.dto;
        ensureAsShown(baseIn(form.fields), { displayName: stored }, { displayName });
        return displayName;
      }),
    );
    return { url: tenantAddress(tenant), banner: successBanner(RENAMED) };
  }

  @Post(':tenant/_remove')
  @LeadsToPage()
  @Audited('tenant.remove', { allTenants: true })
  async remove(
    @Param('tenant') tenant: string,
    @Body(new FormPipe(RemoveForm)) sent: SentForm<RemoveForm>,
    @CurrentCall() call: AuditedCall,
    @ShownVersion() expected: ExpectedTags,
  ): Promise<RedirectWithBanner> {
    const form = confirmedBy(tenant, sent);
    const page = this.page(tenant, call);
    await submitForm({ ...call, form, page, field: 'confirm' }, () =>
      this.tenancy.removeTenant(call, tenant, expected),
    );
    return { url: '/tenants', banner: successBanner(REMOVED) };
  }

  private page(tenant: string, { account }: AuditedCall) {
    const view = (sent: RefusedForm) => this.pages.tenant(tenant, { account, sent });
    return { template: 'tenant', view };
  }
}
