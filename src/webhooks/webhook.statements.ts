import { select, sql, type RowOf } from '../platform/database/statement.js';
import { computed, tableOf } from '../platform/database/entities/table.js';
import { Tenant } from '../tenancy/tenant.entity.js';
import { SetAsideMessage, Webhook } from './webhook.entity.js';

const webhooks = tableOf(Webhook);
const webhook = tableOf(Webhook, 'w');
const setAsideMessages = tableOf(SetAsideMessage);
const tenants = tableOf(Tenant);
const tenant = tableOf(Tenant, 't');

/** Locks an open tenant that may have another webhook, without changing it. */
export const LOCK_TENANT_WITH_ROOM = sql<{ tenantId: Buffer; most: number }>(`UPDATE ${tenants.from}
  SET ${tenants.changedAt} = ${tenants.changedAt}
  WHERE ${tenants.id} = :tenantId AND ${tenants.closedAt} = 0
    AND (SELECT COUNT(*) FROM ${webhooks.from} WHERE ${webhooks.tenantId} = :tenantId) < :most`);

/** All active webhooks of every tenant. The sender sends each only the events of its own tenant. */
export const WEBHOOKS_ON = select({
  tenant: tenant.name,
  ...webhook.pick('id', 'tenantId', 'url', 'events', 'format', 'relyingParties', 'deliveredUpTo'),
  ...webhook.pick('auditUpTo', 'dueAt', 'failures', 'failingSince', 'setAside', 'changedAt'),
  ...webhook.pick('formerUntil', 'secret', 'formerSecret'),
}).from(`${webhook.from} JOIN ${tenant.from} ON ${tenant.id} = ${webhook.tenantId}
  WHERE ${webhook.offSince} IS NULL AND ${tenant.closedAt} = 0`);

/** An active webhook, with the name of its tenant; its lists are JSON. */
export type WebhookRow = RowOf<typeof WEBHOOKS_ON>;

/**
 * The number up to which events have arrived at all webhooks that wait for events: those that fail, were switched off
 * after failures, or continue after that.
 */
export const DELIVERED_AT_LEAST = select({
  deliveredUpTo: computed<number | null>(`MIN(${webhook.deliveredUpTo})`),
}).from<{ deliveredSince: number }>(`
  ${webhook.from} JOIN ${tenant.from} ON ${tenant.id} = ${webhook.tenantId}
  WHERE ${tenant.closedAt} = 0 AND (${webhook.failingSince} IS NOT NULL
    OR (${webhook.offSince} IS NULL AND ${webhook.deliveredAt} > :deliveredSince))`);

export const SET_ASIDE = sql<Omit<SetAsideMessage, 'webhook'>>(
  `INSERT INTO ${setAsideMessages.row(...setAsideMessages.names)}`,
);

/**
 * Sets the number to that of the remaining messages. Comes before `FORGET_SET_ASIDE`: it locks the webhook, so that
 * none is added between the two.
 */
export const RECOUNT_SET_ASIDE = sql<{ id: Buffer; newest: number }>(
  `UPDATE ${webhooks.from} SET ${webhooks.setAside} = (SELECT COUNT(*) FROM ${setAsideMessages.from}
    WHERE ${setAsideMessages.webhookId} = :id AND ${setAsideMessages.number} > :newest) WHERE ${webhooks.id} = :id`,
);

/** Deletes the messages up to the newest that an administrator has seen. */
export const FORGET_SET_ASIDE = sql<{ id: Buffer; newest: number }>(
  `DELETE FROM ${setAsideMessages.from} WHERE ${setAsideMessages.webhookId} = :id AND ${setAsideMessages.number} <= :newest`,
);
