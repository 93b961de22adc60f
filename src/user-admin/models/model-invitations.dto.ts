import { IsBoolean } from 'class-validator';
import { Transform } from 'class-transformer';
import { MAX_TTL } from '../../invitations/invitation.dto.js';
import { ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { EmptyIsAbsent, IsWithin, ReadsNumber } from '../../platform/validation/decorators.js';
import { code } from '../../platform/validation/rule.js';

const WEEK = 7 * 86_400;

/** Body of POST /userapi/aaguid/:aaguid/invitations, and its form. */
export class InviteHoldersDto {
  @ApiPropertyOptional({ default: WEEK, description: 'life in seconds, at most 14 days' })
  @EmptyIsAbsent()
  @ReadsNumber()
  @IsWithin(1, MAX_TTL, code('E0045R'))
  ttl: number = WEEK;

  @ApiPropertyOptional({
    default: false,
    description: 'whether people who have an open invitation get another one',
  })
  @Transform(({ value }: { value: unknown }) => (value === 'yes' ? true : value))
  @IsBoolean(code('E0045R'))
  again: boolean = false;
}
