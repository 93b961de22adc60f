import { ApiProperty, ApiPropertyOptional } from '../http/openapi.js';
import { IsName } from '../validation/decorators.js';
import { code, optional } from '../validation/field.js';
import { AppsView, PasskeyEndpointsView } from './well-known/well-known.answer.js';
import type { Apps, PasskeyEndpoints } from './well-known/well-known.js';
import { IsApps, IsPasskeyEndpoints, IsRelatedOrigins } from './well-known/well-known.rules.js';
import { POLICY_SCHEMA } from './policy.openapi.js';
import { IsPolicy } from './policy-schema.js';
import { IsColour, IsEnrolmentUrl } from './people-pages.js';
import type { RelyingPartyPolicy } from './policy.js';
import { IsDomain, IsOrigins, IsPredecessor, IsTenantName } from './tenancy.rules.js';

/** Body of POST /tenantapi/tenants. */
export class CreateTenantDto {
  @ApiProperty({ example: 'acme', description: 'short name, unique' })
  @IsTenantName(code('E0045R'))
  tenant!: string;

  @ApiPropertyOptional({ example: 'Acme Corporation' })
  @IsName(optional(code('E0045R')))
  displayName?: string;
}

/** Body of PATCH /tenantapi/tenants/:tenant. */
export class ChangeTenantDto {
  @ApiProperty({ example: 'Acme Corporation' })
  @IsName(code('E0045R'))
  displayName!: string;
}

/** Body of PATCH /tenantapi/tenants/:tenant/relying-parties/:domain. */
export class ChangeRelyingPartyDto {
  @ApiPropertyOptional({ example: 'Acme sign-in', description: 'what authenticators show' })
  @IsName(optional(code('E0045R')))
  name?: string;

  @ApiPropertyOptional({ example: ['https://www.example.com'], type: [String] })
  @IsOrigins(optional(code('E0045R')))
  origins?: string[];

  @ApiPropertyOptional(POLICY_SCHEMA)
  @IsPolicy(optional(code('E0045R')))
  policy?: RelyingPartyPolicy;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'https://www.example.com/enrol',
    description: 'own page for invitations: https, on one of the origins; null: ours, /enrol',
  })
  @IsEnrolmentUrl(optional(code('E0045R')))
  enrolmentUrl?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: '#1f6feb',
    description: 'of the pages /enrol and /my-keys',
  })
  @IsColour(optional(code('E0045R')))
  colour?: string | null;

  @ApiPropertyOptional({
    example: ['https://example.org'],
    type: [String],
    description: 'origins at other domains that may use the keys of this one',
  })
  @IsRelatedOrigins(optional(code('E0045R')))
  relatedOrigins?: readonly string[];

  @ApiPropertyOptional({ type: AppsView })
  @IsApps(optional(code('E0045R')))
  apps?: Apps;

  @ApiPropertyOptional({ type: PasskeyEndpointsView })
  @IsPasskeyEndpoints(optional(code('E0045R')))
  passkeyEndpoints?: PasskeyEndpoints;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'old.example.com',
    description: 'a domain of the same tenant whose users come over with their keys; null: none',
  })
  @IsPredecessor(optional(code('E0045R')))
  predecessor?: string | null;
}

/** Body of POST /tenantapi/tenants/:tenant/relying-parties. */
export class CreateRelyingPartyDto extends ChangeRelyingPartyDto {
  @ApiProperty({ example: 'example.com', description: 'the RP ID' })
  @IsDomain(code('E0045R'))
  domain!: string;
}
