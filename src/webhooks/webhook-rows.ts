import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, type FindOptionsWhere, type Repository } from 'typeorm';
import {
  deleteStep,
  insertStep,
  mustChange,
  updateStep,
} from '../platform/database/commit/step-of.js';
import type { Unit } from '../platform/database/commit/unit.js';
import { ApiError } from '../platform/errors/api-error.js';
import { seesTenant, type Account } from '../platform/access/accounts/account.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { Webhook } from './webhook.entity.js';
import { LOCK_TENANT_WITH_ROOM } from './webhook.statements.js';

/** A webhook with its tenant. */
export type TenantWebhook = Required<Omit<Webhook, 'secret' | 'formerSecret' | 'attempts'>>;

const OPEN = { closedAt: 0 };
const SECRETS = { id: true, formerUntil: true, secret: true, formerSecret: true };

const noSuchWebhook = () => new ApiError('E0044R', 'webhook.unknown');

/** Reads and writes the rows of webhooks. For an account, webhooks that it may not see do not exist. */
@Injectable()
export class WebhookRows {
  constructor(
    @InjectRepository(Webhook) private readonly webhooks: Repository<Webhook>,
    private readonly secrets: WebhookSecrets,
  ) {}

  /** The webhooks of a tenant, or of all tenants, that the account may see, newest first. */
  list(by: Account, tenant?: string): Promise<TenantWebhook[]> {
    return this.visible(by, {
      tenant: { ...OPEN, ...(tenant !== undefined && { name: tenant }) },
    });
  }

  /**
   * @param id Base64URL
   * @throws ApiError E0044R if the account may see no such webhook
   */
  async find(by: Account, id: string): Promise<TenantWebhook> {
    const [found] = await this.visible(by, { id: Buffer.from(id, 'base64url'), tenant: OPEN });
    if (!found) throw noSuchWebhook();
    return found;
  }

  /** Refused if the tenant has `most` webhooks already, or was removed. */
  insertion(row: Omit<TenantWebhook, 'tenant'>, secret: string, most: number): Unit {
    const sealed = this.secrets.seal(row.id, secret);
    const room = LOCK_TENANT_WITH_ROOM.mustChange({ tenantId: row.tenantId, most });
    return [room, insertStep(this.webhooks, { ...row, secret: sealed })];
  }

  /** Refused if it was changed, moved or removed since it was read. */
  update(webhook: TenantWebhook, changes: Partial<TenantWebhook>): Unit {
    const { id, changedAt, deliveredUpTo, auditUpTo } = webhook;
    // A sender moves the webhook all the time, which matters only if the change moves it too.
    const asRead = {
      id,
      changedAt,
      ...(changes.deliveredUpTo !== undefined && { deliveredUpTo }),
      ...(changes.auditUpTo !== undefined && { auditUpTo: auditUpTo ?? IsNull() }),
    };
    return [mustChange(updateStep(this.webhooks, asRead, changes))];
  }

  /** Refused as `update`. */
  removal({ id, changedAt }: TenantWebhook): Unit {
    return [mustChange(deleteStep(this.webhooks, { id, changedAt }))];
  }

  /** The currently valid secrets, newest first. */
  async secretsOf(webhook: Pick<Webhook, 'id'>): Promise<[string, ...string[]]> {
    return this.secrets.open(await this.stored(webhook));
  }

  /**
   * Replaces the secret of a webhook; all currently valid secrets remain valid until `formerUntil`, even if two
   * rotations race. Refused if another rotation was faster.
   *
   * @throws ApiError E0044R if it was deleted
   */
  async rotation({ id }: TenantWebhook, secret: string, formerUntil: number): Promise<Unit> {
    const stored = await this.stored({ id });
    const formerSecret = this.secrets.sealAsFormer(stored);
    const changes = { secret: this.secrets.seal(id, secret), formerSecret, formerUntil };
    return [mustChange(updateStep(this.webhooks, { id, secret: stored.secret }, changes))];
  }

  private async visible(by: Account, where: FindOptionsWhere<Webhook>): Promise<TenantWebhook[]> {
    const options = { where, relations: { tenant: true }, order: { id: 'DESC' } } as const;
    const found = (await this.webhooks.find(options)) as Required<Webhook>[];
    return found.filter(({ tenant }) => seesTenant(by, tenant.name));
  }

  private async stored({ id }: Pick<Webhook, 'id'>): Promise<Webhook> {
    const found = await this.webhooks.findOne({ where: { id }, select: SECRETS });
    if (!found) throw noSuchWebhook();
    return found;
  }
}
