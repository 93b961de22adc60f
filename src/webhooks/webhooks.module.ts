import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EventsModule } from '../events/events.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { Delivery } from './delivery/delivery.js';
import { DeliveryPosition } from './delivery/delivery-position.js';
import { WebhookClient } from './delivery/webhook-client.js';
import { WebhookState } from './delivery/webhook-state.js';
import { WebhookTrial } from './delivery/webhook-trial.js';
import { WebhookRows } from './webhook-rows.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { SetAsideMessage } from './set-aside-message.entity.js';
import { SetAsideMessages } from './set-aside-messages.js';
import { Webhook } from './webhook.entity.js';
import { WebhooksController } from './webhooks.controller.js';
import { Webhooks } from './webhooks.js';

/** Webhooks: receivers of a message for each event. */
@Module({
  imports: [TypeOrmModule.forFeature([SetAsideMessage, Webhook]), EventsModule, TenancyModule],
  controllers: [WebhooksController],
  providers: [
    Delivery,
    DeliveryPosition,
    SetAsideMessages,
    WebhookClient,
    WebhookRows,
    WebhookSecrets,
    WebhookState,
    WebhookTrial,
    Webhooks,
  ],
  exports: [Delivery, WebhookRows, WebhookState, WebhookTrial, Webhooks],
})
export class WebhooksModule {}
