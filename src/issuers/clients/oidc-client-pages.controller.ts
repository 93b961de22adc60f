import { Body, Get, Inject, Param, Post, UseGuards } from '@nestjs/common';
import { Audited, CurrentCall, type AuditedCall } from '../../audit/audited.js';
import { OncePerPage } from '../../audit/forms/once-per-page.js';
import { CurrentAccount, type Account } from '../../platform/access/accounts/account.js';
import { AllowHere } from '../../platform/access/allow.js';
import { FreshSignInGuard } from '../../platform/access/fresh-sign-in.guard.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { FormGuard } from '../../platform/http/body/request-body.js';
import { ShownVersion, type ExpectedTags } from '../../platform/http/versions.js';
import {
  LeadsToPage,
  successBanner,
  type RedirectWithBanner,
} from '../../platform/pages/banners.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { Page, PageController } from '../../platform/pages/page.interceptor.js';
import { submitForm, type PageVisit, type RefusedForm } from '../../platform/pages/submit-form.js';
import { Reads } from '../../platform/validation/decorators.js';
import { FormPipe, type SentForm } from '../../platform/validation/dto.pipe.js';
import { nonEmptyLines } from '../../pages/tenancy/form.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import { PathRelyingParty } from '../../tenancy/scope/path-relying-party.js';
import { VisibleTenantGuard } from '../../tenancy/scope/visible-tenants.js';
import { clientsAddress, clientsPage, type ShownSecret } from './oidc-client-pages.view.js';
import { CreateClientDto } from './oidc-client.dto.js';
import { OidcClients } from './oidc-clients.js';

const linesOf = (text: string) => [...nonEmptyLines(text)];

/** The form of a new client: addresses are lines of a text, and `groups` is a checkbox. */
class CreateClientForm extends CreateClientDto {
  @Reads(linesOf)
  override redirectUris?: string[];

  @Reads(linesOf)
  override postLogoutRedirectUris?: string[];

  @Reads((text) => text === 'yes')
  override groups?: boolean;
}

const TEMPLATE = 'oidc-clients';

/** The page of a relying party's clients. */
@UseGuards(VisibleTenantGuard, FormGuard)
@PageController('tenants/:tenant/:domain/_clients', 'clients:change')
export class OidcClientPagesController {
  constructor(
    private readonly clients: OidcClients,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
    private readonly tenancy: TenancyService,
  ) {}

  @Get()
  @AllowHere('clients:read')
  @Page(TEMPLATE)
  list(@PathRelyingParty() rp: RelyingParty, @CurrentAccount() account: Account) {
    return this.view(rp, { account });
  }

  /** Renders the page instead of redirecting: the secret must not be in an address. */
  @Post()
  @OncePerPage(TEMPLATE)
  @Audited(({ body }) => ({ action: 'oidc-client.create', target: body?.name }), {
    guards: [FreshSignInGuard],
  })
  async create(
    @PathRelyingParty() rp: RelyingParty,
    @Body(new FormPipe(CreateClientForm)) form: SentForm<CreateClientForm>,
    @CurrentCall() call: AuditedCall,
  ) {
    const { account, request } = call;
    const view = (sent: RefusedForm) => this.view(rp, { account, sent });
    const page = { template: TEMPLATE, view };
    const { client, secret } = await submitForm({ request, form, page, field: 'name' }, () =>
      this.clients.create(call, rp, form.dto),
    );
    return this.view(rp, { account }, { client, secret });
  }

  @Post(':client/_secret')
  @OncePerPage(TEMPLATE)
  @Audited('oidc-client.rotate', { target: 'client', guards: [FreshSignInGuard] })
  async rotate(
    @PathRelyingParty() rp: RelyingParty,
    @Param('client') clientId: string,
    @CurrentCall() call: AuditedCall,
  ) {
    const shown = await this.clients.rotate(call, rp, clientId);
    return this.view(rp, { account: call.account }, shown);
  }

  @Post(':client/_remove')
  @LeadsToPage()
  @Audited('oidc-client.remove', { target: 'client' })
  async remove(
    @PathRelyingParty() rp: RelyingParty,
    @Param('client') clientId: string,
    @ShownVersion() expected: ExpectedTags,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const { name } = await this.clients.remove(call, rp, clientId, expected);
    const banner = successBanner(phrase('oidc:clients.removed', { name }));
    return { url: clientsAddress(rp), banner };
  }

  private async view(rp: RelyingParty, visit: PageVisit, shown?: ShownSecret) {
    const clients = await this.clients.list(rp);
    const tenant = await this.tenancy.tenant(rp.tenant);
    return clientsPage({ rp, tenant, clients, options: this.options, shown }, visit);
  }
}
