import { IsInt, Max, Min, ValidateIf } from 'class-validator';
import { problem } from '../../platform/errors/reasons.js';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { EmptyIsAbsent, ReadsNumber } from '../../platform/validation/decorators.js';
import { Rule, code, isPresent } from '../../platform/validation/rule.js';

/** Longer than any name. */
const MAX_CHARACTERS = 1024;
const MAX_LIMIT = 100;

/** Parameters of GET /userapi/users. */
export class SearchQuery {
  @ApiProperty({
    example: 'anna andersson',
    description: 'words of the user name or of the display name, or how they begin',
  })
  @Rule(
    'isSearch',
    code('E0045R'),
    (text) =>
      typeof text === 'string' &&
      text.isWellFormed() &&
      text.length <= MAX_CHARACTERS &&
      text.trim() !== '',
    (field) => problem('field.search', { field, most: MAX_CHARACTERS }),
  )
  search!: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_LIMIT,
    default: 20,
    description: 'most users',
  })
  @EmptyIsAbsent()
  @ReadsNumber()
  @ValidateIf(isPresent)
  @IsInt(code('E0045R'))
  @Min(1, code('E0045R'))
  @Max(MAX_LIMIT, code('E0045R'))
  limit = 20;
}
