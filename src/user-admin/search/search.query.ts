import { ApiProperty, ApiPropertyOptional } from '../../http/openapi.js';
import { EmptyIsAbsent, IsWholeNumber, ReadsNumber } from '../../validation/decorators.js';
import { Rule, code, optional } from '../../validation/field.js';

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
    `must be one text of at most ${MAX_CHARACTERS} characters`,
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
  @IsWholeNumber({ min: 1, max: MAX_LIMIT }, optional(code('E0045R')))
  limit = 20;
}
