import { ApiProperty, ApiPropertyOptional } from '../http/openapi.js';
import { Field, optional } from '../validation/field.js';
import { POLICY_SCHEMA } from './policy.openapi.js';
import { policyRule } from './policy-schema.js';
import type { RelyingPartyPolicy } from './policy.js';
import { displayNameRule, domainRule, originsRule, tenantRule } from './tenancy.rules.js';

export class CreateTenantDto {
  @ApiProperty({ example: 'acme', description: 'short name, unique' })
  @Field(tenantRule)
  tenant!: string;

  @ApiPropertyOptional({ example: 'Acme Corporation' })
  @Field(optional(displayNameRule))
  displayName?: string;
}

export class ChangeTenantDto {
  @ApiProperty({ example: 'Acme Corporation' })
  @Field(displayNameRule)
  displayName!: string;
}

export class ChangeRelyingPartyDto {
  @ApiPropertyOptional({ example: 'Acme sign-in', description: 'what authenticators show' })
  @Field(optional(displayNameRule))
  name?: string;

  @ApiPropertyOptional({ example: ['https://www.example.com'], type: [String] })
  @Field(optional(originsRule))
  origins?: string[];

  @ApiPropertyOptional(POLICY_SCHEMA)
  @Field(optional(policyRule))
  policy?: RelyingPartyPolicy;
}

export class CreateRelyingPartyDto extends ChangeRelyingPartyDto {
  @ApiProperty({ example: 'example.com', description: 'the RP ID' })
  @Field(domainRule)
  domain!: string;
}
