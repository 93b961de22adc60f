import { Body, Get, Param, Post, UseGuards } from '@nestjs/common';
import { FreshSignInGuard } from '../../../platform/access/fresh-sign-in.guard.js';
import { Audited, CurrentCall, type AuditedCall } from '../../../audit/audited.js';
import { OncePerPage } from '../../../audit/forms/once-per-page.js';
import { Clock } from '../../../platform/common/clock.js';
import { ShownVersion, type ExpectedTags } from '../../../platform/http/versions.js';
import { FormGuard } from '../../../platform/http/body/request-body.js';
import {
  successBanner,
  LeadsToPage,
  type RedirectWithBanner,
} from '../../../platform/pages/banners.js';
import { phrase } from '../../../platform/pages/languages/phrase.js';
import { Page, PageController } from '../../../platform/pages/page.interceptor.js';
import { submitForm, type RefusedForm } from '../../../platform/pages/submit-form.js';
import { CurrentAccount, type Account } from '../../../platform/access/accounts/account.js';
import { AllowHere } from '../../../platform/access/allow.js';
import { ApplicationKeys } from '../../../tenancy/keys/application-keys.js';
import { TenancyService } from '../../../tenancy/tenancy.service.js';
import { RelyingPartyCache } from '../../../tenancy/scope/relying-party-cache.js';
import { VisibleTenantGuard } from '../../../tenancy/scope/visible-tenants.js';
import { MayBeEmpty, ReadsTicks } from '../../../platform/validation/decorators.js';
import { FormPipe, type SentForm } from '../../../platform/validation/dto.pipe.js';
import { IsTimeZone, startOfDayIn } from '../../../platform/validation/values/moment.js';
import type { TenantPageVisit } from '../tenants.view.js';
import { IssueKeyDto } from '../../../tenancy/keys/application-key.dto.js';
import type { KeyPermission } from '../../../platform/access/permissions.js';
import { applicationKeysPage, keysAddress, type IssuedKey } from './application-keys.view.js';

/** Issues a key for the tenant in the page's address. */
class IssueKeyForm extends IssueKeyDto {
  @ReadsTicks()
  override relyingParties?: string[];

  @ReadsTicks()
  override scopes!: KeyPermission[];

  /** The time zone of the date `expiresAt`; UTC if absent. */
  @MayBeEmpty()
  @IsTimeZone()
  zone?: string;
}

const REVOKED = phrase('tenants:done.revoked');

/** The page of a tenant's application keys. The underscore distinguishes its path from those of relying parties. */
@UseGuards(VisibleTenantGuard, FormGuard)
@PageController('tenants/:tenant/_keys', 'application-keys:change')
export class ApplicationKeysPageController {
  constructor(
    private readonly keys: ApplicationKeys,
    private readonly tenancy: TenancyService,
    private readonly relyingParties: RelyingPartyCache,
    private readonly clock: Clock,
  ) {}

  @Get()
  @AllowHere('application-keys:read')
  @Page('application-keys')
  list(@Param('tenant') tenant: string, @CurrentAccount() account: Account) {
    return this.view(tenant, { account });
  }

  /** Renders the page instead of redirecting: the secret must not be in an address. */
  @Post()
  @OncePerPage('application-keys')
  @Audited(({ body }) => ({ action: 'application-key.issue', target: body?.name }), {
    guards: [FreshSignInGuard],
  })
  async issue(
    @Param('tenant') tenant: string,
    @Body(new FormPipe(IssueKeyForm)) form: SentForm<IssueKeyForm>,
    @CurrentCall() call: AuditedCall,
  ) {
    const { account, request } = call;
    const view = (sent: RefusedForm) => this.view(tenant, { account, sent });
    const page = { template: 'application-keys', view };
    const { key, secret } = await submitForm({ request, form, page, field: 'expiresAt' }, () => {
      const { zone, expiresAt, ...dto } = form.dto;
      const expires = expiresAt !== undefined && { expiresAt: startOfDayIn(expiresAt, zone) };
      return this.keys.issue(call, { ...dto, ...expires, tenant });
    });
    return this.view(tenant, { account }, { name: key.name, secret });
  }

  @Post(':id/_revoke')
  @LeadsToPage()
  @Audited('application-key.revoke', { target: 'id' })
  async revoke(
    @Param('tenant') tenant: string,
    @Param('id') id: string,
    @ShownVersion() expected: ExpectedTags,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    await this.keys.revoke(call, id, expected);
    return { url: keysAddress(tenant), banner: successBanner(REVOKED) };
  }

  private async view(name: string, visit: TenantPageVisit, issued?: IssuedKey) {
    const tenant = await this.tenancy.tenant(name);
    const keys = await this.keys.list(visit.account, { tenant: name, revoked: 'no' });
    const { current: relyingParties } = this.relyingParties;
    return applicationKeysPage(
      { tenant, keys, relyingParties, issued, now: this.clock.now() },
      visit,
    );
  }
}
