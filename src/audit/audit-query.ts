import { IsIn, IsInt, IsString, Max, Min, ValidateIf } from 'class-validator';
import { ApiPropertyOptional } from '../platform/http/openapi/openapi.js';
import { EmptyIsAbsent, Reads, ReadsNumber } from '../platform/validation/decorators.js';
import { code, isPresent } from '../platform/validation/rule.js';
import { IsDay, dayOf } from '../platform/validation/values/moment.js';

const DAY_MS = 24 * 3600 * 1000;
const MAX_LIMIT = 1000;

/** Parameters of GET /userapi/audit; empty ones, which the page's form sends, count as absent. */
export class AuditQuery {
  @ApiPropertyOptional({ example: 'admin', description: 'who did it' })
  @EmptyIsAbsent()
  @ValidateIf(isPresent)
  @IsString(code('E0045R'))
  account?: string;

  @ApiPropertyOptional({ description: 'what was done, such as `tenant.remove`' })
  @EmptyIsAbsent()
  @ValidateIf(isPresent)
  @IsString(code('E0045R'))
  action?: string;

  @ApiPropertyOptional({ description: 'what the target begins with' })
  @EmptyIsAbsent()
  @ValidateIf(isPresent)
  @IsString(code('E0045R'))
  target?: string;

  @ApiPropertyOptional({ description: 'the request that did it, as events name it too' })
  @EmptyIsAbsent()
  @ValidateIf(isPresent)
  @IsString(code('E0045R'))
  requestId?: string;

  @ApiPropertyOptional({ enum: ['ok', 'refused'] })
  @EmptyIsAbsent()
  @ValidateIf(isPresent)
  @IsIn(['ok', 'refused'], code('E0045R'))
  result?: 'ok' | 'refused';

  /** The beginning of the first day, in milliseconds since 1970. */
  @ApiPropertyOptional({ type: String, description: 'day (UTC), YYYY-MM-DD' })
  @EmptyIsAbsent()
  @Reads(dayOf)
  @ValidateIf(isPresent)
  @IsDay(code('E0045R'))
  from?: number;

  /** The beginning of the last day, in milliseconds since 1970. */
  @ApiPropertyOptional({ type: String, description: 'day (UTC), YYYY-MM-DD, included' })
  @EmptyIsAbsent()
  @Reads(dayOf)
  @ValidateIf(isPresent)
  @IsDay(code('E0045R'))
  to?: number;

  /** Only rows older than the one of this number. */
  @ApiPropertyOptional({ description: '"next" of the page before' })
  @EmptyIsAbsent()
  @ReadsNumber()
  @ValidateIf(isPresent)
  @IsInt(code('E0045R'))
  @Min(1, code('E0045R'))
  @Max(Number.MAX_SAFE_INTEGER, code('E0045R'))
  cursor?: number;

  @ApiPropertyOptional({ minimum: 1, maximum: MAX_LIMIT, description: 'rows of one page' })
  @EmptyIsAbsent()
  @ReadsNumber()
  @IsInt(code('E0045R'))
  @Min(1, code('E0045R'))
  @Max(MAX_LIMIT, code('E0045R'))
  limit: number = 100;
}

/** The first millisecond after the days that are asked for; `undefined` where they have no end. */
export const endOf = ({ to }: AuditQuery): number | undefined =>
  to === undefined ? undefined : to + DAY_MS;

const PARAMETERS = [
  'account',
  'action',
  'target',
  'requestId',
  'result',
  'from',
  'to',
  'cursor',
  'limit',
] as const;

/** The parameters as the page's form has them: texts, none of them empty. */
export type AuditParameters = Readonly<Partial<Record<(typeof PARAMETERS)[number], string>>>;

/** The parameters of a valid query that were filled in, for the form to show them again. */
export function auditParameters(query: Readonly<Record<string, unknown>>): AuditParameters {
  const texts = PARAMETERS.map((name) => [name, query[name]] as const);
  return Object.fromEntries(texts.filter(([, text]) => typeof text === 'string' && text !== ''));
}
