import { randomUUID } from 'node:crypto';
import { AuditView, auditView } from '../../audit/audit.answer.js';
import type { AuditRow } from '../../audit/audit-row.entity.js';
import { EventFields, eventJson } from '../../events/event.answer.js';
import type { RecordedEvent } from '../../events/event-log.js';
import { EVENT_KINDS, type EventKind } from '../../events/event.entity.js';
import { ApiProperty } from '../../platform/http/openapi/openapi.js';
import { auditKind } from '../webhook-kinds.js';
import { SentMessage } from '../../platform/http/openapi/sent-message.js';

const ID_DIGITS = 32;

const TENANT = { example: 'default', description: 'short name of the tenant' };

const RECEIVING = {
  headers: {
    'webhook-id': 'ID of the message, the same at every attempt',
    'webhook-timestamp': 'seconds since 1970 of this attempt',
    'webhook-signature':
      'for each valid secret `v1,` and the Base64 of HMAC-SHA256 over `ID.TIMESTAMP.BODY`, ' +
      'separated by spaces; the key is the decoded Base64 after `whsec_`',
  },
  answers: {
    '2XX': 'The message has arrived. The server ignores the body of the answer.',
    '410': 'The server switches the webhook off.',
    default: 'The message has not arrived. The server tries again.',
  },
};

class EventMessageData extends EventFields {
  @ApiProperty(TENANT)
  readonly tenant!: string;
}

@SentMessage('event', {
  ...RECEIVING,
  summary: 'An event at a relying party of the tenant',
  description:
    'Messages arrive at least once, and in order for each user. Verify the signature over the ' +
    'body as received, and refuse timestamps that are more than five minutes off. Answer ' +
    'within ten seconds.',
})
export class EventMessage {
  @ApiProperty({ enum: EVENT_KINDS, example: 'authentication-refused' })
  readonly type!: EventKind;

  @ApiProperty({ format: 'date-time', description: 'time of the event' })
  readonly timestamp!: string;

  @ApiProperty({ type: EventMessageData })
  readonly data!: EventMessageData;
}

class AuditMessageData extends AuditView {
  @ApiProperty({ example: '9f86d081884c7d659a2feaa0c55ad015' })
  readonly id!: string;
}

@SentMessage('audit', {
  ...RECEIVING,
  summary: 'A row of the audit trail about the tenant',
  description:
    'Messages arrive at least once, in the order of their numbers. None is set aside: a receiver ' +
    'that refuses one gets no further.',
})
class AuditMessage {
  @ApiProperty({ example: 'audit.relying-party.change', description: '`audit.` and the action' })
  readonly type!: string;

  @ApiProperty({ format: 'date-time', description: 'time of the change' })
  readonly timestamp!: string;

  @ApiProperty({ type: AuditMessageData })
  readonly data!: AuditMessageData;
}

class TestMessageData {
  @ApiProperty({ format: 'uuid' })
  readonly id!: string;

  @ApiProperty(TENANT)
  readonly tenant!: string;
}

@SentMessage('test', {
  ...RECEIVING,
  summary: 'A test',
  description: 'An administrator has requested it. It belongs to no event, and is sent once.',
})
export class TestMessage {
  @ApiProperty({ enum: ['test'] })
  readonly type!: 'test';

  @ApiProperty({ format: 'date-time', description: 'time of the test' })
  readonly timestamp!: string;

  @ApiProperty({ type: TestMessageData })
  readonly data!: TestMessageData;
}

/** The tenant and the domain of the event's relying party. */
interface EventOwner {
  readonly tenant: string;
  readonly relyingParty: string;
}

export function contentOf(
  event: RecordedEvent,
  { tenant, relyingParty }: EventOwner,
): EventMessage {
  const { id, at, kind, ...data } = eventJson(event, relyingParty);
  return { type: kind, timestamp: at, data: { id, tenant, ...data } };
}

export function auditContent(row: AuditRow): AuditMessage {
  const data = auditView(row);
  const id = data.hash.slice(0, ID_DIGITS);
  return { type: auditKind(row.action), timestamp: data.at, data: { id, ...data } };
}

/** @param at milliseconds since 1970 */
export const testContent = (tenant: string, at: number): TestMessage => ({
  type: 'test',
  timestamp: new Date(at).toISOString(),
  data: { id: randomUUID(), tenant },
});
