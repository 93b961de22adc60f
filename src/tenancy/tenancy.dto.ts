import { Transform } from 'class-transformer';
import { IsIn, Matches, ValidateIf } from 'class-validator';
import { problem } from '../platform/errors/reasons.js';
import { ApiProperty, ApiPropertyOptional } from '../platform/http/openapi/openapi.js';
import { IsName, ReadsEmptyAsAbsent } from '../platform/validation/decorators.js';
import { namedHost } from '../platform/validation/values/domain.js';
import { code, Fits, isPresent } from '../platform/validation/field-validator.js';
import { AppsView, PasskeyEndpointsView } from './well-known/well-known.answer.js';
import type { WellKnown } from './well-known/well-known.js';
import {
  appsProblem,
  areApps,
  arePasskeyEndpoints,
  areRelatedOrigins,
  relatedOriginsProblem,
} from './well-known/well-known.validators.js';
import { IsPolicy, POLICY_SCHEMA, type RelyingPartyPolicy } from './policy/policy.js';
import {
  IsColour,
  IsEnrolmentUrl,
  IsOrigins,
  IsPredecessor,
  isDomainText,
} from './tenancy.validators.js';

const TENANT = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;

/** Body of POST /tenantapi/tenants. */
export class CreateTenantDto {
  @ApiProperty({ example: 'acme', description: 'short name of the tenant, unique' })
  @Matches(TENANT, code('E0045R', problem('field.tenantName', { field: 'tenant' })))
  tenant!: string;

  @ApiPropertyOptional({ example: 'Acme Corporation' })
  @ValidateIf(isPresent)
  @IsName()
  displayName?: string;
}

export class ChangeTenantDto {
  @ApiProperty({ example: 'Acme Corporation' })
  @IsName()
  displayName!: string;
}

/** Body of PATCH /tenantapi/tenants/:tenant/relying-parties/:domain. */
export class ChangeRelyingPartyDto {
  @ApiPropertyOptional({ example: 'Acme sign-in', description: 'name that authenticators show' })
  @ValidateIf(isPresent)
  @IsName()
  name?: string;

  @ApiPropertyOptional({ example: ['https://www.example.com'], type: [String] })
  @ValidateIf(isPresent)
  @IsOrigins()
  origins?: string[];

  @ApiPropertyOptional({ ...POLICY_SCHEMA, additionalProperties: false })
  @ValidateIf(isPresent)
  @IsPolicy()
  policy?: RelyingPartyPolicy;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'https://www.example.com/enrol',
    description:
      'own page for invitations (https, on one of the origins); `null`: the built-in page ' +
      '/enrol',
  })
  @ValidateIf(isPresent)
  @IsEnrolmentUrl()
  enrolmentUrl?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: '#1f6feb',
    description: 'colour of the pages /enrol and /my-keys',
  })
  @ValidateIf(isPresent)
  @IsColour()
  colour?: string | null;

  @ApiPropertyOptional({
    example: ['https://example.org'],
    type: [String],
    description: 'origins on other domains that may use the keys of this domain',
  })
  @ValidateIf(isPresent)
  @Fits(areRelatedOrigins, relatedOriginsProblem)
  relatedOrigins?: readonly string[];

  @ApiPropertyOptional({ type: AppsView })
  @ValidateIf(isPresent)
  @Fits(areApps, appsProblem)
  apps?: WellKnown['apps'];

  @ApiPropertyOptional({
    example: ['capacitor://localhost'],
    type: [String],
    description:
      'the listed app origins that name this relying party where a call sends no header; only ' +
      'accounts of all tenants set them',
  })
  @ValidateIf(isPresent)
  @IsOrigins(0)
  confirmedApps?: string[];

  @ApiPropertyOptional({ type: PasskeyEndpointsView })
  @ValidateIf(isPresent)
  @Fits(arePasskeyEndpoints, (field) => problem('field.passkeyEndpoints', { field }))
  passkeyEndpoints?: WellKnown['passkeyEndpoints'];

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'old.example.com',
    description: 'domain of the same tenant from which users move with their keys; `null`: none',
  })
  @ValidateIf(isPresent)
  @IsPredecessor()
  predecessor?: string | null;
}

/** The domain that a body names, as the header X-ServiceFido-RelyingParty does. */
export const domainIn = <T>(written: T): T | string =>
  typeof written === 'string' ? namedHost(written) : written;

/** Body of POST /tenantapi/tenants/:tenant/relying-parties. */
export class CreateRelyingPartyDto extends ChangeRelyingPartyDto {
  @ApiProperty({
    example: 'example.com',
    description: 'domain of the relying party (RP ID); of a URL, its host is taken',
  })
  @Transform(({ value }: { value: unknown }) => domainIn(value))
  @Fits(isDomainText, (field) => problem('field.domain', { field }))
  domain!: string;
}

/** The parameters in the addresses of a relying party. */
export interface RelyingPartyAddress {
  readonly tenant: string;
  readonly domain: string;
}

/** Parameters of a change of a relying party. */
export class ChangeQuery {
  @ApiPropertyOptional({
    enum: ['yes', 'no'],
    default: 'no',
    description:
      '`yes` changes nothing, answers what would result, and counts what the move from ' +
      '`predecessor` would decide',
  })
  @ReadsEmptyAsAbsent()
  @IsIn(['yes', 'no'])
  dryRun: 'yes' | 'no' = 'no';
}
