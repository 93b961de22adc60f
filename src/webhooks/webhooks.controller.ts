import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { Audited, CurrentCall, type AuditedCall } from '../audit/audited.js';
import { JsonGuard } from '../platform/http/body/request-body.js';
import { ok } from '../platform/http/ok.js';
import { IfMatch, type ExpectedTags } from '../platform/http/versions.js';
import { ForAudience, Operation } from '../platform/http/openapi/operation.js';
import { CurrentAccount, type Account } from '../platform/access/accounts/account.js';
import { Allow, AllowHere } from '../platform/access/allow.js';
import { RelyingPartyCache } from '../tenancy/scope/relying-party-cache.js';
import { DtoPipe } from '../platform/validation/dto.pipe.js';
import { failureText } from './delivery/failure-words.js';
import {
  SetAsideAnswer,
  WebhookAnswer,
  WebhookSecretAnswer,
  WebhookTestAnswer,
  WebhooksAnswer,
  webhookView,
} from './webhook.answer.js';
import { SetAsideMessages } from './set-aside-messages.js';
import { ChangeWebhookDto, CreateWebhookDto, ListWebhooksQuery } from './webhook.dto.js';
import { webhookFacts } from './webhook-facts.js';
import { Webhooks } from './webhooks.js';
import { WebhookRows, type TenantWebhook } from './webhook-rows.js';

const ID = { example: 'AZqW1nYkcP2y8uGd4yQ2oQ', description: 'ID of the webhook' };

/** Webhooks, which send a tenant's events to its applications, for administrators. */
@ForAudience('administrator', { id: ID })
@Allow('webhooks:change')
@Controller('tenantapi/webhooks')
export class WebhooksController {
  constructor(
    private readonly webhooks: Webhooks,
    private readonly rows: WebhookRows,
    private readonly setAside: SetAsideMessages,
    private readonly relyingParties: RelyingPartyCache,
  ) {}

  @Get()
  @AllowHere('webhooks:read')
  @Operation('listWebhooks', 'Lists webhooks with their states', {
    answers: WebhooksAnswer,
    refuses: ['E0044R'],
  })
  async list(@CurrentAccount() account: Account, @Query(DtoPipe) query: ListWebhooksQuery) {
    const found = await this.webhooks.list(account, query.tenant);
    return ok({ webhooks: found.map((webhook) => this.viewOf(webhook)) });
  }

  @Post()
  @Audited(({ body }) => ({ action: 'webhook.create', tenant: body?.tenant }), {
    guards: [JsonGuard],
  })
  @Operation('createWebhook', 'Creates a webhook; its secret is shown only once', {
    answers: WebhookSecretAnswer,
    refusesMisspeltNames: true,
    versionOf: ({ webhook }) => webhook.version,
    refuses: ['E0044R', 'E0045R'],
  })
  async create(@Body(DtoPipe) dto: CreateWebhookDto, @CurrentCall() call: AuditedCall) {
    const { webhook, secret } = await this.webhooks.create(call, dto);
    return { ...this.answerOf(webhook), secret };
  }

  @Get(':id')
  @AllowHere('webhooks:read')
  @Operation('readWebhook', 'Shows a webhook', {
    answers: WebhookAnswer,
    versionOf: ({ webhook }) => webhook.version,
    refuses: ['E0044R'],
  })
  async read(@Param('id') id: string, @CurrentAccount() account: Account) {
    return this.answerOf(await this.rows.find(account, id));
  }

  @Patch(':id')
  @Audited('webhook.change', { target: 'id', guards: [JsonGuard] })
  @Operation('changeWebhook', 'Changes a webhook, or switches it on or off', {
    answers: WebhookAnswer,
    versionOf: ({ webhook }) => webhook.version,
    refuses: ['E0044R', 'E0045R', 'E0053R'],
    sends: { events: ['registration', 'clone-alarm'] },
  })
  async change(
    @Param('id') id: string,
    @Body(DtoPipe) dto: ChangeWebhookDto,
    @IfMatch() expected: ExpectedTags,
    @CurrentCall() call: AuditedCall,
  ) {
    return this.answerOf(await this.webhooks.change(call, id, dto, expected));
  }

  @Delete(':id')
  @Audited('webhook.remove', { target: 'id' })
  @Operation('removeWebhook', 'Deletes a webhook', {
    answers: WebhookAnswer,
    refuses: ['E0044R', 'E0053R'],
  })
  async remove(
    @Param('id') id: string,
    @IfMatch() expected: ExpectedTags,
    @CurrentCall() call: AuditedCall,
  ) {
    return this.answerOf(await this.webhooks.remove(call, id, expected));
  }

  @Post(':id/secret')
  @Audited('webhook.rotate', { target: 'id' })
  @Operation(
    'rotateWebhookSecret',
    'Rotates the secret of a webhook; the new secret is shown only once',
    {
      description: 'For 24 hours messages are signed with both secrets.',
      answers: WebhookSecretAnswer,
      refuses: ['E0044R'],
    },
  )
  async rotate(@Param('id') id: string, @CurrentCall() call: AuditedCall) {
    const { webhook, secret } = await this.webhooks.rotate(call, id);
    return { ...this.answerOf(webhook), secret };
  }

  @Post(':id/test')
  @Audited('webhook.test', { target: 'id' })
  @Operation('testWebhook', 'Sends a message of the type "test" to a webhook', {
    status: 200,
    answers: WebhookTestAnswer,
    refuses: ['E0040R', 'E0044R'],
  })
  async test(@Param('id') id: string, @CurrentCall() call: AuditedCall) {
    const { outcome } = await this.webhooks.test(call, id);
    const failure = outcome.arrived ? null : failureText(outcome.failure);
    return ok({ arrived: outcome.arrived, failure });
  }

  @Get(':id/set-aside')
  @AllowHere('webhooks:read')
  @Operation(
    'listSetAsideMessages',
    'Lists messages that a receiver refused while it accepted others',
    {
      answers: SetAsideAnswer,
      versionOf: ({ version }) => version,
      refuses: ['E0044R'],
    },
  )
  async listSetAside(@Param('id') id: string, @CurrentAccount() account: Account) {
    const webhook = await this.rows.find(account, id);
    return ok(await this.setAside.list(webhook));
  }

  @Delete(':id/set-aside')
  @Audited('webhook.forget', { target: 'id' })
  @Operation('forgetSetAsideMessages', 'Deletes the messages that were set aside', {
    answers: WebhookAnswer,
    refuses: ['E0044R', 'E0053R'],
  })
  async forgetSetAside(
    @Param('id') id: string,
    @IfMatch() expected: ExpectedTags,
    @CurrentCall() { account, commit }: AuditedCall,
  ) {
    const webhook = await this.rows.find(account, id);
    await commit(await this.setAside.forgetting(webhook, expected), webhookFacts(webhook));
    return this.answerOf(await this.rows.find(account, id));
  }

  private viewOf(webhook: TenantWebhook) {
    return webhookView(webhook, this.relyingParties.current);
  }

  private answerOf(webhook: TenantWebhook) {
    return ok({ webhook: this.viewOf(webhook) });
  }
}
