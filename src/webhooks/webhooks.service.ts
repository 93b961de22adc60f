import { Inject, Injectable } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { InjectRepository } from '@nestjs/typeorm';
import type { QueryDeepPartialEntity, Repository } from 'typeorm';
import { Clock } from '../common/clock.js';
import { serverOptions } from '../config/server-config.js';
import { newId } from '../database/columns.js';
import { deleteStep, insertStep, updateStep } from '../database/commit/step-of.js';
import { Database } from '../database/database.js';
import { ApiError } from '../errors/api-error.js';
import { NumberedEvents } from '../ledger/numbering/numbered-events.js';
import { seesTenant } from '../security/account.js';
import type { Account } from '../security/account.js';
import { OwnTenants } from '../tenancy/own-tenants.js';
import type { Tenant } from '../tenancy/tenant.entity.js';
import { isPrivateHost } from './delivery/checked-lookup.js';
import { newWebhookSecret } from './delivery/signature.js';
import { WebhookSecrets } from './webhook-secrets.js';
import type { StoredSecrets } from './webhook-secrets.js';
import type { ChangeWebhookDto, CreateWebhookDto, ListWebhooksQuery } from './webhook.dto.js';
import { Webhook } from './webhook.entity.js';

/** A webhook, and its tenant's name beside it; without secrets. */
export type TenantWebhook = Omit<Webhook, 'secret' | 'formerSecret'> & { readonly tenant: Tenant };

const OPEN = { closedAt: 0 };
const MOST_OF_TENANT = 20;
/** How long a secret counts beside the one that replaced it. */
const BOTH_COUNT_MS = 24 * 3_600_000;

/** A beginning, for one that was just made, switched on or given another address. */
const UNTRIED = { dueAt: 0, failures: 0, failingSince: null };

const noSuchWebhook = () => new ApiError('E0044R', 'There is no such webhook.');

/** The webhooks of tenants: the only place that adds, changes and removes them. */
@Injectable()
export class Webhooks {
  constructor(
    @InjectRepository(Webhook) private readonly webhooks: Repository<Webhook>,
    @Inject(serverOptions.KEY) private readonly options: ConfigType<typeof serverOptions>,
    private readonly database: Database,
    private readonly tenants: OwnTenants,
    private readonly events: NumberedEvents,
    private readonly secrets: WebhookSecrets,
    private readonly clock: Clock,
  ) {}

  /**
   * Adds one that is told of what happens from now on.
   *
   * @param by who adds it: an administrator, for the tenants that it may see
   * @returns the webhook, and its secret, which is shown nowhere else
   * @throws ApiError E0044R where there is no such tenant, E0045R for a domain that is none of it, an
   *   address that is not called, and a webhook too many
   */
  async create(by: Account, dto: CreateWebhookDto) {
    const tenant = await this.tenants.find(by, dto.tenant);
    this.ensureCallable(dto.url);
    if ((await this.webhooks.countBy({ tenantId: tenant.id })) >= MOST_OF_TENANT) {
      throw new ApiError('E0045R', `A tenant has at most ${MOST_OF_TENANT} webhooks.`);
    }
    const secret = newWebhookSecret();
    const now = this.clock.now();
    const row = {
      ...{ id: newId(now), tenantId: tenant.id, url: dto.url, events: dto.events },
      relyingParties: await this.tenants.relyingPartiesOf(tenant, dto.relyingParties),
      ...{ createdAt: now, createdBy: by.name, told: await this.events.last(), ...UNTRIED },
      ...{ formerUntil: null, failure: null, failedAt: null, deliveredAt: null, offSince: null },
    };
    await this.database.commit([
      insertStep(this.webhooks, { ...row, secret: this.secrets.seal(row.id, secret) }),
    ]);
    return { webhook: { ...row, tenant }, secret };
  }

