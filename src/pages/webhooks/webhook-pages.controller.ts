import { Body, Get, HttpCode, Inject, Param, Post, UseGuards } from '@nestjs/common';
import { failurePhrase } from '../../webhooks/delivery/failure-words.js';
import { Audited, CurrentCall, type AuditedCall } from '../../audit/audited.js';
import { OncePerPage } from '../../audit/forms/once-per-page.js';
import { ShownVersion, type ExpectedTags } from '../../platform/http/versions.js';
import { FormGuard } from '../../platform/http/body/request-body.js';
import {
  successBanner,
  failureBanner,
  LeadsToPage,
  type Banner,
  type RedirectWithBanner,
} from '../../platform/pages/banners.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { Page, PageController } from '../../platform/pages/page.interceptor.js';
import { submitForm, type RefusedForm } from '../../platform/pages/submit-form.js';
import { CurrentAccount, type Account } from '../../platform/access/accounts/account.js';
import { AllowHere } from '../../platform/access/allow.js';
import { VisibleTenantGuard } from '../../tenancy/scope/visible-tenants.js';
import {
  IsOneText,
  IsWithin,
  ReadsNumber,
  ReadsTicks,
} from '../../platform/validation/decorators.js';
import { DtoPipe, FormPipe, type SentForm } from '../../platform/validation/dto.pipe.js';
import { WebhookState } from '../../webhooks/delivery/webhook-state.js';
import { Redelivery } from '../../webhooks/redelivery.js';
import { Webhooks } from '../../webhooks/webhooks.js';
import type { TenantPageVisit } from '../tenancy/tenants.view.js';
import { MayNameRelyingParties } from '../../tenancy/tenancy.validators.js';
import { IsWebhookKinds, IsWebhookUrl } from '../../webhooks/webhook.dto.js';
import type { WebhookKind } from '../../webhooks/webhook-kinds.js';
import type { DeliveryOutcome } from '../../webhooks/delivery/webhook-client.js';
import { WebhookRows, type TenantWebhook } from '../../webhooks/webhook-rows.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import {
  deliveriesAddress,
  deliveriesPage,
  webhooksAddress,
  webhooksPage,
} from './webhooks.view.js';

class WebhookForm {
  @IsWebhookUrl()
  url!: string;

  @ReadsTicks()
  @IsWebhookKinds()
  events!: WebhookKind[];

  @ReadsTicks()
  @MayNameRelyingParties()
  relyingParties?: string[];
}

class AgainForm {
  @IsOneText()
  kind!: string;

  @ReadsNumber()
  @IsWithin(1, Number.MAX_SAFE_INTEGER)
  number!: number;
}

class AddressForm {
  @IsWebhookUrl()
  newUrl!: string;
}

const ON = phrase('tenants:done.webhookOn');
const OFF = phrase('tenants:done.webhookOff');
const MOVED = phrase('tenants:done.webhookMoved');

/** The parameters of a webhook's address. */
interface WebhookAddress {
  readonly tenant: string;
  readonly id: string;
}

/** Whether a message that was sent apart has arrived: a test, or one of the log `again`. */
function bannerOf(
  { url }: TenantWebhook,
  outcome: DeliveryOutcome,
  what: 'test' | 'again',
): Banner {
  const { host } = new URL(url);
  if (outcome.arrived) return successBanner(phrase(`tenants:webhooks.arrived.${what}`, { host }));
  const failure = failurePhrase(outcome.failure);
  return failureBanner(phrase(`tenants:webhooks.missed.${what}`, { host, failure }));
}

