import { Injectable } from '@nestjs/common';
import type { ChangingCall } from '../audit/audited.js';
import type { Account } from '../platform/access/accounts/account.js';
import { AuditReader } from '../audit/audit-reader.js';
import { Clock } from '../platform/common/clock.js';
import { mapKey, newId } from '../platform/database/row-ids.js';
import { OVERTAKEN, untilStored } from '../platform/database/commit/until-stored.js';
import { ApiError } from '../platform/errors/api-error.js';
import { ensureExpected, type ExpectedTags } from '../platform/http/versions.js';
import { TenancyRows } from '../tenancy/tenancy-rows.js';
import { DAY_MS } from '../platform/common/durations.js';
import { NumberedEvents } from '../events/numbering/numbered-events.js';
import { newWebhookSecret, testMessage, type Message } from './delivery/webhook-message.js';
import { WebhookBacklog } from './delivery/webhook-backlog.js';
import { WebhookClient, type DeliveryOutcome } from './delivery/webhook-client.js';
import { isAuditKind, type WebhookKind } from './webhook-kinds.js';
import { WebhookRows, type TenantWebhook } from './webhook-rows.js';
import type { ChangeWebhookDto, CreateWebhookDto } from './webhook.dto.js';
import { changeFacts, webhookFacts } from './webhook-facts.js';

/** A webhook and its new secret, which is shown only once. */
interface WithSecret {
  readonly webhook: TenantWebhook;
  readonly secret: string;
}

const MAX_OF_TENANT = 20;
/** How long a secret remains valid after it was replaced. */
const BOTH_COUNT_MS = DAY_MS;

/** The state of a webhook that was just created, switched on or off, or given another address. */
const UNTRIED = { dueAt: 0, failures: 0, failingSince: null };

/** Adds, changes, tests and removes the webhooks of tenants. */
@Injectable()
export class Webhooks {
  /** Webhooks with a pending test: one at a time each, so that tests cannot flood a receiver. */
  private readonly tested = new Set<string>();

  constructor(
    private readonly rows: WebhookRows,
    private readonly tenants: TenancyRows,
    private readonly events: NumberedEvents,
    private readonly audit: AuditReader,
    private readonly backlog: WebhookBacklog,
    private readonly client: WebhookClient,
    private readonly clock: Clock,
  ) {}

  /**
   * Lists the webhooks of a tenant, or of all tenants, that the account may see.
   *
   * @throws ApiError E0044R if the account may see no tenant with this name
   */
  async list(by: Account, tenant?: string): Promise<TenantWebhook[]> {
    if (tenant !== undefined) await this.tenants.visibleTenant(by, tenant);
    return this.rows.list(by, tenant);
  }

  /**
   * Adds a webhook that receives events from now on.
   *
   * @throws ApiError E0044R if there is no such tenant; E0045R for a domain of another tenant, an address
   *   that must not be called, and too many webhooks
   */
  async create({ account: by, commit }: ChangingCall, dto: CreateWebhookDto): Promise<WithSecret> {
    const tenant = await this.tenants.visibleTenant(by, dto.tenant);
    this.ensureCallable(dto.url);
    const now = this.clock.now();
    const row = {
      id: newId(now),
      tenantId: tenant.id,
      url: dto.url,
      events: dto.events,
      format: dto.format ?? null,
      relyingParties: await this.tenants.idsOf(tenant, dto.relyingParties),
      createdAt: now,
      changedAt: now,
      createdBy: by.name,
      deliveredUpTo: await this.events.last(),
      auditUpTo: dto.events.some(isAuditKind) ? await this.audit.last() : null,
      ...UNTRIED,
      setAside: 0,
      formerUntil: null,
      failure: null,
      failedAt: null,
      deliveredAt: null,
      offSince: null,
    };
    const secret = newWebhookSecret();
    const webhook = { ...row, tenant };
    const unit = this.rows.insertion(row, secret, MAX_OF_TENANT);
    if (!(await commit(unit, webhookFacts(webhook)))) {
      await this.tenants.visibleTenant(by, dto.tenant);
      throw new ApiError('E0045R', 'webhook.tooMany', { most: MAX_OF_TENANT });
    }
    return { webhook, secret };
  }

  /**
   * Changes the given members and no others. A new address is tried at once, and so is a webhook that is
   * switched on. If none of its events are pending, new kinds and relying parties take effect from now on.
   *
   * @param id Base64URL
   * @throws ApiError E0044R if the account may see no such webhook; E0053R if none of the expected tags
   *   matches; as `create`
   */
  async change(
    { account: by, commit }: ChangingCall,
    id: string,
    dto: ChangeWebhookDto,
    expected?: ExpectedTags,
  ): Promise<TenantWebhook> {
    return untilStored('resource.changing', async () => {
      const before = await this.rows.find(by, id);
      ensureExpected(expected, before.changedAt);
      const changes = await this.changesOf(before, dto);
      const after = { ...before, ...changes };
      const unit = changes ? this.rows.update(before, changes) : [];
      return (await commit(unit, changeFacts({ before, after }))) ? after : OVERTAKEN;
    });
  }

