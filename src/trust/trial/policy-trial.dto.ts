import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { POLICY_SCHEMA } from '../../tenancy/policy/policy.openapi.js';
import { IsPolicy } from '../../tenancy/policy/policy.js';
import type { RelyingPartyPolicy } from '../../tenancy/policy/policy.js';
import { MayBeText } from '../../platform/validation/decorators.js';
import { code } from '../../platform/validation/rule.js';

/** Body of POST /userapi/policy/try. */
export class PolicyTrialDto {
  @ApiPropertyOptional({ example: 'localhost', description: 'its domain; else that of the header' })
  @MayBeText(code('E0045R'))
  relyingParty?: string;

  @ApiProperty(POLICY_SCHEMA)
  @IsPolicy(code('E0045R'))
  policy!: RelyingPartyPolicy;
}
