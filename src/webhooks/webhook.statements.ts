import { sql, type NoParams } from '../platform/database/statement.js';
import { tableOf } from '../platform/database/entities/table.js';
import { Tenant } from '../tenancy/tenant.entity.js';
import { SetAsideMessage } from './set-aside-message.entity.js';
import { Webhook } from './webhook.entity.js';

const webhook = tableOf(Webhook);
const w = tableOf(Webhook, 'w');
const setAside = tableOf(SetAsideMessage);
const tenant = tableOf(Tenant);
const t = tableOf(Tenant, 't');

const DELIVERY_COLUMNS = [
  'id',
  'tenantId',
  'url',
  'events',
  'relyingParties',
  'deliveredUpTo',
  'dueAt',
  'failures',
  'failingSince',
  'setAside',
  'changedAt',
  'formerUntil',
  'secret',
  'formerSecret',
] as const;

type DeliveryColumns = Pick<Webhook, (typeof DELIVERY_COLUMNS)[number]>;

/** An active webhook, with the name of its tenant; its lists are JSON. */
export interface WebhookRow extends Omit<DeliveryColumns, 'events' | 'relyingParties'> {
  readonly tenant: string;
  readonly events: string;
  readonly relyingParties: string | null;
}

/** Locks an open tenant that may have another webhook, without changing it. */
export const LOCK_TENANT_WITH_ROOM = sql<{ tenantId: Buffer; most: number }>(`UPDATE ${tenant.from}
  SET ${tenant.changedAt} = ${tenant.changedAt}
  WHERE ${tenant.id} = :tenantId AND ${tenant.closedAt} = 0
    AND (SELECT COUNT(*) FROM ${webhook.from} WHERE ${webhook.tenantId} = :tenantId) < :most`);

/** All active webhooks of every tenant. The sender sends each only the events of its own tenant. */
export const WEBHOOKS_ON = sql<NoParams, WebhookRow>(`SELECT ${t.name} AS tenant,
    ${w.select(...DELIVERY_COLUMNS)}
  FROM ${w.from} JOIN ${t.from} ON ${t.id} = ${w.tenantId}
  WHERE ${w.offSince} IS NULL AND ${t.closedAt} = 0`);

/** The number of webhooks that are off because they failed for too long. */
export const WEBHOOKS_GIVEN_UP = sql<NoParams, { n: number }>(`SELECT COUNT(*) AS n
  FROM ${w.from} JOIN ${t.from} ON ${t.id} = ${w.tenantId}
  WHERE ${w.offSince} IS NOT NULL AND ${w.failingSince} IS NOT NULL AND ${t.closedAt} = 0`);

type AsSeen = Pick<Webhook, 'id' | 'deliveredUpTo' | 'changedAt' | 'failures'>;

/** Matches the webhook only if it has not been moved, changed or removed. */
const AS_SEEN = `WHERE ${webhook.id} = :id AND ${webhook.deliveredUpTo} = :deliveredUpTo
    AND ${webhook.changedAt} = :changedAt AND ${webhook.failures} = :failures
    AND ${webhook.offSince} IS NULL`;

/** Records that messages arrived. */
export const NOTE_ARRIVAL = sql<AsSeen & { newDeliveredUpTo: number; deliveredAt: number }>(
  `UPDATE ${webhook.from}
  SET ${webhook.deliveredUpTo} = :newDeliveredUpTo, ${webhook.deliveredAt} = :deliveredAt, ${webhook.failures} = 0,
    ${webhook.failingSince} = NULL ${AS_SEEN}`,
);

/** Continues after messages that are set aside. */
export const NOTE_SET_ASIDE = sql<AsSeen & { newDeliveredUpTo: number; further: number }>(
  `UPDATE ${webhook.from}
  SET ${webhook.deliveredUpTo} = :newDeliveredUpTo, ${webhook.setAside} = ${webhook.setAside} + :further,
    ${webhook.failures} = 0, ${webhook.failingSince} = NULL ${AS_SEEN}`,
);

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

/** Moves the position if there was nothing to send. */
export const PASS_OVER = sql<AsSeen & { newDeliveredUpTo: number }>(
  `UPDATE ${webhook.from} SET ${webhook.deliveredUpTo} = :newDeliveredUpTo ${AS_SEEN}`,
);

type NewFailure = Pick<Webhook, 'failingSince' | 'failure' | 'failedAt' | 'dueAt' | 'offSince'> & {
  readonly newDeliveredUpTo: number;
  readonly newFailures: number;
};

export const NOTE_FAILURE = sql<AsSeen & NewFailure>(`UPDATE ${webhook.from}
  SET ${webhook.deliveredUpTo} = :newDeliveredUpTo, ${webhook.failures} = :newFailures,
    ${webhook.failingSince} = :failingSince, ${webhook.failure} = :failure,
    ${webhook.failedAt} = :failedAt, ${webhook.dueAt} = :dueAt,
    ${webhook.offSince} = :offSince ${AS_SEEN}`);
