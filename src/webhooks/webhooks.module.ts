import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventsModule } from '../events/events.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { AuditRowDelivery } from './delivery/audit-row-delivery.js';
import { Delivery } from './delivery/delivery.js';
import { WebhookBacklog } from './delivery/webhook-backlog.js';
import { WebhookClient } from './delivery/webhook-client.js';
import { WebhookState } from './delivery/webhook-state.js';
import { WebhookRows } from './webhook-rows.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { SetAsideMessages } from './set-aside-messages.js';
import { SetAsideMessage, Webhook } from './webhook.entity.js';
import { WebhooksController } from './webhooks.controller.js';
import { Redelivery } from './redelivery.js';
import { Webhooks } from './webhooks.js';

/** Webhooks: receivers of a message for each event. */
@Module({
  imports: [TypeOrmModule.forFeature([SetAsideMessage, Webhook]), EventsModule, TenancyModule],
  controllers: [WebhooksController],
  providers: [
    AuditRowDelivery,
    Delivery,
    Redelivery,
    SetAsideMessages,
    WebhookBacklog,
    WebhookClient,
    WebhookRows,
    WebhookSecrets,
    WebhookState,
    Webhooks,
  ],
  exports: [Delivery, Redelivery, WebhookClient, WebhookRows, WebhookState, Webhooks],
})
export class WebhooksModule {}
