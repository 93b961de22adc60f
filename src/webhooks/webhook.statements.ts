import { select, sql, type RowOf } from '../platform/database/statement.js';
import { computed, tableOf } from '../platform/database/entities/table.js';
import { Tenant } from '../tenancy/tenant.entity.js';
import { SetAsideMessage, Webhook } from './webhook.entity.js';

const webhook = tableOf(Webhook);
const w = tableOf(Webhook, 'w');
const setAside = tableOf(SetAsideMessage);
const tenant = tableOf(Tenant);
const t = tableOf(Tenant, 't');

/** Locks an open tenant that may have another webhook, without changing it. */
export const LOCK_TENANT_WITH_ROOM = sql<{ tenantId: Buffer; most: number }>(`UPDATE ${tenant.from}
  SET ${tenant.changedAt} = ${tenant.changedAt}
  WHERE ${tenant.id} = :tenantId AND ${tenant.closedAt} = 0
    AND (SELECT COUNT(*) FROM ${webhook.from} WHERE ${webhook.tenantId} = :tenantId) < :most`);

/** All active webhooks of every tenant. The sender sends each only the events of its own tenant. */
export const WEBHOOKS_ON = select({
  tenant: t.name,
  ...w.pick('id', 'tenantId', 'url', 'events', 'format', 'relyingParties', 'deliveredUpTo'),
  ...w.pick('auditUpTo', 'dueAt', 'failures', 'failingSince', 'setAside', 'changedAt'),
  ...w.pick('formerUntil', 'secret', 'formerSecret'),
}).from(`${w.from} JOIN ${t.from} ON ${t.id} = ${w.tenantId}
  WHERE ${w.offSince} IS NULL AND ${t.closedAt} = 0`);

/** An active webhook, with the name of its tenant; its lists are JSON. */
export type WebhookRow = RowOf<typeof WEBHOOKS_ON>;

/**
 * The number up to which events have arrived at all webhooks that wait for events: those that fail, were switched off
 * after failures, or continue after that.
 */
export const DELIVERED_AT_LEAST = select({
  deliveredUpTo: computed<number | null>(`MIN(${w.deliveredUpTo})`),
}).from<{ deliveredSince: number }>(`
  ${w.from} JOIN ${t.from} ON ${t.id} = ${w.tenantId}
  WHERE ${t.closedAt} = 0 AND (${w.failingSince} IS NOT NULL
    OR (${w.offSince} IS NULL AND ${w.deliveredAt} > :deliveredSince))`);

export const SET_ASIDE = sql<Omit<SetAsideMessage, 'webhook'>>(
  `INSERT INTO ${setAside.row(...setAside.names)}`,
);

/**
 * Sets the number to that of the remaining messages. Comes before `FORGET_SET_ASIDE`: it locks the webhook, so that
 * none is added between the two.
 */
export const RECOUNT_SET_ASIDE = sql<{ id: Buffer; newest: number }>(
  `UPDATE ${webhook.from} SET ${webhook.setAside} = (SELECT COUNT(*) FROM ${setAside.from}
    WHERE ${setAside.webhookId} = :id AND ${setAside.number} > :newest) WHERE ${webhook.id} = :id`,
);

/** Deletes the messages up to the newest that an administrator has seen. */
export const FORGET_SET_ASIDE = sql<{ id: Buffer; newest: number }>(
  `DELETE FROM ${setAside.from} WHERE ${setAside.webhookId} = :id AND ${setAside.number} <= :newest`,
);
