import { applyDecorators } from '@nestjs/common';
import { IsBoolean, IsIn, ValidateIf } from 'class-validator';
import { isLoopback } from '../../platform/config/base-address.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { problem } from '../../platform/errors/reasons.js';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { IsShortName, Reads, isListOf } from '../../platform/validation/decorators.js';
import { FieldValidator, isPresent } from '../../platform/validation/field-validator.js';
import { webAddress } from '../../platform/validation/values/domain.js';
import {
  CLIENT_ALGORITHMS,
  CLIENT_KINDS,
  MAX_CLIENT_NAME,
  USER_CLAIMS,
  type ClientAlgorithm,
  type ClientKind,
  type UserClaim,
} from './oidc-client.entity.js';

const MAX_URIS = 20;
const MAX_URI = 500;

/**
 * Whether browsers may be sent to this address with a code: https, or http on loopback for development. It is compared
 * character by character, so it must have the form in which libraries send it.
 */
function isRedirectUri(value: unknown): boolean {
  const url = webAddress(value, MAX_URI);
  if (!url || /[#*]/.test(url.href)) return false;
  const isAsSent = [value, `${String(value)}/`].includes(url.href);
  return isAsSent && (url.protocol === 'https:' || isLoopback(url.hostname));
}

/** A list of at least `min` addresses to which users may return. */
const AreRedirectUris = (min: 0 | 1): PropertyDecorator =>
  FieldValidator(
    'areRedirectUris',
    (value) => isListOf(value, isRedirectUri, { min, max: MAX_URIS, unique: true }),
    (field) => problem('field.redirectUris', { field, most: MAX_URIS }),
  )();

const GUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

const HasGuidForm = FieldValidator(
  'isGuid',
  (value) => typeof value === 'string' && GUID.test(value),
  (field) => problem('field.guid', { field }),
);

/** Entra's portal shows GUIDs in any case; its tokens contain them in lower case. */
const IsGuid = () =>
  applyDecorators(
    Reads((text) => text.toLowerCase()),
    HasGuidForm(),
  );

/** The members that only clients of some kinds have. */
const ENTRA_MEMBERS = ['tenantId', 'appId', 'userClaim'] as const;
const APPLICATION_MEMBERS = [
  'redirectUris',
  'postLogoutRedirectUris',
  'algorithm',
  'groups',
] as const;

/** @throws ApiError E0045R for a member that a client of this kind does not have */
export function ensureMembersOf(kind: ClientKind, dto: ChangeClientDto): void {
  const foreign = kind === 'entra' ? APPLICATION_MEMBERS : ENTRA_MEMBERS;
  const field = foreign.find((name) => dto[name] !== undefined);
  if (field) throw new ApiError('E0045R', 'oidc.notOfKind', { field, type: kind });
}

const isEntra = ({ kind }: CreateClientDto): boolean => kind === 'entra';

/** Body of PATCH /tenantapi/tenants/:tenant/relying-parties/:domain/clients/:client. */
export class ChangeClientDto {
  @ApiPropertyOptional({ example: 'Grafana', description: 'name that users see' })
  @ValidateIf(isPresent)
  @IsShortName(MAX_CLIENT_NAME)
  name?: string;

  @ApiPropertyOptional({
    type: [String],
    example: ['https://grafana.example.com/login/generic_oauth'],
    description: 'addresses to which users may return, compared exactly; http only on loopback',
  })
  @ValidateIf(isPresent)
  @AreRedirectUris(1)
  redirectUris?: string[];

  @ApiPropertyOptional({
    type: [String],
    example: ['https://grafana.example.com/login'],
    description: 'addresses to which users may return after a sign-out',
  })
  @ValidateIf(isPresent)
  @AreRedirectUris(0)
  postLogoutRedirectUris?: string[];

  @ApiPropertyOptional({ enum: CLIENT_ALGORITHMS, description: 'signature of ID tokens' })
  @ValidateIf(isPresent)
  @IsIn(CLIENT_ALGORITHMS)
  algorithm?: ClientAlgorithm;

  @ApiPropertyOptional({
    description:
      'whether the client may have the claim `groups`; it must also ask for the scope `groups`',
  })
  @ValidateIf(isPresent)
  @IsBoolean()
  groups?: boolean;

  @ApiPropertyOptional({
    example: '9122040d-6c67-4c5b-b112-36a304b66dad',
    description: 'tenant ID of Entra ID; only for the kind `entra`',
  })
  @ValidateIf(isPresent)
  @IsGuid()
  tenantId?: string;

  @ApiPropertyOptional({
    example: '600b719b-3766-4dc5-95a6-3c4a8dc31885',
    description: 'application (client) ID of the app registration there; only for the kind `entra`',
  })
  @ValidateIf(isPresent)
  @IsGuid()
  appId?: string;

  @ApiPropertyOptional({
    enum: USER_CLAIMS,
    description:
      'claim that finds the user: `oid`, which is the `externalId` of the user here, or ' +
      '`preferred_username`, which is the user name; only for the kind `entra`',
  })
  @ValidateIf(isPresent)
  @IsIn(USER_CLAIMS)
  userClaim?: UserClaim;
}

/** Body of POST /tenantapi/tenants/:tenant/relying-parties/:domain/clients. */
export class CreateClientDto extends ChangeClientDto {
  @ApiProperty({ example: 'Grafana', description: 'name that users see' })
  @IsShortName(MAX_CLIENT_NAME)
  override name!: string;

  @ApiProperty({
    enum: CLIENT_KINDS,
    example: 'web',
    description:
      '`web`: a server, which gets a secret; `public`: an app or page without one; `entra`: a ' +
      'tenant of Entra ID',
  })
  @IsIn(CLIENT_KINDS)
  kind!: ClientKind;

  @ApiPropertyOptional({
    type: [String],
    example: ['https://grafana.example.com/login/generic_oauth'],
    description:
      'addresses to which users may return, compared exactly; http only on loopback; required ' +
      'unless the kind is `entra`',
  })
  @ValidateIf((dto: CreateClientDto, value) => !isEntra(dto) || value !== undefined)
  @AreRedirectUris(1)
  override redirectUris?: string[];

  @ApiPropertyOptional({
    example: '9122040d-6c67-4c5b-b112-36a304b66dad',
    description: 'tenant ID of Entra ID; required for the kind `entra`',
  })
  @ValidateIf((dto: CreateClientDto, value) => isEntra(dto) || value !== undefined)
  @IsGuid()
  override tenantId?: string;

  @ApiPropertyOptional({
    example: '600b719b-3766-4dc5-95a6-3c4a8dc31885',
    description: 'application (client) ID of the app registration there; required likewise',
  })
  @ValidateIf((dto: CreateClientDto, value) => isEntra(dto) || value !== undefined)
  @IsGuid()
  override appId?: string;
}

/** Body of POST /tenantapi/tenants/:tenant/relying-parties/:domain/clients/rotate-keys. */
export class RotateKeysDto {
  @ApiPropertyOptional({
    default: false,
    description: 'whether the keys may have been stolen: then they are replaced at once',
  })
  @ValidateIf(isPresent)
  @IsBoolean()
  revoke: boolean = false;
}
