import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventsModule } from '../events/events.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { Delivery } from './delivery/delivery.js';
import { WebhookClient } from './delivery/webhook-client.js';
import { WebhookState } from './delivery/webhook-state.js';
import { WebhookRows } from './webhook-rows.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { SetAsideMessages } from './set-aside-messages.js';
import { SetAsideMessage, Webhook } from './webhook.entity.js';
import { WebhooksController } from './webhooks.controller.js';
import { Webhooks } from './webhooks.js';

/** Webhooks: receivers of a message for each event. */
@Module({
  imports: [TypeOrmModule.forFeature([SetAsideMessage, Webhook]), EventsModule, TenancyModule],
  controllers: [WebhooksController],
  providers: [
    Delivery,
    SetAsideMessages,
    WebhookClient,
    WebhookRows,
    WebhookSecrets,
    WebhookState,
    Webhooks,
  ],
  exports: [Delivery, WebhookRows, WebhookState, Webhooks],
})
export class WebhooksModule {}
