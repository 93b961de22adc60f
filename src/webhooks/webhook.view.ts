import { differencesBetween } from '../audit/differences.js';
import type { AuditDetail } from '../audit/audit-entry.js';
import type { Directory } from '../tenancy/scope/directory.js';
import { isoOrNull } from '../platform/validation/values/moment.js';
import { failureText } from './delivery/failure-words.js';
import type { WEBHOOK_STATES, WebhookView } from './webhook.answer.js';
import type { TenantWebhook } from './webhook-rows.js';

export function webhookView(webhook: TenantWebhook, directory: Directory): WebhookView {
  const { url, events, createdBy, failure, setAside, formerUntil } = webhook;
  const state = webhookStateOf(webhook);
  return {
    id: webhook.id.toString('base64url'),
    tenant: webhook.tenant.name,
    url,
    events,
    relyingParties: directory.domainsOf(webhook.relyingParties),
    state,
    createdBy,
    failure: failure === null ? null : failureText(failure),
    setAside,
    version: webhook.changedAt,
    createdAt: new Date(webhook.createdAt).toISOString(),
    deliveredAt: isoOrNull(webhook.deliveredAt),
    failingSince: isoOrNull(webhook.failingSince),
    failedAt: isoOrNull(webhook.failedAt),
    nextAttemptAt: state === 'failing' ? isoOrNull(webhook.dueAt) : null,
    formerSecretUntil: isoOrNull(formerUntil),
  };
}

/** The state of a webhook. One that an administrator switched off is `off`, regardless of its previous state. */
export function webhookStateOf({
  offSince,
  failingSince,
}: TenantWebhook): (typeof WEBHOOK_STATES)[number] {
  if (offSince !== null) return failingSince === null ? 'off' : 'given-up';
  return failingSince === null ? 'well' : 'failing';
}

/** The facts of a webhook in the audit trail. An address may contain secrets of the receiver. */
export const webhookFacts = ({ id, url, events }: TenantWebhook): AuditDetail => ({
  id: id.toString('base64url'),
  host: new URL(url).host,
  events: events.join(' '),
});

export interface WebhookChange {
  readonly before: TenantWebhook;
  readonly after: TenantWebhook;
}

/**
 * The facts and differences for the audit trail. Of an address it contains only the host, since the rest
 * may contain a secret.
 */
export const webhookDifferences = ({ before, after }: WebhookChange): AuditDetail => ({
  ...webhookFacts(after),
  ...differencesBetween(changeable(before), changeable(after)),
});

const changeable = ({ url, events, relyingParties, offSince }: TenantWebhook) => ({
  host: new URL(url).host,
  events,
  relyingParties: relyingParties?.length ?? 'all',
  enabled: offSince === null,
});
