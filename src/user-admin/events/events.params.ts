import { ApiError } from '../../errors/api-error.js';
import { behind } from '../../ledger/event-log.js';
import type { EventPosition } from '../../ledger/event-log.js';
import { NAME_RULE, isName } from '../../validation/names.js';
import { eventPositionOf } from './event-cursor.js';

/** Which events are asked for. */
export interface EventsRequest {
  readonly user: string | undefined;
  readonly requestId: string | undefined;
  readonly from: number;
  readonly before: EventPosition;
  readonly outcome: 'ok' | 'refused' | undefined;
  readonly limit: number;
}

const NAMES = ['user', 'requestId', 'from', 'to', 'outcome', 'cursor', 'limit'] as const;
const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z)?$/;
const REQUEST_ID = /^[\w-]{1,64}$/;
const MAX_LIMIT = 1000;
const DEFAULT_LIMIT = 100;

const wrong = (sentence: string): ApiError => new ApiError('E0045R', sentence);

/**
 * Reads the parameters of `/userapi/events`.
 *
 * @param now milliseconds since 1970
 * @throws ApiError E0045R for the first that is wrong
 */
export function readEventsRequest(
  query: Readonly<Record<string, unknown>>,
  now: number,
): EventsRequest {
  const { user, requestId, from, to, outcome, cursor, limit } = textsOf(query);
  if (user !== undefined && !isName(user)) throw wrong(`"user" ${NAME_RULE}.`);
  if (requestId !== undefined && !REQUEST_ID.test(requestId)) {
    throw wrong('"requestId" must be the request ID of an answer.');
  }
  if (outcome !== undefined && outcome !== 'ok' && outcome !== 'refused') {
    throw wrong('"outcome" must be "ok" or "refused".');
  }
  return {
    ...{ user, requestId, outcome },
    from: from === undefined ? 0 : timeOf('from', from),
    before:
      cursor === undefined
        ? behind(to === undefined ? now : timeOf('to', to))
        : eventPositionOf(cursor),
    limit: limitOf(limit),
  };
}

function textsOf(query: Readonly<Record<string, unknown>>) {
  const texts: Partial<Record<(typeof NAMES)[number], string>> = {};
  for (const name of NAMES) {
    const value = query[name];
    if (value === undefined || value === '') continue;
    if (typeof value !== 'string') throw wrong(`"${name}" must be one text.`);
    texts[name] = value;
  }
  return texts;
}

function timeOf(name: string, text: string): number {
  const time = DATE.test(text) ? Date.parse(text) : Number.NaN;
  const day = Number.isNaN(time) ? '' : new Date(time).toISOString().slice(0, 10);
  // `Date.parse` takes 30 February for a day in March.
  if (!text.startsWith(day) || day === '' || time < 0) {
    throw wrong(`"${name}" must be a date such as 2026-01-31 or 2026-01-31T09:00:00Z.`);
  }
  return time;
}

function limitOf(text = String(DEFAULT_LIMIT)): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MAX_LIMIT) {
    throw wrong(`"limit" must be a whole number from 1 to ${MAX_LIMIT}.`);
  }
  return limit;
}
