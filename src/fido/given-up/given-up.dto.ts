import { ApiProperty, ApiPropertyOptional } from '../../http/openapi.js';
import { IsText } from '../../validation/decorators.js';
import { code, optional } from '../../validation/field.js';
import { PROMPT_ERRORS } from './prompt-errors.js';

/** Body of the calls that report a prompt that gave no key. */
export class GivenUpDto {
  @ApiProperty({ description: 'as the begin call gave it: what names the ceremony' })
  @IsText(code('E0001R'))
  challenge!: string;

  @ApiProperty({
    enum: PROMPT_ERRORS,
    description: 'the name of the exception; whatever else it may be is counted as "other"',
  })
  @IsText(code('E0001R'))
  error!: string;

  @ApiPropertyOptional({ description: 'with an application key: as the begin call answered it' })
  @IsText(optional(code('E0001R')))
  ceremony?: string;
}
