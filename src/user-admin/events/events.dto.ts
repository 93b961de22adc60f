import { IsIn, IsObject, IsOptional, Matches } from 'class-validator';
import { problem } from '../../platform/errors/reasons.js';
import { ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { readRequestId } from '../../platform/http/request-id.js';
import type { EventPosition } from '../../events/event-log.js';
import {
  ReadsEmptyAsAbsent,
  IsKnownName,
  IsWithin,
  MayBeEmpty,
  Reads,
  ReadsNumber,
} from '../../platform/validation/decorators.js';
import { code } from '../../platform/validation/field-validator.js';
import { IsForward } from '../../platform/validation/values/forward.js';
import { EndsAfterFrom, IsMoment, momentOf } from '../../platform/validation/values/moment.js';
import { eventPositionOf } from '../list-cursors.js';

const MAX_LIMIT = 1000;
const REQUEST_ID = /^[\w-]{1,64}$/;
const OUTCOMES = ['ok', 'refused'] as const;

/** Parameters of GET /userapi/events. */
export class EventsQuery {
  @ApiPropertyOptional({
    description:
      '`next` from the previous answer, to read forward; 0 starts with the oldest event, and an ' +
      'empty value is refused',
  })
  @IsOptional()
  @IsForward()
  after?: string;

  @ApiPropertyOptional({
    example: 'alice@example.com',
    description: 'user name; also finds events under earlier names of the user',
  })
  @MayBeEmpty()
  @IsKnownName()
  user?: string;

  @ApiPropertyOptional({
    example: 'K7QF-2M9X-HD3R',
    description: 'ID of a request, from its answer, in any case and with or without hyphens',
  })
  @MayBeEmpty()
  @Reads(readRequestId)
  @Matches(REQUEST_ID, code('E0045R', problem('field.requestId', { field: 'requestId' })))
  requestId?: string;

  @ApiPropertyOptional({
    type: String,
    description: 'earliest day or time (UTC), for example `2026-01-31T09:00:00Z`',
  })
  @ReadsEmptyAsAbsent()
  @Reads(momentOf)
  @IsMoment()
  from: number = 0;

  @ApiPropertyOptional({
    type: String,
    description: 'day or time (UTC) before which the events happened',
  })
  @MayBeEmpty()
  @Reads(momentOf)
  @IsMoment()
  @EndsAfterFrom()
  to?: number;

  @ApiPropertyOptional({ enum: OUTCOMES })
  @MayBeEmpty()
  @IsIn(OUTCOMES)
  outcome?: (typeof OUTCOMES)[number];

  @ApiPropertyOptional({ type: String, description: '`next` from the previous page' })
  @MayBeEmpty()
  @Reads((text) => (text === '' ? undefined : eventPositionOf(text)))
  @IsObject(code('E0045R', problem('field.position', { field: 'cursor' })))
  cursor?: EventPosition;

  @ApiPropertyOptional({
    enum: ['ocsf'],
    description: '`records` has the events in the form of OCSF, and `events` is empty',
  })
  @MayBeEmpty()
  @IsIn(['ocsf'])
  format?: 'ocsf';

  @ApiPropertyOptional({
    minimum: 1,
    maximum: MAX_LIMIT,
    description: 'maximum number of events per page',
  })
  @ReadsEmptyAsAbsent()
  @ReadsNumber()
  @IsWithin(1, MAX_LIMIT)
  limit: number = 100;
}
