import { ApiProperty, ApiPropertyOptional } from '../../http/openapi.js';
import { POLICY_SCHEMA } from '../../tenancy/policy.openapi.js';
import { IsPolicy } from '../../tenancy/policy-schema.js';
import type { RelyingPartyPolicy } from '../../tenancy/policy.js';
import { MayBeText } from '../../validation/decorators.js';
import { code } from '../../validation/field.js';

/** Body of POST /userapi/policy/try. */
export class PolicyTrialDto {
  @ApiPropertyOptional({ example: 'localhost', description: 'its domain; else that of the header' })
  @MayBeText(code('E0045R'))
  relyingParty?: string;

  @ApiProperty(POLICY_SCHEMA)
  @IsPolicy(code('E0045R'))
  policy!: RelyingPartyPolicy;
}
