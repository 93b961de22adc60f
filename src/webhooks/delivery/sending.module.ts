import { Module } from '@nestjs/common';
import { EventsModule } from '../../events/events.module.js';
import { WebhooksModule } from '../webhooks.module.js';
import { WebhookSender } from './webhook-sender.js';

/** The job that sends messages. Servers import it, commands do not. */
@Module({ imports: [EventsModule, WebhooksModule], providers: [WebhookSender] })
export class SendingModule {}
