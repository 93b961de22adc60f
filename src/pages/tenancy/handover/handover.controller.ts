import { Get, Header, Param, Post, UseGuards } from '@nestjs/common';
import { FreshSignInGuard } from '../../../platform/access/fresh-sign-in.guard.js';
import { Audited, CurrentCall, type AuditedCall } from '../../../audit/audited.js';
import { OncePerPage } from '../../../audit/forms/once-per-page.js';
import { UsageReader } from '../../../billing/usage/usage-reader.js';
import { CurrentAccount, type Account } from '../../../platform/access/accounts/account.js';
import { AllowHere } from '../../../platform/access/allow.js';
import { may } from '../../../platform/access/permissions.js';
import { FormGuard } from '../../../platform/http/body/request-body.js';
import { OwnOrigin } from '../../../platform/common/from-request.js';
import { phrase } from '../../../platform/pages/languages/phrase.js';
import { Page, PageController } from '../../../platform/pages/page.interceptor.js';
import { MAX_APPLICATION_KEY_NAME } from '../../../tenancy/keys/application-key.entity.js';
import { ApplicationKeys } from '../../../tenancy/keys/application-keys.js';
import { VisibleTenantGuard } from '../../../tenancy/scope/visible-tenants.js';
import type { RelyingPartyAddress } from '../../../tenancy/tenancy.dto.js';
import { TenancyService } from '../../../tenancy/tenancy.service.js';
import { tenantAddress } from '../tenants.view.js';
import { firstCall, programsFor } from './snippets.js';

const DAYS = 365;

/** The page with which an administrator hands a relying party over to a developer. */
@UseGuards(VisibleTenantGuard, FormGuard)
@PageController('tenants/:tenant/:domain/handover', 'application-keys:change')
export class HandoverController {
  constructor(
    private readonly tenancy: TenancyService,
    private readonly keys: ApplicationKeys,
    private readonly usage: UsageReader,
  ) {}

  @Get()
  @AllowHere('tenants:read')
  @Header('Cache-Control', 'no-store')
  @Page('handover')
  show(
    @Param() place: RelyingPartyAddress,
    @CurrentAccount() account: Account,
    @OwnOrigin() origin: string,
  ) {
    return this.view(place, account, { origin });
  }

  /** Issues a key for this relying party only, and renders the page: the secret must not be in an address. */
  @Post()
  @OncePerPage('handover')
  @Audited('application-key.issue', { guards: [FreshSignInGuard] })
  async issue(
    @Param() place: RelyingPartyAddress,
    @OwnOrigin() origin: string,
    @CurrentCall() call: AuditedCall,
  ) {
    const { tenant, domain } = place;
    await this.tenancy.relyingParty(tenant, domain);
    const name = domain.slice(0, MAX_APPLICATION_KEY_NAME);
    const dto = { tenant, name, scopes: ['ceremonies' as const], relyingParties: [domain] };
    const { secret } = await this.keys.issue(call, dto);
    return this.view(place, call.account, { origin, secret });
  }

  /** @throws ApiError E0044R */
  private async view(
    place: RelyingPartyAddress,
    account: Account,
    { origin, secret }: { readonly origin: string; readonly secret?: string },
  ) {
    const { domain } = place;
    const tenant = await this.tenancy.tenant(place.tenant);
    const rp = await this.tenancy.relyingParty(tenant.name, domain);
    const days = await this.usage.lastDaysOf(rp, DAYS);
    const address = `${tenantAddress(tenant.name, domain)}/handover`;
    return {
      title: phrase('tenants:handover.title', { domain }),
      texts: 'tenants',
      nav: { tenants: true },
      styles: ['/static/css/demo.css', '/static/css/tenants.css'],
      scripts: ['/static/js/handover.js'],
      again: secret && address,
      tenant: { address: tenantAddress(tenant.name), displayName: tenant.displayName },
      domain,
      origin,
      address,
      secret,
      /** The SDK for pages, as this server delivers it. */
      script: `${origin}/sdk/servicefido.js`,
      /** The allowed origins, one per line. */
      origins: rp.origins.join('\n'),
      keysAddress: `${tenantAddress(tenant.name)}/_keys`,
      mayIssue: may(account, 'application-keys:change'),
      firstCall: firstCall({ origin, domain }),
      programs: programsFor({ origin, domain }),
      hasSignedIn: days.some(({ authentications }) => authentications > 0),
    };
  }
}
