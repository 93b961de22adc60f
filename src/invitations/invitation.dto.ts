import { ApiProperty, ApiPropertyOptional } from '../http/openapi.js';
import { IsDisplayName, IsName, IsText, IsWholeNumber } from '../validation/decorators.js';
import { code, optional } from '../validation/field.js';

const DAY = 86_400;
export const MAX_TTL = 14 * DAY;
/** Keys of one invitation at most: more than anybody carries. */
export const MAX_KEYS = 10;

/** Body of POST /userapi/invitations. */
export class InvitationDto {
  @ApiProperty({ example: 'alice@example.com' })
  @IsName(code('E0045R'))
  username!: string;

  @ApiProperty({ example: 'localhost', description: 'its domain' })
  @IsText(code('E0045R'))
  relyingParty!: string;

  @ApiPropertyOptional({
    example: 'Alice Example',
    description: 'what the user is called; without it, what the user is called already',
  })
  @IsDisplayName(optional(code('E0045R')))
  displayName?: string;

  @ApiPropertyOptional({ default: DAY, description: 'life in seconds, at most 14 days' })
  @IsWholeNumber({ min: 1, max: MAX_TTL }, code('E0045R'))
  ttl: number = DAY;

  @ApiPropertyOptional({ default: 1, description: 'how many keys it registers' })
  @IsWholeNumber({ min: 1, max: MAX_KEYS }, code('E0045R'))
  minKeys: number = 1;
}

/** Query of GET /userapi/invitations. */
export class InvitationsQuery {
  @ApiPropertyOptional({ example: 'alice@example.com', description: 'those of this user alone' })
  @IsName(optional(code('E0045R')))
  username?: string;
}
