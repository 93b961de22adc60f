import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/common/clock.js';
import { newId } from '../platform/database/columns.js';
import { ApiError } from '../platform/errors/api-error.js';
import type { Account } from '../platform/access/accounts/account.js';
import { ensureExpected, type ExpectedTags } from '../platform/http/versions.js';
import { OwnTenants } from '../tenancy/scope/own-tenants.js';
import { newWebhookSecret } from './delivery/webhook-message.js';
import { DeliveryPosition } from './delivery/delivery-position.js';
import { WebhookClient } from './delivery/webhook-client.js';
import { WebhookRows, type TenantWebhook } from './webhook-rows.js';
import type { WebhookChange } from './webhook.view.js';
import type { ChangeWebhookDto, CreateWebhookDto, ListWebhooksQuery } from './webhook.dto.js';

/** A webhook and the secret that it was just given, which is shown nowhere else. */
interface WithSecret {
  readonly webhook: TenantWebhook;
  readonly secret: string;
}

const MOST_OF_TENANT = 20;
/** How long a secret stays valid beside the one that replaced it. */
const BOTH_COUNT_MS = 24 * 3_600_000;

/** The state of a webhook that was just made, switched on or off, or given another address. */
const UNTRIED = { dueAt: 0, failures: 0, failingSince: null };

/** Adds, changes and removes the webhooks of tenants: the only place that does. */
@Injectable()
export class Webhooks {
  constructor(
    private readonly rows: WebhookRows,
    private readonly tenants: OwnTenants,
    private readonly position: DeliveryPosition,
    private readonly client: WebhookClient,
    private readonly clock: Clock,
  ) {}

  /**
   * Adds a webhook that gets events from now on.
   *
   * @param by who adds it: an administrator, for the tenants that it may see
   * @throws ApiError E0044R where there is no such tenant, E0045R for a domain that is not the tenant's, an
   *   address that is not called, and a webhook too many
   */
  async create(by: Account, dto: CreateWebhookDto): Promise<WithSecret> {
    const tenant = await this.tenants.find(by, dto.tenant);
    this.ensureCallable(dto.url);
    if ((await this.rows.countOf(tenant)) >= MOST_OF_TENANT) {
      throw new ApiError('E0045R', 'webhook.tooMany', { most: MOST_OF_TENANT });
    }
    const now = this.clock.now();
    const row = {
      id: newId(now),
      tenantId: tenant.id,
      url: dto.url,
      events: dto.events,
      relyingParties: await this.tenants.relyingPartiesOf(tenant, dto.relyingParties),
      createdAt: now,
      changedAt: now,
      createdBy: by.name,
      deliveredUpTo: await this.position.ofNew(),
      ...UNTRIED,
      setAside: 0,
      formerUntil: null,
      failure: null,
      failedAt: null,
      deliveredAt: null,
      offSince: null,
    };
    const secret = newWebhookSecret();
    await this.rows.insert(row, secret);
    return { webhook: { ...row, tenant }, secret };
  }

  /** The webhooks of the tenants that the account may see, the newest first. */
  list(by: Account, { tenant }: ListWebhooksQuery): Promise<TenantWebhook[]> {
    return this.rows.list(by, tenant);
  }

  /**
   * Changes what is given and leaves the rest. A new address is tried at once, and so is a webhook switched
   * on. Where none of the events to come is wanted yet, kinds and relying parties count from now on.
   *
   * @param id Base64URL
   * @throws ApiError E0044R where there is none that the account may see; E0053R where it has none of the
   *   expected tags; as `create`
   */
  async change(
    by: Account,
    id: string,
    dto: ChangeWebhookDto,
    expected?: ExpectedTags,
  ): Promise<WebhookChange> {
    for (;;) {
      const before = await this.rows.find(by, id);
      ensureExpected(expected, before.changedAt);
      const changes = await this.changesOf(before, dto);
      const after = { ...before, ...changes };
      if (!changes || (await this.rows.update(before, changes))) return { before, after };
    }
  }

  /** What the change stores; `undefined` where it says nothing. */
  private async changesOf(webhook: TenantWebhook, dto: ChangeWebhookDto) {
    const { url, events, relyingParties, enabled } = dto;
    if (url !== undefined) this.ensureCallable(url);
    const isOtherChoice = events !== undefined || relyingParties !== undefined;
    const deliveredUpTo = isOtherChoice
      ? await this.position.ofChanged(webhook)
      : webhook.deliveredUpTo;
    const changes = {
      ...(url !== undefined && { url }),
      ...(events && { events }),
      ...(relyingParties && {
        relyingParties: await this.tenants.relyingPartiesOf(webhook.tenant, relyingParties),
      }),
      ...(enabled !== undefined && { offSince: enabled ? null : this.clock.now() }),
      ...((url !== undefined || enabled !== undefined) && UNTRIED),
      ...(deliveredUpTo !== webhook.deliveredUpTo && { deliveredUpTo }),
    };
    if (Object.keys(changes).length === 0) return undefined;
    return { ...changes, changedAt: Math.max(this.clock.now(), webhook.changedAt + 1) };
  }

  /**
   * Gives a webhook another secret; for a day messages are signed with those before it too.
   *
   * @throws ApiError E0044R
   */
  async rotate(by: Account, id: string): Promise<WithSecret> {
    const webhook = await this.rows.find(by, id);
    const secret = newWebhookSecret();
    const formerUntil = this.clock.now() + BOTH_COUNT_MS;
    await this.rows.replaceSecret(webhook, secret, formerUntil);
    return { webhook: { ...webhook, formerUntil }, secret };
  }

  /** @throws ApiError E0044R */
  find(by: Account, id: string): Promise<TenantWebhook> {
    return this.rows.find(by, id);
  }

  /** @throws ApiError E0044R; E0053R where it has none of the expected tags */
  async remove(by: Account, id: string, expected?: ExpectedTags): Promise<TenantWebhook> {
    for (;;) {
      const webhook = await this.rows.find(by, id);
      ensureExpected(expected, webhook.changedAt);
      if (await this.rows.remove(webhook)) return webhook;
    }
  }

  /** Refuses an address that is visibly not public. A host's name is looked up only when it is called. */
  private ensureCallable(url: string): void {
    if (this.client.mayCall(new URL(url))) return;
    throw new ApiError('E0045R', 'webhook.notPublic');
  }
}
