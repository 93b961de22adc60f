import { ApiPropertyOptional } from '../../http/openapi.js';
import { behind } from '../../ledger/event-log.js';
import type { EventPosition } from '../../ledger/event-log.js';
import {
  EmptyIsAbsent,
  IsName,
  IsOneOf,
  IsWholeNumber,
  Reads,
  ReadsNumber,
  isOneText,
} from '../../validation/decorators.js';
import { Rule, RuleAmong, code, isObject, optional } from '../../validation/field.js';
import type { Coded } from '../../validation/field.js';
import { IsMoment, momentOf } from '../../validation/moment.js';
import { eventPositionOf } from './event-cursor.js';

const MAX_LIMIT = 1000;
const REQUEST_ID = /^[\w-]{1,64}$/;
export const OUTCOMES = ['ok', 'refused'] as const;

const IsRequestId = (options: Coded): PropertyDecorator =>
  Rule(
    'isRequestId',
    options,
    (value) => typeof value === 'string' && REQUEST_ID.test(value),
    'must be the request ID of an answer',
  );

const IsEventPosition = (options: Coded): PropertyDecorator =>
  Rule('isEventPosition', options, isObject, 'must be the "next" of an answer');

/** Parameters that reading forward takes. */
const FORWARD = new Set(['after', 'limit']);

/** Refuses `after` beside a parameter that only pages of the past take, and names that parameter. */
const IsForward = (options: Coded): PropertyDecorator =>
  RuleAmong('isForward', options, (value, query) => {
    if (!isOneText(value)) return '"after" must be the "next" of an answer, or 0.';
    const others = Object.entries(query).filter(
      ([name, other]) => !FORWARD.has(name) && other !== undefined && other !== 0,
    );
    const [name] = others[0] ?? [];
    return name === undefined ? undefined : `"after" goes with "limit" alone, not with "${name}".`;
  });

/** Parameters of GET /userapi/events: which events are asked for. */
export class EventsQuery {
  @ApiPropertyOptional({
    description: '`next` of the answer before, to read forward; 0 begins with the oldest',
  })
  @EmptyIsAbsent()
  @IsForward(optional(code('E0045R')))
  after?: string;

  @ApiPropertyOptional({
    example: 'alice@example.com',
    description: 'user name; with what happened under the names that the user had before',
  })
  @EmptyIsAbsent()
  @IsName(optional(code('E0045R')))
  user?: string;

  @ApiPropertyOptional({ description: 'as an answer had it' })
  @EmptyIsAbsent()
  @IsRequestId(optional(code('E0045R')))
  requestId?: string;

  @ApiPropertyOptional({
    type: String,
    description: 'day or time (UTC), such as `2026-01-31T09:00:00Z`',
  })
  @EmptyIsAbsent()
  @Reads(momentOf)
  @IsMoment(code('E0045R'))
  from: number = 0;

  @ApiPropertyOptional({ type: String, description: 'the same; events before it' })
  @EmptyIsAbsent()
  @Reads(momentOf)
  @IsMoment(optional(code('E0045R')))
  to?: number;

  @ApiPropertyOptional({ enum: OUTCOMES })
  @EmptyIsAbsent()
  @IsOneOf(OUTCOMES, optional(code('E0045R')))
  outcome?: (typeof OUTCOMES)[number];

  @ApiPropertyOptional({ type: String, description: '`next` of the page before' })
  @EmptyIsAbsent()
  @Reads((text) => (text === '' ? undefined : eventPositionOf(text)))
  @IsEventPosition(optional(code('E0045R')))
  cursor?: EventPosition;

  @ApiPropertyOptional({ minimum: 1, maximum: MAX_LIMIT, description: 'events of one page' })
  @EmptyIsAbsent()
  @ReadsNumber()
  @IsWholeNumber({ min: 1, max: MAX_LIMIT }, code('E0045R'))
  limit: number = 100;

  /** The position from which events are read, backwards in time. */
  before(now: number): EventPosition {
    return this.cursor ?? behind(this.to ?? now);
  }
}
