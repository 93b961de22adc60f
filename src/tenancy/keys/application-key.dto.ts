import { IsIn, IsString, ValidateIf } from 'class-validator';
import { problem } from '../../platform/errors/reasons.js';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { KEY_PERMISSIONS, type KeyPermission } from '../../platform/access/permissions.js';
import {
  IsShortName,
  ReadsEmptyAsAbsent,
  MayBeEmpty,
  Reads,
  isListOf,
  isOneOf,
} from '../../platform/validation/decorators.js';
import { Fits, isPresent } from '../../platform/validation/field-validator.js';
import { IsMoment, momentOf } from '../../platform/validation/values/moment.js';
import { MayNameRelyingParties } from '../tenancy.validators.js';
import { MAX_APPLICATION_KEY_NAME } from './application-key.entity.js';

const isKeyPermission = (value: unknown) => isOneOf(KEY_PERMISSIONS, value);

const areKeyPermissions = (value: unknown): boolean =>
  isListOf(value, isKeyPermission, { min: 1, max: KEY_PERMISSIONS.length, unique: true });

/** Body of POST /tenantapi/keys. */
export class IssueKeyDto {
  @ApiProperty({ example: 'web shop', description: 'name of the application key' })
  @IsShortName(MAX_APPLICATION_KEY_NAME)
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
  @Fits(areKeyPermissions, (field) =>
    problem('field.someOf', { field, words: KEY_PERMISSIONS.join(', ') }),
  )
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
