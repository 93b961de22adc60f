import { IsBoolean, IsString, ValidateIf } from 'class-validator';
import { ApiProperty, ApiPropertyOptional } from '../platform/http/openapi/openapi.js';
import { IsDisplayName, IsName, IsWithin } from '../platform/validation/decorators.js';
import { code, isPresent } from '../platform/validation/rule.js';

const DAY = 86_400;
export const MAX_INVITATION_TTL = 14 * DAY;
/** The maximum number of keys of one invitation. */
export const MAX_KEYS = 10;

/** Body of POST /userapi/invitations. */
export class InvitationDto {
  @ApiProperty({ example: 'alice@example.com' })
  @IsName(code('E0045R'))
  username!: string;

  @ApiProperty({ example: 'localhost', description: 'its domain' })
  @IsString(code('E0045R'))
  relyingParty!: string;

  @ApiPropertyOptional({
    example: 'Alice Example',
    description: 'what the user is called; without it, what the user is called already',
  })
  @ValidateIf(isPresent)
  @IsDisplayName(code('E0045R'))
  displayName?: string;

  @ApiPropertyOptional({ default: DAY, description: 'life in seconds, at most 14 days' })
  @IsWithin(1, MAX_INVITATION_TTL, code('E0045R'))
  ttl: number = DAY;

  @ApiPropertyOptional({ default: 1, description: 'how many keys it registers' })
  @IsWithin(1, MAX_KEYS, code('E0045R'))
  minKeys: number = 1;

  @ApiPropertyOptional({
    default: false,
    description:
      'during a move of the domain: whether this is the user who has this name at the old domain; ' +
      'otherwise keys of that user never sign in by this name',
  })
  @ValidateIf(isPresent)
  @IsBoolean(code('E0045R'))
  link: boolean = false;
}

export class InvitationsQuery {
  @ApiPropertyOptional({ example: 'alice@example.com', description: 'those of this user alone' })
  @ValidateIf(isPresent)
  @IsName(code('E0045R'))
  username?: string;
}
