import { brokenRuleIn, problem, sentenceOf } from '../platform/errors/reasons.js';
import { CATALOGUE, type Code } from '../platform/errors/catalogue.js';
import type { RecordedEvent } from './event-log.js';
import { EVENT_SENTENCES, type EventKind } from './event.entity.js';

export const REFUSALS: ReadonlySet<EventKind> = new Set<EventKind>([
  'registration-refused',
  'authentication-refused',
  'clone-alarm',
]);

/** Converts an event for answers; `explanation` is the reason of a refusal in words. */
export function eventJson(event: RecordedEvent, relyingParty: string) {
  const { id, at, username, credential, kind, code, detail, requestId } = event;
  return {
    id: uuidOf(id),
    at: new Date(at).toISOString(),
    relyingParty,
    username,
    credential: credential?.toString('hex') ?? null,
    kind,
    outcome: REFUSALS.has(kind) ? ('refused' as const) : ('ok' as const),
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
