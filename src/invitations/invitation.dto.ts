import { IsBoolean, IsString, ValidateIf } from 'class-validator';
import { ApiProperty, ApiPropertyOptional } from '../platform/http/openapi/openapi.js';
import { IsDisplayName, IsName, IsWithin } from '../platform/validation/decorators.js';
import { code, isPresent } from '../platform/validation/field-validator.js';
import { DAY_SECONDS } from '../platform/common/durations.js';

export const MAX_INVITATION_TTL = 14 * DAY_SECONDS;
/** The maximum number of keys of one invitation. */
export const MAX_KEYS = 10;

export class InvitationDto {
  @ApiProperty({ example: 'alice@example.com' })
  @IsName()
  username!: string;

  @ApiProperty({ example: 'localhost', description: 'domain of the relying party' })
  @IsString()
  relyingParty!: string;

  @ApiPropertyOptional({
    example: 'Alice Example',
    description: 'display name of the user; by default the current one',
  })
  @ValidateIf(isPresent)
  @IsDisplayName()
  displayName?: string;

  @ApiPropertyOptional({
    default: DAY_SECONDS,
    description: 'validity in seconds, at most 14 days',
  })
  @IsWithin(1, MAX_INVITATION_TTL)
  ttl: number = DAY_SECONDS;

  @ApiPropertyOptional({ default: 1, description: 'number of keys to register' })
  @IsWithin(1, MAX_KEYS)
  minKeys: number = 1;

  @ApiPropertyOptional({
    default: false,
    description:
      'during a move of the domain: whether this is the user with the same name at the old ' +
      'domain; required if that user is not at the new domain yet',
  })
  @ValidateIf(isPresent)
  @IsBoolean()
  link: boolean = false;
}

export class InvitationsQuery {
  @ApiPropertyOptional({
    example: 'alice@example.com',
    description: 'user name whose invitations are listed; by default those of all users',
  })
  @ValidateIf(isPresent)
  @IsName()
  username?: string;
}

export class InvitationCodeDto {
  @ApiProperty({
    example: 'mJQ1nYkP0y8uGd4yQ2oZ7w',
    description: 'code from the link of the invitation',
  })
  @IsString(code('E0001R'))
  code!: string;
}
