import {
  Controller,
  Get,
  Param,
  Post,
  Query,
  Redirect,
  Render,
  Req,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { ApiExcludeController } from '../../http/openapi.js';
import { CheckedBody } from '../../validation/body.pipe.js';
import type { Request } from 'express';
import { Audited } from '../../audit/audited.js';
import { FormGuard } from '../../http/form-body.js';
import { PageInterceptor } from '../../presentation/page.interceptor.js';
import { CurrentAccount } from '../../security/account.js';
import type { Account } from '../../security/account.js';
import { AllTenants, Allow, AllowHere } from '../../security/allow.js';
import {
  ChangeTenantDto,
  CreateRelyingPartyDto,
  CreateTenantDto,
} from '../../tenancy/tenancy.dto.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import { VisibleTenantGuard } from '../../tenancy/visible.js';
import { faultsIn } from '../../validation/dto.pipe.js';
import { linesIn, textIn } from './form.js';
import { TenantPages } from './tenant-pages.js';
import type { FormPage } from './tenant-pages.js';
import { addressOf } from './tenants.view.js';
import type { Visit } from './tenants.view.js';

/** Tenants for people: all of them, and each with its relying parties. */
@ApiExcludeController()
@UseGuards(VisibleTenantGuard)
@Allow('tenants:change')
@Controller('tenants')
export class TenantsController {
  constructor(
    private readonly pages: TenantPages,
    private readonly tenancy: TenancyService,
  ) {}

  @Get()
  @AllowHere('tenants:read')
  @UseInterceptors(PageInterceptor)
  @Render('tenants')
  list(@CurrentAccount() account: Account, @Query() query: unknown) {
    const [filter, from] = [textIn(query, 'filter'), textIn(query, 'from')];
    return this.pages.list({ account, done: textIn(query, 'done') }, { filter, from });
  }

  @Post()
  @Redirect('/tenants', 303)
  @UseGuards(FormGuard)
  @AllTenants()
  @Audited(({ body }) => ({ action: 'tenant.create', tenant: body?.tenant }))
  async create(
    @CheckedBody() body: unknown,
    @Req() request: Request,
    @CurrentAccount() account: Account,
  ): Promise<{ url: string }> {
    const tenant = textIn(body, 'tenant');
    const displayName = textIn(body, 'displayName') || undefined;
    const asked = { tenant, ...(displayName && { displayName }) };
    const faults = faultsIn(CreateTenantDto, asked);
    const page: FormPage = { template: 'tenants', view: (visit) => this.pages.list(visit) };
    await this.pages.submit({ request, account }, { page, faults, taken: 'tenant' }, () =>
      this.tenancy.addTenant(asked),
    );
    return { url: `${addressOf(tenant)}?done=created` };
  }

  @Get(':tenant')
  @AllowHere('tenants:read')
  @UseInterceptors(PageInterceptor)
  @Render('tenant')
  show(
    @Param('tenant') tenant: string,
    @CurrentAccount() account: Account,
    @Query('done') done?: unknown,
  ) {
    return this.pages.tenant(tenant, { account, done });
  }

  @Post(':tenant')
  @Redirect('/tenants', 303)
  @UseGuards(FormGuard)
  @Audited(({ body }) => ({ action: 'relying-party.create', relyingParty: body?.domain }))
  async add(
    @Param('tenant') tenant: string,
    @CheckedBody() body: unknown,
    @Req() request: Request,
    @CurrentAccount() account: Account,
  ): Promise<{ url: string }> {
    const domain = textIn(body, 'domain');
    const name = textIn(body, 'name') || undefined;
    const lines = linesIn(body, 'origins');
    const origins = lines.length === 0 ? undefined : [...lines];
    const asked = { domain, ...(name && { name }), ...(origins && { origins }) };
    const faults = faultsIn(CreateRelyingPartyDto, asked);
    const page = this.page(tenant);
    await this.pages.submit({ request, account }, { page, faults, taken: 'domain' }, () =>
      this.tenancy.addRelyingParty(account, tenant, asked),
    );
    return { url: `${addressOf(tenant, domain)}?done=added` };
  }

  /** No domain holds an underscore: this is no relying party's address. */
  @Post(':tenant/_rename')
  @Redirect('/tenants', 303)
  @UseGuards(FormGuard)
  @Audited('tenant.change')
  async rename(
    @Param('tenant') tenant: string,
    @CheckedBody() body: unknown,
    @Req() request: Request,
    @CurrentAccount() account: Account,
  ): Promise<{ url: string }> {
    const displayName = textIn(body, 'displayName');
    const faults = faultsIn(ChangeTenantDto, { displayName });
    const page = this.page(tenant);
    await this.pages.submit({ request, account }, { page, faults }, () =>
      this.tenancy.changeTenant(tenant, displayName),
    );
    return { url: `${addressOf(tenant)}?done=renamed` };
  }

  @Post(':tenant/_remove')
  @Redirect('/tenants?done=removed', 303)
  @UseGuards(FormGuard)
  @AllTenants()
  @Audited('tenant.remove')
  async remove(
    @Param('tenant') tenant: string,
    @CheckedBody() body: unknown,
    @Req() request: Request,
    @CurrentAccount() account: Account,
  ): Promise<void> {
    const confirmed = textIn(body, 'confirm') === tenant;
    const faults = confirmed ? {} : { confirm: `Type ${tenant} to confirm. Nothing was deleted.` };
    const page = this.page(tenant);
    await this.pages.submit({ request, account }, { page, faults }, () =>
      this.tenancy.removeTenant(tenant),
    );
  }

  private page(tenant: string): FormPage {
    return { template: 'tenant', view: (visit: Visit) => this.pages.tenant(tenant, visit) };
  }
}
