import { createHmac, randomBytes } from 'node:crypto';
import type { AuditRow } from '../../audit/audit-row.entity.js';
import type { RecordedEvent } from '../../events/event-log.js';
import { auditContent, contentOf, testContent, type EventOwner } from './message-content.js';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A message to a receiver: its ID is the same at every attempt. */
export interface Message {
  readonly id: string;
  /** JSON. */
  readonly body: string;
}

/** A new secret in the format for receivers: `whsec_` and Base64 of 32 random bytes. */
export const newWebhookSecret = (): string =>
  `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;

/**
 * Returns the headers with which a receiver can verify a message (Standard Webhooks 1.0): HMAC-SHA256 over
 * ID, time and body, one signature for each valid secret.
 *
 * @param at milliseconds since 1970, of this attempt
 */
export function signedHeaders({ id, body }: Message, secrets: readonly string[], at: number) {
  const timestamp = String(Math.floor(at / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    const mac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    return `v1,${mac}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

/** Creates the message of an event. Its ID is the event's, for every receiver and at every attempt. */
export function messageOf(event: RecordedEvent, owner: EventOwner): Message {
  const content = contentOf(event, owner);
  return { id: content.data.id, body: JSON.stringify(content) };
}

/** Creates the message of a row of the audit trail. Its ID is the beginning of the row's hash. */
export function auditMessage(row: AuditRow): Message {
  const content = auditContent(row);
  return { id: content.data.id, body: JSON.stringify(content) };
}

/** Creates a test message, which belongs to no event. */
export function testMessage(tenant: string, at: number): Message {
  const content = testContent(tenant, at);
  return { id: content.data.id, body: JSON.stringify(content) };
}
