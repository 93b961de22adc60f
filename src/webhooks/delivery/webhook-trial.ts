import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { WebhookRows, type TenantWebhook } from '../webhook-rows.js';
import { Delivery } from './delivery.js';
import type { DeliveryOutcome } from './webhook-client.js';
import { testMessage } from './webhook-message.js';

/** Sends a test message and reports whether it arrives. */
@Injectable()
export class WebhookTrial {
  /** Webhooks with a pending test: one at a time each, so that tests cannot flood a receiver. */
  private readonly pending = new Set<string>();

  constructor(
    private readonly rows: WebhookRows,
    private readonly delivery: Delivery,
    private readonly clock: Clock,
  ) {}

  /**
   * @param id Base64URL
   * @throws ApiError E0044R if the account may see no such webhook; E0040R while a test is pending
   */
  async send(
    by: Account,
    id: string,
  ): Promise<{ webhook: TenantWebhook; outcome: DeliveryOutcome }> {
    const webhook = await this.rows.find(by, id);
    const key = webhook.id.toString('hex');
    if (this.pending.has(key)) {
      const headers = { 'Retry-After': '10' };
      throw new ApiError('E0040R', 'webhook.beingTested', {}, { headers });
    }
    this.pending.add(key);
    try {
      const { url, tenant } = webhook;
      const secrets = await this.rows.secretsOf(webhook);
      const message = testMessage(tenant.name, this.clock.now());
      return { webhook, outcome: await this.delivery.sendNow({ url, secrets }, message) };
    } finally {
      this.pending.delete(key);
    }
  }
}
