import { ApiProperty, ApiPropertyOptional } from '../../http/openapi.js';
import { IsDisplayName, IsName, IsText, IsWholeNumber } from '../../validation/decorators.js';
import { code, optional } from '../../validation/field.js';

const DEFAULT_TTL = 600;
const MAX_TTL = 86_400;

/** Body of POST /userapi/tickets. */
export class TicketDto {
  @ApiProperty({ example: 'alice@example.com' })
  @IsName(code('E0045R'))
  username!: string;

  @ApiProperty({ example: 'localhost', description: 'its domain' })
  @IsText(code('E0045R'))
  relyingParty!: string;

  @ApiPropertyOptional({
    example: 'Alice Example',
    description: 'what the user is called, whatever the begin call says',
  })
  @IsDisplayName(optional(code('E0045R')))
  displayName?: string;

  @ApiPropertyOptional({ default: DEFAULT_TTL, description: 'life in seconds' })
  @IsWholeNumber({ min: 1, max: MAX_TTL }, code('E0045R'))
  ttl: number = DEFAULT_TTL;
}