/** The pages of a tenant's webhooks. */
@UseGuards(VisibleTenantGuard, FormGuard)
@PageController('tenants/:tenant/_webhooks', 'webhooks:change')
export class WebhookPagesController {
  constructor(
    private readonly webhooks: Webhooks,
    private readonly rows: WebhookRows,
    private readonly state: WebhookState,
    private readonly redelivery: Redelivery,
    private readonly tenancy: TenancyService,
    private readonly relyingParties: RelyingPartyCache,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {}

  @Get()
  @AllowHere('webhooks:read')
  @Page('webhooks')
  show(@Param('tenant') tenant: string, @CurrentAccount() account: Account) {
    return this.page(tenant, { account });
  }

  /** Renders the page: a secret that is shown only once must not be in an address. */
  @Post()
  @HttpCode(200)
  @OncePerPage('webhooks')
  @Audited('webhook.create')
  async create(
    @Param('tenant') tenant: string,
    @Body(new FormPipe(WebhookForm)) form: SentForm<WebhookForm>,
    @CurrentCall() call: AuditedCall,
  ) {
    const { account, request } = call;
    const view = (sent: RefusedForm) => this.page(tenant, { account, sent });
    const page = { template: 'webhooks', view };
    const { secret } = await submitForm({ request, form, page, field: 'url' }, () =>
      this.webhooks.create(call, { tenant, ...form.dto }),
    );
    return this.page(tenant, { account }, { secret });
  }

  @Post(':id/secret')
  @HttpCode(200)
  @OncePerPage('webhooks')
  @Audited('webhook.rotate', { target: 'id' })
  async rotate(@Param() { tenant, id }: WebhookAddress, @CurrentCall() call: AuditedCall) {
    const { secret } = await this.webhooks.rotate(call, id);
    return this.page(tenant, call, { secret });
  }

  @Post(':id/test')
  @LeadsToPage()
  @Audited('webhook.test', { target: 'id' })
  async test(
    @Param() { tenant, id }: WebhookAddress,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const { webhook, outcome } = await this.webhooks.test(call, id);
    return { url: webhooksAddress(tenant), banner: bannerOf(webhook, outcome, 'test') };
  }

  /** The log of the last attempts to deliver a message. */
  @Get(':id')
  @AllowHere('webhooks:read')
  @Page('webhook-deliveries')
  async deliveries(@Param() { tenant, id }: WebhookAddress, @CurrentAccount() account: Account) {
    const webhook = await this.rows.find(account, id);
    return deliveriesPage(
      {
        tenant: await this.tenancy.tenant(tenant),
        webhook,
        attempts: await this.state.attemptsOf(webhook),
      },
      { account },
    );
  }

  @Post(':id/again')
  @LeadsToPage()
  @Audited('webhook.resend', { target: 'id' })
  async sendAgain(
    @Param() { tenant, id }: WebhookAddress,
    @Body(DtoPipe) form: AgainForm,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const { webhook, outcome } = await this.redelivery.send(call, id, form);
    return { url: deliveriesAddress(tenant, id), banner: bannerOf(webhook, outcome, 'again') };
  }

  @Post(':id/address')
  @LeadsToPage()
  @Audited('webhook.change', { target: 'id' })
  async move(
    @Param() { tenant, id }: WebhookAddress,
    @Body(new FormPipe(AddressForm)) form: SentForm<AddressForm>,
    @ShownVersion() expected: ExpectedTags,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const { account, request } = call;
    const view = (sent: RefusedForm) => this.page(tenant, { account, sent }, { edited: id });
    const page = { template: 'webhooks', view };
    await submitForm({ request, form, page, field: 'newUrl' }, () =>
      this.webhooks.change(call, id, { url: form.dto.newUrl }, expected),
    );
    return { url: webhooksAddress(tenant), banner: successBanner(MOVED) };
  }

  @Post(':id/on')
  @LeadsToPage()
  @Audited('webhook.change', { target: 'id' })
  on(
    @Param() address: WebhookAddress,
    @ShownVersion() expected: ExpectedTags,
    @CurrentCall() call: AuditedCall,
  ) {
    return this.switch(address, call, { expected, enabled: true });
  }

  @Post(':id/off')
  @LeadsToPage()
  @Audited('webhook.change', { target: 'id' })
  off(
    @Param() address: WebhookAddress,
    @ShownVersion() expected: ExpectedTags,
    @CurrentCall() call: AuditedCall,
  ) {
    return this.switch(address, call, { expected, enabled: false });
  }

  @Post(':id/remove')
  @LeadsToPage()
  @Audited('webhook.remove', { target: 'id' })
  async remove(
    @Param() { tenant, id }: WebhookAddress,
    @ShownVersion() expected: ExpectedTags,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    await this.webhooks.remove(call, id, expected);
    return {
      url: webhooksAddress(tenant),
      banner: successBanner(phrase('tenants:done.webhookRemoved')),
    };
  }

  private async switch(
    { tenant, id }: WebhookAddress,
    call: AuditedCall,
    { expected, enabled }: { readonly expected: ExpectedTags; readonly enabled: boolean },
  ): Promise<RedirectWithBanner> {
    await this.webhooks.change(call, id, { enabled }, expected);
    return { url: webhooksAddress(tenant), banner: successBanner(enabled ? ON : OFF) };
  }

  /**
   * @param shown a secret that was just created; the webhook whose new address was refused
   * @throws ApiError E0044R
   */
  private async page(
    name: string,
    visit: TenantPageVisit,
    shown: { readonly secret?: string; readonly edited?: string } = {},
  ) {
    const parties = await this.tenancy.listRelyingParties(name);
    const data = {
      tenant: await this.tenancy.tenant(name),
      webhooks: await this.rows.list(visit.account, name),
      domains: parties.map(({ domain }) => domain),
      relyingParties: this.relyingParties.current,
      allowsPrivate: this.options.webhookPrivate,
    };
    return webhooksPage({ ...data, ...shown }, visit);
  }
}
