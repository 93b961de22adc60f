import { ApiWarnings, OkAnswer } from '../platform/http/ok.js';
import { VERSION } from '../platform/http/versions.js';
import { RefusalAnswer } from '../platform/http/openapi/refusal.answer.js';
import { ApiProperty, ApiPropertyOptional } from '../platform/http/openapi/openapi.js';
import { AppsView, PasskeyEndpointsView } from './well-known/well-known.answer.js';
import { POLICY_SCHEMA, type RelyingPartyPolicy } from './policy/policy.js';
import type { MoveForecast } from './changes/predecessor.js';

const TENANT = { example: 'default', description: 'short name of the tenant' };

class TenantView {
  @ApiProperty(TENANT)
  readonly tenant!: string;

  @ApiProperty({ example: 'Acme Corporation' })
  readonly displayName!: string;

  @ApiProperty(VERSION)
  readonly version!: number;

  @ApiProperty({ format: 'date-time' })
  readonly createdAt!: string;
}

class RelyingPartyView {
  @ApiProperty({ example: 'localhost', description: 'domain of the relying party (RP ID)' })
  readonly domain!: string;

  @ApiProperty({ example: 'Acme sign-in', description: 'name that authenticators show' })
  readonly name!: string;

  @ApiProperty({ type: [String], example: ['http://localhost:*'] })
  readonly origins!: readonly string[];

  @ApiProperty(POLICY_SCHEMA)
  readonly policy!: RelyingPartyPolicy;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: "the relying party's own page for invitations; `null`: the built-in page /enrol",
  })
  readonly enrolmentUrl!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: '#1f6feb',
    description: 'colour of the pages /enrol and /my-keys',
  })
  readonly colour!: string | null;

  @ApiProperty({ type: [String], example: ['https://example.org'] })
  readonly relatedOrigins!: readonly string[];

  @ApiProperty({ type: AppsView })
  readonly apps!: AppsView;

  @ApiProperty({ type: PasskeyEndpointsView })
  readonly passkeyEndpoints!: PasskeyEndpointsView;

  @ApiProperty({
    type: [String],
    example: [],
    description: 'the app origins that name this relying party where a call sends no header',
  })
  readonly confirmedApps!: readonly string[];

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'domain from which users move to this relying party',
  })
  readonly predecessor!: string | null;

  @ApiPropertyOptional({
    type: [String],
    example: [],
    description:
      'warnings about browser restrictions, about origins without encryption or on other ' +
      'domains only, about app origins that are not confirmed, about audiences of two tenants, ' +
      'and about clients at which nobody can sign in; absent if there are none',
  })
  readonly warnings?: readonly string[];

  @ApiProperty(VERSION)
  readonly version!: number;

  @ApiProperty({ format: 'date-time' })
  readonly createdAt!: string;
}

export class TenantListAnswer extends OkAnswer {
  @ApiProperty({ type: [TenantView] })
  readonly tenants!: readonly TenantView[];
}

/** A tenant that was created or changed. */
export class TenantAnswer extends TenantView implements OkAnswer {
  @ApiProperty({ enum: ['ok'] })
  readonly status!: 'ok';

  @ApiProperty({ enum: [''] })
  readonly errorMessage!: '';

  @ApiWarnings()
  readonly warnings?: readonly string[] | undefined;
}

export class TenantRemovedAnswer extends OkAnswer {
  @ApiProperty(TENANT)
  readonly tenant!: string;

  @ApiProperty({ enum: [true], description: 'its rows are deleted in the background' })
  readonly removed!: true;
}

export class RelyingPartyListAnswer extends OkAnswer {
  @ApiProperty(TENANT)
  readonly tenant!: string;

  @ApiProperty({ type: [RelyingPartyView] })
  readonly relyingParties!: readonly RelyingPartyView[];
}

class MoveForecastView implements MoveForecast {
  @ApiProperty({ type: 'integer', example: 600, description: 'number of users of the old domain' })
  readonly users!: number;

  @ApiProperty({
    type: 'integer',
    example: 588,
    description: 'users who would be one user at both',
  })
  readonly links!: number;

  @ApiProperty({ type: 'integer', example: 12, description: 'users who would be nobody here' })
  readonly collisions!: number;

  @ApiProperty({
    example: true,
    description: '`false` if there are more users, which were not read',
  })
  readonly complete!: boolean;
}

export class RelyingPartyAnswer extends RelyingPartyView implements OkAnswer {
  @ApiProperty({ enum: ['ok'] })
  readonly status!: 'ok';

  @ApiProperty({ enum: [''] })
  readonly errorMessage!: '';

  @ApiProperty(TENANT)
  readonly tenant!: string;

  @ApiPropertyOptional({
    enum: [true],
    description:
      'with `dryRun=yes`: nothing was changed, and the other members are what would result',
  })
  readonly dryRun?: true;

  @ApiPropertyOptional({
    type: MoveForecastView,
    description: 'with `dryRun=yes`: what the move from `predecessor` would decide',
  })
  readonly move?: MoveForecastView;
}

/** E0045R with the names that collide if case is ignored. */
export class ChangeRefusedAnswer extends RefusalAnswer {
  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'array', items: { type: 'string' } },
    example: [['Anna', 'anna']],
    description:
      'groups of user names that differ only in case, at most 100; only for accounts that may ' +
      'see users',
  })
  readonly collisions?: readonly (readonly string[])[];

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    example: 1,
    description: 'total number of groups',
  })
  readonly collisionsTotal?: number;
}

/** Answer of DELETE /tenantapi/tenants/:tenant/relying-parties/:domain. */
export class RelyingPartyRemovedAnswer extends TenantRemovedAnswer {
  @ApiProperty({ example: 'localhost' })
  readonly domain!: string;
}
