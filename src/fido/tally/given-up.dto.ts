import { IsString, ValidateIf } from 'class-validator';
import { PROMPT_ERRORS } from '../../events/ceremony-counts/ceremony-count.entity.js';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { code, isPresent } from '../../platform/validation/field-validator.js';

/** Body of the calls that report a prompt that ended without a key. */
export class GivenUpDto {
  @ApiProperty({
    example: 'oW5EQTcWWmVcVsCRtSZJXQOXBBHbGd1vvjhHn0w2tZs',
    description: 'challenge from the begin call, which identifies the ceremony',
  })
  @IsString(code('E0001R'))
  challenge!: string;

  @ApiProperty({
    enum: PROMPT_ERRORS,
    description: 'name of the browser exception; any other value is counted as "other"',
  })
  @IsString(code('E0001R'))
  error!: string;

  @ApiPropertyOptional({
    description: '`ceremony` from the answer of the begin call; only with an application key',
  })
  @ValidateIf(isPresent)
  @IsString(code('E0001R'))
  ceremony?: string;
}
