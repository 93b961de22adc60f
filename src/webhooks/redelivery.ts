import { Injectable } from '@nestjs/common';
import type { ChangingCall } from '../audit/audited.js';
import { ApiError } from '../platform/errors/api-error.js';
import { WebhookBacklog } from './delivery/webhook-backlog.js';
import type { DeliveryOutcome } from './delivery/webhook-client.js';
import { auditMessage, messageOf, type Message } from './delivery/webhook-message.js';
import { WebhookState } from './delivery/webhook-state.js';
import { webhookFacts } from './webhook-facts.js';
import { isAuditKind } from './webhook-kinds.js';
import { WebhookRows, type TenantWebhook } from './webhook-rows.js';
import type { Attempt } from './webhook.entity.js';
import { Webhooks } from './webhooks.js';

type LoggedMessage = Pick<Attempt, 'kind' | 'number'>;

/** Sends messages of the log again, with the same ID, so that a receiver recognises what it already has. */
@Injectable()
export class Redelivery {
  constructor(
    private readonly webhooks: Webhooks,
    private readonly rows: WebhookRows,
    private readonly backlog: WebhookBacklog,
    private readonly state: WebhookState,
  ) {}

  /**
   * @param id Base64URL
   * @throws ApiError E0044R if the account may see no such webhook, or its log has no such message or the message no
   *   longer exists; E0040R while another message is sent apart
   */
  async send(
    { account, about }: ChangingCall,
    id: string,
    { kind, number }: LoggedMessage,
  ): Promise<{ webhook: TenantWebhook; outcome: DeliveryOutcome }> {
    const webhook = await this.rows.find(account, id);
    const { detail, ...facts } = webhookFacts(webhook);
    about({ ...facts, detail: { ...detail, message: `${kind} ${number}` } });
    const attempts = await this.state.attemptsOf(webhook);
    const isLogged = attempts.some((one) => one.kind === kind && one.number === number);
    const message = isLogged ? await this.messageOf(webhook, { kind, number }) : undefined;
    if (!message) throw new ApiError('E0044R');
    return { webhook, outcome: await this.webhooks.sendOne(webhook, message) };
  }

  private async messageOf(
    webhook: TenantWebhook,
    { kind, number }: LoggedMessage,
  ): Promise<Message | undefined> {
    const { format } = webhook;
    const tenant = webhook.tenant.name;
    if (isAuditKind(kind)) {
      const span = { seq: number - 1, limit: 1 };
      const { rows } = await this.backlog.rowsAfter({ ...webhook, tenant }, span);
      const row = rows.find(({ seq }) => seq === number);
      return row && auditMessage(row, format);
    }
    const { events } = await this.backlog.eventsAfter({ ...webhook, deliveredUpTo: number - 1 }, 1);
    const event = events.find((one) => one.number === number);
    const rps = this.backlog.relyingPartiesOf(webhook);
    const rp = event && rps.find((one) => one.id.equals(event.relyingPartyId));
    return rp && messageOf(event, { tenant, relyingParty: rp.domain, format });
  }
}
