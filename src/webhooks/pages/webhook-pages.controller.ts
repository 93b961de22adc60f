import { Body, Controller, Get, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { failurePhrase } from '../delivery/failure-words.js';
import type { AuditNote } from '../../audit/audit-trail.js';
import { Audited, CurrentNote } from '../../audit/audited.js';
import { OncePerPage } from '../../audit/forms/once-per-page.js';
import { ShownVersion, type ExpectedTags } from '../../platform/http/versions.js';
import { FormGuard } from '../../platform/http/body/form-body.js';
import {
  successBanner,
  failureBanner,
  LeadsToPage,
  type RedirectWithBanner,
} from '../../platform/pages/banners.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { Page } from '../../platform/pages/page.interceptor.js';
import { CurrentAccount, type Account } from '../../platform/access/accounts/account.js';
import { Allow, AllowHere } from '../../platform/access/allow.js';
import { VisibleTenantGuard } from '../../tenancy/scope/visible-tenants.js';
import { ReadsTicks } from '../../platform/validation/decorators.js';
import { FormPipe, type SentForm } from '../../platform/validation/form.pipe.js';
import { WebhookTrial } from '../delivery/webhook-trial.js';
import { webhookDifferences, webhookFacts } from '../webhook.view.js';
import { Webhooks } from '../webhooks.service.js';
import { CurrentSender, TenantPages, type Sender } from '../../tenancy/pages/tenant-pages.js';
import { tenantAddress } from '../../tenancy/pages/tenants.view.js';
import { WebhookPages } from './webhook-pages.js';
import { ValidateIf } from 'class-validator';
import type { EventKind } from '../../events/event.entity.js';
import { IsDomains } from '../../tenancy/tenancy.rules.js';
import { code, isPresent } from '../../platform/validation/rule.js';
import { IsEventKinds, IsWebhookUrl } from '../webhook.dto.js';

class WebhookForm {
  @IsWebhookUrl(code('E0045R'))
  url!: string;

  @ReadsTicks()
  @IsEventKinds(code('E0045R'))
  events!: EventKind[];

  @ReadsTicks()
  @ValidateIf(isPresent)
  @IsDomains(code('E0045R'))
  relyingParties?: string[];
}

const ON = phrase('tenants:done.webhookOn');
const OFF = phrase('tenants:done.webhookOff');

/** The parameters of the address. */
interface Place {
  readonly tenant: string;
  readonly id: string;
}

interface SwitchParts {
  readonly account: Account;
  readonly note: AuditNote;
  readonly expected: ExpectedTags;
  readonly enabled: boolean;
}

/** The pages of a tenant's webhooks. A domain contains no underscore, so this is not the address of a relying party. */
@UseGuards(VisibleTenantGuard, FormGuard)
@Allow('webhooks:change')
@Controller('tenants/:tenant/_webhooks')
export class WebhookPagesController {
  constructor(
    private readonly pages: WebhookPages,
    private readonly forms: TenantPages,
    private readonly webhooks: Webhooks,
    private readonly trial: WebhookTrial,
  ) {}

  @Get()
  @AllowHere('webhooks:read')
  @Page('webhooks')
  show(@Param('tenant') tenant: string, @CurrentAccount() account: Account) {
    return this.pages.page(tenant, { account });
  }

  /** Renders the page: a secret that is shown only once must not be in an address. */
  @OncePerPage()
  @Post()
  @HttpCode(200)
  @Page('webhooks')
  @Audited('webhook.create')
  async create(
    @Param('tenant') tenant: string,
    @Body(new FormPipe(WebhookForm)) form: SentForm<WebhookForm>,
    @CurrentSender() sender: Sender,
    @CurrentNote() note: AuditNote,
  ) {
    let secret = '';
    const page = {
      template: 'webhooks' as const,
      view: (visit: Parameters<WebhookPages['page']>[1]) => this.pages.page(tenant, visit),
    };
    await this.forms.submit(sender, { form, page, taken: 'url' }, async () => {
      const created = await this.webhooks.create(sender.account, { tenant, ...form.dto });
      note.detail = webhookFacts(created.webhook);
      secret = created.secret;
    });
    return this.pages.page(tenant, { account: sender.account }, secret);
  }

  @OncePerPage()
  @Post(':id/secret')
  @HttpCode(200)
  @Page('webhooks')
  @Audited('webhook.rotate')
  async rotate(
    @Param() { tenant, id }: Place,
    @CurrentAccount() account: Account,
    @CurrentNote() note: AuditNote,
  ) {
    const { webhook, secret } = await this.webhooks.rotate(account, id);
    note.detail = webhookFacts(webhook);
    return this.pages.page(tenant, { account }, secret);
  }

  @Post(':id/test')
  @LeadsToPage()
  @Audited('webhook.test')
  async test(
    @Param() { tenant, id }: Place,
    @CurrentAccount() account: Account,
    @CurrentNote() note: AuditNote,
  ): Promise<RedirectWithBanner> {
    const { webhook, outcome } = await this.trial.send(account, id);
    note.detail = webhookFacts(webhook);
    const { host } = new URL(webhook.url);
    const banner = outcome.arrived
      ? successBanner(phrase('tenants:webhooks.arrived', { host }))
      : failureBanner(
          phrase('tenants:webhooks.missed', { host, failure: failurePhrase(outcome.failure) }),
        );
    return { url: `${tenantAddress(tenant)}/_webhooks`, banner };
  }

  @Post(':id/on')
  @LeadsToPage()
  @Audited('webhook.change')
  on(
    @Param() place: Place,
    @ShownVersion() expected: ExpectedTags,
    @CurrentAccount() account: Account,
    @CurrentNote() note: AuditNote,
  ) {
    return this.switch(place, { account, note, expected, enabled: true });
  }

  @Post(':id/off')
  @LeadsToPage()
  @Audited('webhook.change')
  off(
    @Param() place: Place,
    @ShownVersion() expected: ExpectedTags,
    @CurrentAccount() account: Account,
    @CurrentNote() note: AuditNote,
  ) {
    return this.switch(place, { account, note, expected, enabled: false });
  }

  @Post(':id/remove')
  @LeadsToPage()
  @Audited('webhook.remove')
  async remove(
    @Param() { tenant, id }: Place,
    @ShownVersion() expected: ExpectedTags,
    @CurrentAccount() account: Account,
    @CurrentNote() note: AuditNote,
  ): Promise<RedirectWithBanner> {
    note.detail = webhookFacts(await this.webhooks.remove(account, id, expected));
    return {
      url: `${tenantAddress(tenant)}/_webhooks`,
      banner: successBanner(phrase('tenants:done.webhookRemoved')),
    };
  }

  private async switch(
    { tenant, id }: Place,
    { account, note, expected, enabled }: SwitchParts,
  ): Promise<RedirectWithBanner> {
    note.detail = webhookDifferences(
      await this.webhooks.change(account, id, { enabled }, expected),
    );
    return { url: `${tenantAddress(tenant)}/_webhooks`, banner: successBanner(enabled ? ON : OFF) };
  }
}
