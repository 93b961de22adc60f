import { Body, Get, Inject, Param, Post, UseGuards } from '@nestjs/common';
import { IsIn } from 'class-validator';
import { Audited, CurrentCall, type AuditedCall } from '../../../audit/audited.js';
import { CurrentAccount, type Account } from '../../../platform/access/accounts/account.js';
import { AllowHere } from '../../../platform/access/allow.js';
import { may } from '../../../platform/access/permissions.js';
import { serverOptions, type ServerOptions } from '../../../platform/config/server-config.js';
import {
  REGISTRATION_MODES,
  type RegistrationMode,
} from '../../../platform/config/registration-modes.js';
import { FormGuard } from '../../../platform/http/body/request-body.js';
import { ShownVersion, tagOf, type ExpectedTags } from '../../../platform/http/versions.js';
import { LeadsToPage, type RedirectWithBanner } from '../../../platform/pages/banners.js';
import { phrase } from '../../../platform/pages/languages/phrase.js';
import { Page, PageController } from '../../../platform/pages/page.interceptor.js';
import { DtoPipe } from '../../../platform/validation/dto.pipe.js';
import { readPolicy } from '../../../tenancy/policy/policy.js';
import { VisibleTenantGuard } from '../../../tenancy/scope/visible-tenants.js';
import type { RelyingPartyAddress } from '../../../tenancy/tenancy.dto.js';
import { TenancyService } from '../../../tenancy/tenancy.service.js';
import { TenantPages } from '../tenant-pages.js';
import { commonView, tenantAddress } from '../tenants.view.js';

class WhoMayRegisterForm {
  @IsIn(REGISTRATION_MODES)
  registration!: RegistrationMode;
}

/** The page with the one choice that every relying party needs first; its other rules are on its own page. */
@UseGuards(VisibleTenantGuard, FormGuard)
@PageController('tenants/:tenant/:domain/registration', 'policies:change')
export class WhoMayRegisterController {
  constructor(
    private readonly tenancy: TenancyService,
    private readonly pages: TenantPages,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {}

  @Get()
  @AllowHere('tenants:read')
  @Page('who-may-register')
  async show(
    @Param() { tenant: name, domain }: RelyingPartyAddress,
    @CurrentAccount() account: Account,
  ) {
    const tenant = await this.tenancy.tenant(name);
    const rp = await this.tenancy.relyingParty(name, domain);
    const rule = readPolicy(rp.policy).registration;
    const chosen = rule?.mode === 'enforce' ? rule.value : undefined;
    const { registration: least } = this.options;
    return {
      ...commonView(phrase('policy:register.title', { domain }), { account }),
      address: `${tenantAddress(name, domain)}/registration`,
      party: tenantAddress(name, domain),
      tenant: { address: tenantAddress(name), displayName: tenant.displayName },
      domain,
      tag: tagOf(rp.changedAt),
      choices: REGISTRATION_MODES.map((value) => ({
        value,
        text: phrase(`policy:register.choices.${value}`),
        selected: value === chosen,
      })),
      /** What the server demands of all relying parties. */
      least: least === 'open' ? undefined : phrase(`policy:values.registration.${least}`),
      mayChange: may(account, 'policies:change'),
    };
  }

  @Post()
  @LeadsToPage()
  @Audited('relying-party.change')
  async change(
    @Param() { tenant, domain }: RelyingPartyAddress,
    @Body(DtoPipe) { registration }: WhoMayRegisterForm,
    @ShownVersion() expected: ExpectedTags,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const change = await this.tenancy.changeRelyingParty(
      call,
      tenant,
      domain,
      ({ policy }) => ({ policy: { ...policy, registration } }),
      expected,
    );
    return { url: tenantAddress(tenant, domain), banner: this.pages.saved(change) };
  }
}
