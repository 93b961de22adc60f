import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import {
  IsName,
  IsWithin,
  MayBeEmpty,
  MayBeText,
  ReadsNumber,
} from '../../platform/validation/decorators.js';
import { MayNameRelyingParty } from '../../tenancy/tenancy.validators.js';

/** The most collisions of one answer. */
export const MAX_COLLISIONS = 10_000;

/** Parameters of GET /userapi/collisions. */
export class CollisionsQuery {
  @MayNameRelyingParty()
  relyingParty?: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_COLLISIONS,
    default: 100,
    description: 'maximum number of collisions',
  })
  @MayBeEmpty()
  @ReadsNumber()
  @IsWithin(1, MAX_COLLISIONS)
  limit = 100;

  @ApiPropertyOptional({ example: '', description: '`next` from the previous answer' })
  @MayBeText()
  cursor?: string;
}

/** Body of POST /userapi/collisions, and the form of the page. */
export class LinkDto {
  @MayNameRelyingParty()
  relyingParty?: string;

  @ApiProperty({ example: 'lea', description: 'user name at the old domain' })
  @IsName()
  username!: string;
}
