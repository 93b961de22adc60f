import { IsInt, IsString, Max, Min, ValidateIf } from 'class-validator';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { IsDisplayName, IsName } from '../../platform/validation/decorators.js';
import { code, isPresent } from '../../platform/validation/rule.js';

const DEFAULT_TTL = 600;
const MAX_TTL = 86_400;

/** Body of POST /userapi/tickets. */
export class TicketDto {
  @ApiProperty({ example: 'alice@example.com' })
  @IsName(code('E0045R'))
  username!: string;

  @ApiProperty({ example: 'localhost', description: 'its domain' })
  @IsString(code('E0045R'))
  relyingParty!: string;

  @ApiPropertyOptional({
    example: 'Alice Example',
    description: 'what the user is called, whatever the begin call says',
  })
  @ValidateIf(isPresent)
  @IsDisplayName(code('E0045R'))
  displayName?: string;

  @ApiPropertyOptional({ default: DEFAULT_TTL, description: 'life in seconds' })
  @IsInt(code('E0045R'))
  @Min(1, code('E0045R'))
  @Max(MAX_TTL, code('E0045R'))
  ttl: number = DEFAULT_TTL;
}
