import { tableOf } from '../platform/database/entities/table.js';
import { Tenant } from '../tenancy/tenant.entity.js';
import { SetAsideMessage } from './set-aside/set-aside-message.entity.js';
import { Webhook } from './webhook.entity.js';

const webhook = tableOf(Webhook);
const w = tableOf(Webhook, 'w');
const setAside = tableOf(SetAsideMessage);
const t = tableOf(Tenant, 't');

/** All webhooks that are on, of every tenant. The sender sends each only the events of its own tenant. */
export const WEBHOOKS_ON = `SELECT ${t.name} AS tenant,
    ${w.select('id', 'tenantId', 'url', 'events', 'relyingParties', 'told', 'dueAt', 'failures')},
    ${w.select('failingSince', 'setAside', 'formerUntil', 'secret', 'formerSecret')}
  FROM ${w.from} JOIN ${t.from} ON ${t.id} = ${w.tenantId}
  WHERE ${w.offSince} IS NULL AND ${t.closedAt} = 0`;

/** How many webhooks are off because they failed for too long. */
export const WEBHOOKS_GIVEN_UP = `SELECT COUNT(*) AS n
  FROM ${w.from} JOIN ${t.from} ON ${t.id} = ${w.tenantId}
  WHERE ${w.offSince} IS NOT NULL AND ${w.failingSince} IS NOT NULL AND ${t.closedAt} = 0`;

/** delivered since: the number up to which events have arrived at all webhooks that wait for events. */
export const TOLD_AT_LEAST = `SELECT MIN(${w.told}) AS told
  FROM ${w.from} JOIN ${t.from} ON ${t.id} = ${w.tenantId}
  WHERE ${t.closedAt} = 0
    AND (${w.failingSince} IS NOT NULL OR (${w.offSince} IS NULL AND ${w.deliveredAt} > ?))`;

/**
 * id, told, address, failures: nobody else has moved the webhook, given it another address, switched it on or
 * off, or removed it.
 */
const AS_SEEN = `WHERE ${webhook.id} = ? AND ${webhook.told} = ? AND ${webhook.url} = ?
    AND ${webhook.failures} = ? AND ${webhook.offSince} IS NULL`;

/** new told, delivered at, as seen: notes that messages arrived. */
export const NOTE_ARRIVAL = `UPDATE ${webhook.from}
  SET ${webhook.told} = ?, ${webhook.deliveredAt} = ?, ${webhook.failures} = 0,
    ${webhook.failingSince} = NULL ${AS_SEEN}`;

/** new told, further ones set aside, as seen: goes on behind messages that are set aside. */
export const NOTE_SET_ASIDE = `UPDATE ${webhook.from}
  SET ${webhook.told} = ?, ${webhook.setAside} = ${webhook.setAside} + ?, ${webhook.failures} = 0,
    ${webhook.failingSince} = NULL ${AS_SEEN}`;

/** webhook id, number, event id, at, failure: lists a message that is set aside. */
export const SET_ASIDE = `INSERT INTO ${setAside.from}
  (${setAside.list('webhookId', 'number', 'eventId', 'at', 'failure')}) VALUES (?, ?, ?, ?, ?)`;

/** new told, as seen: moves on where there was nothing to send. */
export const PASS_OVER = `UPDATE ${webhook.from} SET ${webhook.told} = ? ${AS_SEEN}`;

/** new told, failures, failing since, failure, failed at, due at, off since, as seen: notes a failure. */
export const NOTE_FAILURE = `UPDATE ${webhook.from}
  SET ${webhook.told} = ?, ${webhook.failures} = ?, ${webhook.failingSince} = ?,
    ${webhook.failure} = ?, ${webhook.failedAt} = ?, ${webhook.dueAt} = ?,
    ${webhook.offSince} = ? ${AS_SEEN}`;

/** The secrets of all webhooks, of every tenant, to seal them again. */
export const WEBHOOK_SECRETS = `SELECT ${webhook.select('id', 'secret', 'formerSecret')}
  FROM ${webhook.from}`;

/** new seal, id, old seal. */
export const REPLACE_SECRET = `UPDATE ${webhook.from} SET ${webhook.secret} = ?
  WHERE ${webhook.id} = ? AND ${webhook.secret} = ?`;

/** new seal, id, old seal. */
export const REPLACE_FORMER_SECRET = `UPDATE ${webhook.from} SET ${webhook.formerSecret} = ?
  WHERE ${webhook.id} = ? AND ${webhook.formerSecret} = ?`;
