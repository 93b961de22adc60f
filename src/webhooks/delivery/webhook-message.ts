import { createHmac, randomBytes } from 'node:crypto';
import { ocsfOfRow } from '../../audit/audit.ocsf.js';
import type { AuditRow } from '../../audit/audit-row.entity.js';
import type { RecordedEvent } from '../../events/event-log.js';
import { eventJson } from '../../events/event.answer.js';
import { ocsfOfEvent } from '../../events/event.ocsf.js';
import { ocsfRecord, type OcsfRecord } from '../../platform/http/ocsf.js';
import type { WebhookFormat } from '../webhook-kinds.js';
import { auditContent, contentOf, testContent, type TestMessage } from './message-content.js';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** Whose event it is, and the form that the receiver wants. */
interface EventReceiver {
  readonly tenant: string;
  readonly relyingParty: string;
  readonly format: WebhookFormat | null;
}

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
export function messageOf(event: RecordedEvent, receiver: EventReceiver): Message {
  const { tenant, relyingParty, format } = receiver;
  const view = eventJson(event, relyingParty);
  const content = format === 'ocsf' ? ocsfOfEvent(view, tenant) : contentOf(event, receiver);
  return { id: view.id, body: JSON.stringify(content) };
}

/** Creates the message of a row of the audit trail. Its ID is the beginning of the row's hash. */
export function auditMessage(row: AuditRow, format: WebhookFormat | null): Message {
  const own = auditContent(row);
  const content = format === 'ocsf' ? ocsfOfRow(own.data) : own;
  return { id: own.data.id, body: JSON.stringify(content) };
}

/**
 * Creates a test message, which belongs to no event.
 *
 * @param at milliseconds since 1970
 */
export function testMessage(
  tenant: string,
  { format, at }: { readonly format: WebhookFormat | null; readonly at: number },
): Message {
  const own = testContent(tenant, at);
  const content = format === 'ocsf' ? ocsfOfTest(own) : own;
  return { id: own.data.id, body: JSON.stringify(content) };
}

const ocsfOfTest = ({ type, timestamp, data: { id, tenant } }: TestMessage): OcsfRecord => ({
  ...ocsfRecord(['API Activity', 'Other'], {
    id,
    at: timestamp,
    code: type,
    log: 'events',
    tenant,
    requestId: null,
    isRefused: false,
    errorCode: null,
    severity: 'Informational',
    message: 'A test of the webhook.',
  }),
  actor: { app_name: 'ServiceFido' },
  api: { operation: 'webhook.test' },
  src_endpoint: { name: 'ServiceFido' },
});
