import { IsBoolean, IsIn, ValidateIf } from 'class-validator';
import { isLoopback } from '../../platform/config/base-address.js';
import { problem } from '../../platform/errors/reasons.js';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { isListOf } from '../../platform/validation/decorators.js';
import { FieldValidator, isPresent } from '../../platform/validation/field-validator.js';
import { isName } from '../../platform/validation/values/names.js';
import { webAddress } from '../../platform/validation/values/domain.js';
import {
  CLIENT_ALGORITHMS,
  CLIENT_KINDS,
  MAX_CLIENT_NAME,
  type ClientAlgorithm,
  type ClientKind,
} from './oidc-client.entity.js';

const MAX_URIS = 20;
const MAX_URI = 500;

const IsClientName = FieldValidator(
  'isClientName',
  (value) => isName(value) && value.length <= MAX_CLIENT_NAME,
  (field) => problem('field.visibleName', { field, most: MAX_CLIENT_NAME }),
);

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

const isUriList = (value: unknown, min: number) =>
  isListOf(value, isRedirectUri, { min, max: MAX_URIS, unique: true });

const uriProblem = (field: string) => problem('field.redirectUris', { field, most: MAX_URIS });

const IsRedirectUris = FieldValidator('isRedirectUris', (value) => isUriList(value, 1), uriProblem);

const IsPostLogoutUris = FieldValidator(
  'isPostLogoutUris',
  (value) => isUriList(value, 0),
  uriProblem,
);

/** Body of PATCH /tenantapi/tenants/:tenant/relying-parties/:domain/clients/:client. */
export class ChangeClientDto {
  @ApiPropertyOptional({ example: 'Grafana', description: 'name that users see' })
  @ValidateIf(isPresent)
  @IsClientName()
  name?: string;

  @ApiPropertyOptional({
    type: [String],
    example: ['https://grafana.example.com/login/generic_oauth'],
    description: 'addresses to which users may return, compared exactly; http only on loopback',
  })
  @ValidateIf(isPresent)
  @IsRedirectUris()
  redirectUris?: string[];

  @ApiPropertyOptional({
    type: [String],
    example: ['https://grafana.example.com/login'],
    description: 'addresses to which users may return after a sign-out',
  })
  @ValidateIf(isPresent)
  @IsPostLogoutUris()
  postLogoutRedirectUris?: string[];

  @ApiPropertyOptional({ enum: CLIENT_ALGORITHMS, description: 'signature of ID tokens' })
  @ValidateIf(isPresent)
  @IsIn(CLIENT_ALGORITHMS)
  algorithm?: ClientAlgorithm;

  @ApiPropertyOptional({ description: 'whether the client may have the claim `groups`' })
  @ValidateIf(isPresent)
  @IsBoolean()
  groups?: boolean;
}

/** Body of POST /tenantapi/tenants/:tenant/relying-parties/:domain/clients. */
export class CreateClientDto extends ChangeClientDto {
  @ApiProperty({ example: 'Grafana', description: 'name that users see' })
  @IsClientName()
  override name!: string;

  @ApiProperty({
    enum: CLIENT_KINDS,
    example: 'web',
    description: '`web`: a server, which gets a secret; `public`: an app or page without one',
  })
  @IsIn(CLIENT_KINDS)
  kind!: ClientKind;

  @ApiProperty({
    type: [String],
    example: ['https://grafana.example.com/login/generic_oauth'],
    description: 'addresses to which users may return, compared exactly; http only on loopback',
  })
  @IsRedirectUris()
  override redirectUris!: string[];
}
