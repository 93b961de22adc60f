import { brokenRuleIn, problem, sentenceOf } from '../platform/errors/reasons.js';
import { CATALOGUE, type Code } from '../platform/errors/catalogue.js';
import { ApiProperty } from '../platform/http/openapi/openapi.js';
import type { RecordedEvent } from './event-log.js';
import { EVENT_SENTENCES, type EventKind } from './event.entity.js';

export const REFUSALS: ReadonlySet<EventKind> = new Set<EventKind>([
  'registration-refused',
  'authentication-refused',
  'clone-alarm',
]);

/** Members of an event in answers and in messages of webhooks. */
export class EventFields {
  @ApiProperty({ format: 'uuid', example: '019b76da-a800-7000-8000-000000000001' })
  readonly id!: string;

  @ApiProperty({ example: 'localhost', description: 'domain of the relying party' })
  readonly relyingParty!: string;

  @ApiProperty({ example: 'alice@example.com' })
  readonly username!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    pattern: '^[0-9a-f]{16}$',
    example: '36859a92a4aac6af',
    description: 'first eight bytes of the SHA-256 of the credential ID, in hexadecimal',
  })
  readonly credential!: string | null;

  @ApiProperty({ enum: ['ok', 'refused'], example: 'refused' })
  readonly outcome!: 'ok' | 'refused';

  @ApiProperty({ type: String, nullable: true, example: 'E0034R' })
  readonly errorCode!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'further detail, for example the exact cause',
  })
  readonly detail!: string | null;

  @ApiProperty({
    example: 'A sign-in was refused. This key is disabled.',
    description: 'explanation of the event in words',
  })
  readonly explanation!: string;

  @ApiProperty({ type: String, nullable: true, example: 'b3sQ9cWv-1f' })
  readonly requestId!: string | null;
}

export class EventView extends EventFields {
  @ApiProperty({ format: 'date-time' })
  readonly at!: string;

  @ApiProperty({ type: String, example: 'authentication-refused' })
  readonly kind!: EventKind;
}

/** Converts an event for answers; `explanation` is the reason of a refusal in words. */
export function eventJson(event: RecordedEvent, relyingParty: string): EventView {
  const { id, at, username, credential, kind, code, detail, requestId } = event;
  return {
    id: uuidOf(id),
    at: new Date(at).toISOString(),
    relyingParty,
    username,
    credential: credential?.toString('hex') ?? null,
    kind,
    outcome: REFUSALS.has(kind) ? 'refused' : 'ok',
    errorCode: code,
    detail,
    explanation: `${EVENT_SENTENCES[kind]} ${sentenceFor(code, detail)}`.trim(),
    requestId,
  };
}

/** The rule that refused, if the event names one; otherwise the meaning of its code. */
function sentenceFor(code: string | null, detail: string | null): string {
  const rule = brokenRuleIn(detail);
  if (rule !== undefined) return sentenceOf(problem('rule.broken', { rule }));
  if (code === null || !Object.hasOwn(CATALOGUE, code)) return '';
  return sentenceOf({ reason: CATALOGUE[code as Code][1], values: valuesIn(detail) });
}

/** The refused origin; `undefined` if the event is of another kind, or of an older version. */
export const originIn = (detail: string | null): string | undefined =>
  /^origin-not-allowed (?:\(\d+ alike\) )?(\S+)$/.exec(detail ?? '')?.[1];

function valuesIn(detail: string | null): Record<string, string> {
  const origin = originIn(detail);
  return origin === undefined ? {} : { origin };
}

/** An ID as the text of a UUID (RFC 9562 §4). */
const uuidOf = (id: Buffer): string =>
  id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
