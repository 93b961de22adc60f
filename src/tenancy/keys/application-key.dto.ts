import { IsIn, IsString, ValidateIf } from 'class-validator';
import { problem } from '../../platform/errors/reasons.js';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { KEY_PERMISSIONS, type KeyPermission } from '../../platform/access/permissions.js';
import {
  ReadsEmptyAsAbsent,
  MayBeEmpty,
  Reads,
  isListOf,
  isOneOf,
} from '../../platform/validation/decorators.js';
import { FieldValidator, isPresent } from '../../platform/validation/field-validator.js';
import { IsMoment, momentOf } from '../../platform/validation/values/moment.js';
import { isName } from '../../platform/validation/values/names.js';
import { MayNameRelyingParties } from '../tenancy.validators.js';
import { MAX_APPLICATION_KEY_NAME } from './application-key.entity.js';

const isKeyPermission = (value: unknown) => isOneOf(KEY_PERMISSIONS, value);

const IsKeyName = FieldValidator(
  'isKeyName',
  (value) => isName(value) && value.length <= MAX_APPLICATION_KEY_NAME,
  (field) => problem('field.visibleName', { field, most: MAX_APPLICATION_KEY_NAME }),
);

const IsKeyPermissions = FieldValidator(
  'isKeyPermissions',
  (value) =>
    isListOf(value, isKeyPermission, { min: 1, max: KEY_PERMISSIONS.length, unique: true }),
  (field) => problem('field.someOf', { field, words: KEY_PERMISSIONS.join(', ') }),
);

/** Body of POST /tenantapi/keys. */
export class IssueKeyDto {
  @ApiProperty({ example: 'web shop', description: 'name of the application key' })
  @IsKeyName()
  name!: string;

  @ApiProperty({
    example: 'default',
    description: 'short name of the tenant that owns the application key',
  })
  @IsString()
  tenant!: string;

  @MayNameRelyingParties()
  relyingParties?: string[];

  @ApiProperty({ enum: KEY_PERMISSIONS, isArray: true, example: ['tickets'] })
  @IsKeyPermissions()
  scopes!: KeyPermission[];

  /** Milliseconds since 1970. */
  @ApiPropertyOptional({ type: String, example: '2030-01-31', description: 'time of expiry (UTC)' })
  @Reads(momentOf)
  @ValidateIf(isPresent)
  @IsMoment()
  expiresAt?: number;
}

/** Parameters of GET /tenantapi/keys. */
export class ListKeysQuery {
  @ApiPropertyOptional({ example: 'default' })
  @MayBeEmpty()
  @IsString()
  tenant?: string;

  @ApiPropertyOptional({
    enum: ['yes', 'no'],
    description: '`yes` lists the revoked application keys instead',
  })
  @ReadsEmptyAsAbsent()
  @IsIn(['yes', 'no'])
  revoked: 'yes' | 'no' = 'no';
}
