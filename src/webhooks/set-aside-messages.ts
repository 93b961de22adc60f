import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { failureText } from './delivery/failure-words.js';
import { deleteStep, updateStep } from '../platform/database/commit/step-of.js';
import { Database } from '../platform/database/database.js';
import { NumberedEvents } from '../events/numbering/numbered-events.js';
import { TenantDirectory } from '../tenancy/scope/tenant-directory.js';
import { contentOf } from './delivery/webhook-message.js';
import { Webhook } from './webhook.entity.js';
import type { TenantWebhook } from './webhook-rows.js';
import type { SetAsideView } from './webhook.answer.js';
import { SetAsideMessage } from './set-aside-message.entity.js';

/** Messages that a receiver refused while others arrived, for an administrator to look at. */
@Injectable()
export class SetAsideMessages {
  constructor(
    @InjectRepository(SetAsideMessage) private readonly messages: Repository<SetAsideMessage>,
    @InjectRepository(Webhook) private readonly webhooks: Repository<Webhook>,
    private readonly events: NumberedEvents,
    private readonly directory: TenantDirectory,
    private readonly database: Database,
  ) {}

  /**
   * The messages in the order of their events, with the content that would have been sent; `null` where the
   * event is gone.
   */
  async list({ id, tenant }: TenantWebhook): Promise<SetAsideView[]> {
    const rows = await this.messages.find({ where: { webhookId: id }, order: { number: 'ASC' } });
    const events = await this.events.find(
      rows.map(({ eventId, number }) => ({ id: eventId, number })),
    );
    const byNumber = new Map(events.map((event) => [event.number, event]));
    return rows.map(({ number, at, failure }) => {
      const event = byNumber.get(number);
      const relyingParty = event && this.domainOf(event.relyingPartyId);
      const isThere = event !== undefined && relyingParty !== undefined;
      const message = isThere ? contentOf(event, { tenant: tenant.name, relyingParty }) : null;
      return { setAsideAt: new Date(at).toISOString(), failure: failureText(failure), message };
    });
  }

  async forget({ id }: TenantWebhook): Promise<void> {
    await this.database.commit([
      // First: it locks the webhook, so that no message is added between the two.
      updateStep(this.webhooks, { id }, { setAside: 0 }),
      deleteStep(this.messages, { webhookId: id }),
    ]);
  }

  /** @returns `undefined` where the relying party was removed */
  private domainOf(id: Buffer): string | undefined {
    return this.directory.current.relyingParties.find((rp) => rp.id.equals(id))?.domain;
  }
}