  /** Those of the tenants that the account may see, newest first. */
  async list(by: Account, { tenant }: ListWebhooksQuery): Promise<TenantWebhook[]> {
    const found = await this.webhooks.find({
      where: { tenant: { ...OPEN, ...(tenant !== undefined && { name: tenant }) } },
      relations: { tenant: true },
      order: { id: 'DESC' },
    });
    return found.filter(hasTenant).filter((webhook) => seesTenant(by, webhook.tenant.name));
  }

  /**
   * Changes what is given and leaves the rest. Another address, and on after off, are tried at once.
   *
   * @param id Base64URL
   * @throws ApiError E0044R where there is none that the account may see; as `create`
   */
  async change(by: Account, id: string, dto: ChangeWebhookDto): Promise<TenantWebhook> {
    const webhook = await this.find(by, id);
    const { url, events, relyingParties, enabled } = dto;
    if (url !== undefined) this.ensureCallable(url);
    const isOn = webhook.offSince === null;
    const changes = {
      ...(url !== undefined && { url }),
      ...(events && { events }),
      ...(relyingParties && {
        relyingParties: await this.tenants.relyingPartiesOf(webhook.tenant, relyingParties),
      }),
      ...(enabled === false && isOn && { offSince: this.clock.now() }),
      ...(enabled === true && { offSince: null }),
      ...((url !== undefined || enabled !== undefined) && UNTRIED),
    };
    if (Object.keys(changes).length > 0) await this.update(webhook, changes);
    return { ...webhook, ...changes };
  }

  /**
   * Gives it another secret; for a day messages are signed with both.
   *
   * @returns the webhook, and its new secret
   * @throws ApiError E0044R
   */
  async rotate(by: Account, id: string) {
    const webhook = await this.find(by, id);
    const { secret: formerSecret } = await this.stored(webhook);
    const secret = newWebhookSecret();
    const formerUntil = this.clock.now() + BOTH_COUNT_MS;
    const former = { formerSecret, formerUntil };
    await this.update(webhook, { secret: this.secrets.seal(webhook.id, secret), ...former });
    return { webhook: { ...webhook, formerUntil }, secret };
  }

  /** @throws ApiError E0044R */
  async remove(by: Account, id: string): Promise<TenantWebhook> {
    const webhook = await this.find(by, id);
    await this.database.commit([deleteStep(this.webhooks, { id: webhook.id })]);
    return webhook;
  }

  /** @throws ApiError E0044R where there is none of this id that the account may see */
  async find(by: Account, id: string): Promise<TenantWebhook> {
    const found = await this.webhooks.findOne({
      where: { id: Buffer.from(id, 'base64url'), tenant: OPEN },
      relations: { tenant: true },
    });
    if (!found || !hasTenant(found) || !seesTenant(by, found.tenant.name)) throw noSuchWebhook();
    return found;
  }

  /** The secrets that count now, the newest first. */
  async secretsOf(webhook: Pick<Webhook, 'id'>): Promise<[string, ...string[]]> {
    return this.secrets.open(await this.stored(webhook));
  }

  private async stored({ id }: Pick<Webhook, 'id'>): Promise<StoredSecrets> {
    const select = { id: true, formerUntil: true, secret: true, formerSecret: true };
    const found = await this.webhooks.findOne({ where: { id }, select });
    if (!found) throw noSuchWebhook();
    return found;
  }

  private async update({ id }: TenantWebhook, changes: QueryDeepPartialEntity<Webhook>) {
    const step = updateStep(this.webhooks, { id }, changes, true);
    if (!(await this.database.commit([step]))) throw noSuchWebhook();
  }

  /** Names are looked up when they are called; what can be seen at once is said at once. */
  private ensureCallable(url: string): void {
    if (this.options.webhookPrivate) return;
    const { protocol, hostname } = new URL(url);
    if (protocol === 'https:' && !isPrivateHost(hostname)) return;
    throw new ApiError('E0045R', '"url" must be an https:// address of a public host.');
  }
}

const hasTenant = <W extends Pick<Webhook, 'tenant'>>(
  webhook: W,
): webhook is W & { tenant: Tenant } => webhook.tenant !== undefined;
