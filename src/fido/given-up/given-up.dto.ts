import { IsString, ValidateIf } from 'class-validator';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { code, isPresent } from '../../platform/validation/rule.js';
import { PROMPT_ERRORS } from './prompt-errors.js';

/** Body of the calls that report a prompt that gave no key. */
export class GivenUpDto {
  @ApiProperty({
    example: 'oW5EQTcWWmVcVsCRtSZJXQOXBBHbGd1vvjhHn0w2tZs',
    description: 'as the begin call gave it: what names the ceremony',
  })
  @IsString(code('E0001R'))
  challenge!: string;

  @ApiProperty({
    enum: PROMPT_ERRORS,
    description: 'the name of the exception; whatever else it may be is counted as "other"',
  })
  @IsString(code('E0001R'))
  error!: string;

  @ApiPropertyOptional({ description: 'with an application key: as the begin call answered it' })
  @ValidateIf(isPresent)
  @IsString(code('E0001R'))
  ceremony?: string;
}