  /** The columns to change; `undefined` if there are none. */
  private async changesOf(webhook: TenantWebhook, dto: ChangeWebhookDto) {
    const { url, events, format, relyingParties, enabled } = dto;
    if (url !== undefined) this.ensureCallable(url);
    const isOtherChoice = events !== undefined || relyingParties !== undefined;
    const deliveredUpTo = isOtherChoice
      ? await this.backlog.positionOf(webhook)
      : webhook.deliveredUpTo;
    const kinds = events ?? webhook.events;
    const auditUpTo = isOtherChoice ? await this.auditPosition(kinds, webhook) : webhook.auditUpTo;
    const changes = {
      ...(url !== undefined && { url }),
      ...(format && { format }),
      ...(events && { events }),
      ...(relyingParties !== undefined && {
        relyingParties: await this.tenants.idsOf(webhook.tenant, relyingParties),
      }),
      ...(enabled !== undefined && { offSince: enabled ? null : this.clock.now() }),
      ...((url !== undefined || enabled !== undefined) && UNTRIED),
      ...(deliveredUpTo !== webhook.deliveredUpTo && { deliveredUpTo }),
      ...(auditUpTo !== webhook.auditUpTo && { auditUpTo }),
    };
    if (Object.keys(changes).length === 0) return undefined;
    return { ...changes, changedAt: Math.max(this.clock.now(), webhook.changedAt + 1) };
  }

  /** The number of the audit row after which these kinds are sent: the newest one, unless older ones are pending. */
  private async auditPosition(
    kinds: readonly WebhookKind[],
    webhook: TenantWebhook,
  ): Promise<number | null> {
    if (!kinds.some(isAuditKind)) return null;
    const { auditUpTo } = webhook;
    return auditUpTo === null ? this.audit.last() : this.backlog.rowPositionOf(webhook, auditUpTo);
  }

  /**
   * Replaces the secret of a webhook; for a day messages are also signed with the former ones.
   *
   * @throws ApiError E0044R
   */
  async rotate({ account: by, commit }: ChangingCall, id: string): Promise<WithSecret> {
    const webhook = await this.rows.find(by, id);
    const secret = newWebhookSecret();
    const formerUntil = this.clock.now() + BOTH_COUNT_MS;
    return untilStored('resource.changing', async () => {
      const unit = await this.rows.rotation(webhook, secret, formerUntil);
      if (!(await commit(unit, webhookFacts(webhook)))) return OVERTAKEN;
      return { webhook: { ...webhook, formerUntil }, secret };
    });
  }

  /** @throws ApiError E0044R; E0053R if none of the expected tags matches */
  async remove(
    { account: by, commit }: ChangingCall,
    id: string,
    expected?: ExpectedTags,
  ): Promise<TenantWebhook> {
    return untilStored('resource.changing', async () => {
      const webhook = await this.rows.find(by, id);
      ensureExpected(expected, webhook.changedAt);
      const isStored = await commit(this.rows.removal(webhook), webhookFacts(webhook));
      return isStored ? webhook : OVERTAKEN;
    });
  }

  /**
   * Sends a test message and reports whether it arrives.
   *
   * @param id Base64URL
   * @throws ApiError E0044R if the account may see no such webhook; E0040R while a test is pending
   */
  async test(
    { account: by, about }: ChangingCall,
    id: string,
  ): Promise<{ webhook: TenantWebhook; outcome: DeliveryOutcome }> {
    const webhook = await this.rows.find(by, id);
    about(webhookFacts(webhook));
    const { tenant, format } = webhook;
    const message = testMessage(tenant.name, { format, at: this.clock.now() });
    return { webhook, outcome: await this.sendOne(webhook, message) };
  }

  /**
   * Sends a message apart from the others; the position of the webhook stays.
   *
   * @throws ApiError E0040R while another is sent so
   */
  async sendOne(webhook: TenantWebhook, message: Message): Promise<DeliveryOutcome> {
    const key = mapKey(webhook.id);
    if (this.tested.has(key)) {
      const headers = { 'Retry-After': '10' };
      throw new ApiError('E0040R', 'webhook.beingTested', {}, { headers });
    }
    this.tested.add(key);
    try {
      const secrets = await this.rows.secretsOf(webhook);
      return await this.client.post({ url: webhook.url, secrets }, message);
    } finally {
      this.tested.delete(key);
    }
  }

  /** Refuses an address that is obviously not public. A host name is resolved only when it is called. */
  private ensureCallable(url: string): void {
    if (this.client.mayCall(new URL(url))) return;
    throw new ApiError('E0045R', 'webhook.notPublic');
  }
}
