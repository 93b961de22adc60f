import { differencesBetween, type Change } from '../audit/differences.js';
import type { AuditFacts } from '../audit/request-rows.js';
import type { TenantWebhook } from './webhook-rows.js';

/** The facts of a webhook in the audit trail. An address may contain secrets of the receiver. */
export const webhookFacts = ({ id, url, events, tenant }: TenantWebhook): AuditFacts => ({
  tenant: tenant.name,
  detail: { id: id.toString('base64url'), host: new URL(url).host, events: events.join(' ') },
});

/** The same, with the differences. */
export function changeFacts({ before, after }: Change<TenantWebhook>): AuditFacts {
  const { detail, ...facts } = webhookFacts(after);
  const differences = differencesBetween(changeable(before), changeable(after));
  return { ...facts, detail: { ...detail, ...differences } };
}

const changeable = ({ url, events, format, relyingParties, offSince }: TenantWebhook) => ({
  host: new URL(url).host,
  events,
  format: format ?? 'servicefido',
  relyingParties: relyingParties?.length ?? 'all',
  enabled: offSince === null,
});
