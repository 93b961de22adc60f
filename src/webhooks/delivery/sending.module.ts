import { Module } from '@nestjs/common';
import { LedgerModule } from '../../ledger/ledger.module.js';
import { WebhooksModule } from '../webhooks.module.js';
import { WebhookSender } from './webhook-sender.js';

/** The job that sends: for servers, not for commands. */
@Module({ imports: [LedgerModule, WebhooksModule], providers: [WebhookSender] })
export class SendingModule {}
