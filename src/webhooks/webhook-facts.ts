import { differencesBetween, type Change } from '../audit/differences.js';
import type { AuditDetail } from '../audit/audit-entry.js';
import type { AuditNote } from '../audit/audit-trail.js';
import type { TenantWebhook } from './webhook-rows.js';

/** The facts of a webhook in the audit trail. An address may contain secrets of the receiver. */
const webhookFacts = ({ id, url, events }: TenantWebhook): AuditDetail => ({
  id: id.toString('base64url'),
  host: new URL(url).host,
  events: events.join(' '),
});

/** Adds the tenant and the facts of a webhook to the audit row of a call. */
export function noteWebhook(note: AuditNote, webhook: TenantWebhook): void {
  note.tenant = webhook.tenant.name;
  note.detail = webhookFacts(webhook);
}

/** Adds the tenant, the facts and the differences. */
export function noteChange(note: AuditNote, { before, after }: Change<TenantWebhook>): void {
  noteWebhook(note, after);
  note.detail = { ...note.detail, ...differencesBetween(changeable(before), changeable(after)) };
}

const changeable = ({ url, events, relyingParties, offSince }: TenantWebhook) => ({
  host: new URL(url).host,
  events,
  relyingParties: relyingParties?.length ?? 'all',
  enabled: offSince === null,
});
