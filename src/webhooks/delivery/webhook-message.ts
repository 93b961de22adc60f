import { randomUUID, createHmac, randomBytes } from 'node:crypto';
import { eventJson } from '../../events/event.view.js';
import type { RecordedEvent } from '../../events/event-log.js';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A message as it is sent: its id is the same at every attempt. */
export interface Message {
  readonly id: string;
  /** JSON. */
  readonly body: string;
}

/** A new secret, as receivers configure it: `whsec_` and Base64 of 32 random bytes. */
export const newWebhookSecret = (): string =>
  `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;

/**
 * The headers by which a receiver can check a message (Standard Webhooks 1.0): HMAC-SHA256 over id, time and
 * body, one signature for each secret that is valid.
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

interface Place {
  readonly tenant: string;
  readonly relyingParty: string;
}

export function contentOf(event: RecordedEvent, { tenant, relyingParty }: Place) {
  const { id, at, kind, ...data } = eventJson(event, relyingParty);
  return { type: kind, timestamp: at, data: { id, tenant, ...data } };
}

/** The message about an event. Its id is the event's, for every receiver and at every attempt. */
export function messageOf(event: RecordedEvent, place: Place): Message {
  const content = contentOf(event, place);
  return { id: content.data.id, body: JSON.stringify(content) };
}

/** A message about no event, to see whether it arrives. */
export function testMessage(tenant: string, at: number): Message {
  const id = randomUUID();
  const timestamp = new Date(at).toISOString();
  return { id, body: JSON.stringify({ type: 'test', timestamp, data: { id, tenant } }) };
}
