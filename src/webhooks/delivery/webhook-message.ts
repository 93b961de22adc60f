import { randomUUID } from 'node:crypto';
import { eventJson } from '../../events/event.view.js';
import type { RecordedEvent } from '../../events/event-log.js';
import type { Message } from './signature.js';

interface Place {
  /** Names of tenant and relying party. */
  readonly tenant: string;
  readonly relyingParty: string;
}

/** The message about an event. */
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
