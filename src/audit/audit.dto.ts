import { IsIn, IsOptional, IsString } from 'class-validator';
import { ApiPropertyOptional } from '../platform/http/openapi/openapi.js';
import { readRequestId } from '../platform/http/request-id.js';
import {
  ReadsEmptyAsAbsent,
  IsWithin,
  MayBeEmpty,
  Reads,
  ReadsNumber,
} from '../platform/validation/decorators.js';
import { IsForward } from '../platform/validation/values/forward.js';
import { fieldsOf } from '../platform/validation/flat-checks.js';
import {
  EndsAfterFrom,
  IsDay,
  IsTimeZone,
  startOfDay,
} from '../platform/validation/values/moment.js';
import { AUDIT_ACTIONS } from './audit-entry.js';

const MAX_LIMIT = 1000;

/** Parameters of GET /userapi/audit; empty ones, which the page's form sends, count as absent, except `after`. */
export class AuditQuery {
  @ApiPropertyOptional({
    description:
      '`next` from the previous answer, to read forward; 0 starts with the oldest row, and an ' +
      'empty value is refused',
  })
  @IsOptional()
  @IsForward()
  after?: string;

  @ApiPropertyOptional({
    example: 'admin',
    description: 'account or application key that made the change',
  })
  @MayBeEmpty()
  @IsString()
  account?: string;

  @ApiPropertyOptional({ description: 'action, for example `tenant.remove`' })
  @MayBeEmpty()
  @IsIn(AUDIT_ACTIONS)
  action?: string;

  @ApiPropertyOptional({ description: 'prefix of the target' })
  @MayBeEmpty()
  @IsString()
  target?: string;

  @ApiPropertyOptional({
    example: 'K7QF-2M9X-HD3R',
    description:
      'ID of the request that made the change, as in events, in any case and with or without hyphens',
  })
  @MayBeEmpty()
  @Reads(readRequestId)
  @IsString()
  requestId?: string;

  @ApiPropertyOptional({ enum: ['ok', 'refused'] })
  @MayBeEmpty()
  @IsIn(['ok', 'refused'])
  result?: 'ok' | 'refused';

  /** The beginning of the first day (UTC), in milliseconds since 1970. */
  @ApiPropertyOptional({ type: String, description: 'first day, YYYY-MM-DD, in `zone`' })
  @MayBeEmpty()
  @Reads(startOfDay)
  @IsDay()
  from?: number;

  /** The beginning of the last day (UTC), in milliseconds since 1970. */
  @ApiPropertyOptional({ type: String, description: 'last day, YYYY-MM-DD, inclusive, in `zone`' })
  @MayBeEmpty()
  @Reads(startOfDay)
  @IsDay()
  @EndsAfterFrom()
  to?: number;

  @ApiPropertyOptional({
    example: 'Europe/Berlin',
    default: 'UTC',
    description: 'time zone of `from` and `to`',
  })
  @MayBeEmpty()
  @IsTimeZone()
  zone?: string;

  /** Only rows before the one with this number. */
  @ApiPropertyOptional({ description: '`next` from the previous page' })
  @MayBeEmpty()
  @ReadsNumber()
  @IsWithin(1, Number.MAX_SAFE_INTEGER)
  cursor?: number;

  @ApiPropertyOptional({
    description:
      '`ocsf`: `records` has the rows in the form of OCSF, and `entries` is empty; `csv`',
  })
  @MayBeEmpty()
  @IsString()
  format?: string;

  @ApiPropertyOptional({
    minimum: 1,
    maximum: MAX_LIMIT,
    description: 'maximum number of rows per page',
  })
  @ReadsEmptyAsAbsent()
  @ReadsNumber()
  @IsWithin(1, MAX_LIMIT)
  limit: number = 100;
}

/** The parameters of the page's form: non-empty texts. */
export type AuditParameters = Readonly<
  Partial<Record<Exclude<keyof AuditQuery, 'format'>, string>>
>;

/** The non-empty parameters of a valid query, for showing the form again. */
export function auditParameters(query: Readonly<Record<string, unknown>>): AuditParameters {
  const names = [...fieldsOf(AuditQuery)].filter((name) => name !== 'format');
  const texts = names.map((name) => [name, query[name]] as const);
  return Object.fromEntries(texts.filter(([, text]) => typeof text === 'string' && text !== ''));
}
