import { Body, Controller, Get, Param, Post, Query, UseGuards } from '@nestjs/common';
import type { AuditNote } from '../../audit/audit-trail.js';
import { Audited, CurrentNote } from '../../audit/audited.js';
import { ShownVersion, type ExpectedTags } from '../../platform/http/versions.js';
import { FormGuard } from '../../platform/http/body/form-body.js';
import {
  successBanner,
  LeadsToPage,
  type RedirectWithBanner,
} from '../../platform/pages/banners.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { Page } from '../../platform/pages/page.interceptor.js';
import { CurrentAccount, type Account } from '../../platform/access/accounts/account.js';
import { AllTenants, Allow, AllowHere } from '../../platform/access/allow.js';
import { ChangeTenantDto, CreateTenantDto } from '../tenancy.dto.js';
import { baseIn, ensureAsShown } from '../../platform/pages/form-base.js';
import { TenancyService } from '../tenancy.service.js';
import { tenantDifferences } from '../changes/relying-party-change.js';
import { VisibleTenantGuard } from '../scope/visible-tenants.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { FormPipe, type SentForm } from '../../platform/validation/form.pipe.js';
import {
  CurrentSender,
  TenantPages,
  confirmedBy,
  type FormPage,
  type Sender,
} from './tenant-pages.js';
import { AddRelyingPartyForm, RemoveForm, TenantsQuery } from './tenants.dto.js';
import { tenantAddress, type TenantPageVisit } from './tenants.view.js';

const CREATED = phrase('tenants:done.created');
const RENAMED = phrase('tenants:done.renamed');
const REMOVED = phrase('tenants:done.removed');
const ADDED = phrase('tenants:done.added');

/** The pages of tenants: the list, and each tenant with its relying parties. */
@UseGuards(VisibleTenantGuard, FormGuard)
@Allow('tenants:change')
@Controller('tenants')
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
  @AllTenants()
  @Audited(({ body }) => ({ action: 'tenant.create', tenant: body?.tenant }))
  async create(
    @Body(new FormPipe(CreateTenantDto)) form: SentForm<CreateTenantDto>,
    @CurrentSender() sender: Sender,
  ): Promise<RedirectWithBanner> {
    const page: FormPage = { template: 'tenants', view: (visit) => this.pages.list(visit) };
    await this.pages.submit(sender, { form, page, taken: 'tenant' }, () =>
      this.tenancy.addTenant(form.dto),
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
  @Audited(({ body }) => ({ action: 'relying-party.create', relyingParty: body?.domain }))
  async add(
    @Param('tenant') tenant: string,
    @Body(new FormPipe(AddRelyingPartyForm)) form: SentForm<AddRelyingPartyForm>,
    @CurrentSender() sender: Sender,
  ): Promise<RedirectWithBanner> {
    await this.pages.submit(sender, { form, page: this.page(tenant), taken: 'domain' }, () =>
      this.tenancy.addRelyingParty(sender.account, tenant, form.dto),
    );
    return { url: tenantAddress(tenant, form.dto.domain), banner: successBanner(ADDED) };
  }

  /** A domain contains no underscore, so this is not the address of a relying party. */
  @Post(':tenant/_rename')
  @LeadsToPage()
  @Audited('tenant.change')
  async rename(
    @Param('tenant') tenant: string,
    @Body(new FormPipe(ChangeTenantDto)) form: SentForm<ChangeTenantDto>,
    @CurrentSender() sender: Sender,
    @CurrentNote() note: AuditNote,
  ): Promise<RedirectWithBanner> {
    const change = await this.pages.submit(sender, { form, page: this.page(tenant) }, () =>
      this.tenancy.changeTenant(tenant, ({ displayName: stored }) => {
        const { displayName } = form.dto;
        ensureAsShown(baseIn(form.fields), { displayName: stored }, { displayName });
        return displayName;
      }),
    );
    note.detail = tenantDifferences(change);
    return { url: tenantAddress(tenant), banner: successBanner(RENAMED) };
  }

  @Post(':tenant/_remove')
  @LeadsToPage()
  @AllTenants()
  @Audited('tenant.remove')
  async remove(
    @Param('tenant') tenant: string,
    @Body(new FormPipe(RemoveForm)) sent: SentForm<RemoveForm>,
    @CurrentSender() sender: Sender,
    @ShownVersion() expected: ExpectedTags,
  ): Promise<RedirectWithBanner> {
    const form = confirmedBy(tenant, sent);
    const submission = { form, page: this.page(tenant), taken: 'confirm' };
    await this.pages.submit(sender, submission, () => this.tenancy.removeTenant(tenant, expected));
    return { url: '/tenants', banner: successBanner(REMOVED) };
  }

  private page(tenant: string): FormPage {
    return {
      template: 'tenant',
      view: (visit: TenantPageVisit) => this.pages.tenant(tenant, visit),
    };
  }
}
