import { IsString, ValidateIf } from 'class-validator';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { IsDisplayName, IsName, IsWithin } from '../../platform/validation/decorators.js';
import { isPresent } from '../../platform/validation/field-validator.js';
import { MAX_TICKET_TTL } from './ticket.service.js';

const DEFAULT_TTL = 600;

/** Body of POST /userapi/tickets. */
export class TicketDto {
  @ApiProperty({ example: 'alice@example.com' })
  @IsName()
  username!: string;

  @ApiProperty({ example: 'localhost', description: 'domain of the relying party' })
  @IsString()
  relyingParty!: string;

  @ApiPropertyOptional({
    example: 'Alice Example',
    description: 'display name of the user; takes precedence over the one in the begin call',
  })
  @ValidateIf(isPresent)
  @IsDisplayName()
  displayName?: string;

  @ApiPropertyOptional({ default: DEFAULT_TTL, description: 'validity in seconds' })
  @IsWithin(1, MAX_TICKET_TTL)
  ttl: number = DEFAULT_TTL;
}

export class TicketsQuery {
  @ApiPropertyOptional({
    example: 'alice@example.com',
    description: 'user name whose tickets are listed; by default those of all users',
  })
  @ValidateIf(isPresent)
  @IsName()
  username?: string;
}
