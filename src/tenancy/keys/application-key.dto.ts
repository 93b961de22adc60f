import { ApiProperty, ApiPropertyOptional } from '../../http/openapi.js';
import { SCOPES } from '../../security/permissions.js';
import type { Scope } from '../../security/permissions.js';
import { EmptyIsAbsent, IsOneOf, isOneOf, IsText, Reads } from '../../validation/decorators.js';
import { Rule, code, optional } from '../../validation/field.js';
import type { Coded } from '../../validation/field.js';
import { IsMoment, momentOf } from '../../validation/moment.js';
import { isListOf } from '../../validation/lists.js';
import { isName } from '../../validation/names.js';
import { IsDomains } from '../tenancy.rules.js';

const MAX_NAME = 64;
const isScope = (value: unknown) => isOneOf(SCOPES, value);

const IsKeyName = (options: Coded): PropertyDecorator =>
  Rule(
    'isKeyName',
    options,
    (value) => isName(value) && value.length <= MAX_NAME,
    `must be a string of 1 to ${MAX_NAME} characters, none of them invisible`,
  );

const IsScopes = (options: Coded): PropertyDecorator =>
  Rule(
    'isScopes',
    options,
    (value) => isListOf(value, SCOPES.length, isScope),
    `must be an array of some of ${SCOPES.join(', ')}`,
  );

/** Body of POST /tenantapi/keys. */
export class IssueKeyDto {
  @ApiProperty({ example: 'web shop', description: 'what people call it' })
  @IsKeyName(code('E0045R'))
  name!: string;

  @ApiProperty({ example: 'default', description: 'whose key it is' })
  @IsText(code('E0045R'))
  tenant!: string;

  @ApiPropertyOptional({
    type: [String],
    example: ['localhost'],
    description: "domains; without it all of the tenant's, future ones too",
  })
  @IsDomains(optional(code('E0045R')))
  relyingParties?: string[];

  @ApiProperty({ enum: SCOPES, isArray: true, example: ['tickets'] })
  @IsScopes(code('E0045R'))
  scopes!: Scope[];

  /** Milliseconds since 1970. */
  @ApiPropertyOptional({ type: String, example: '2030-01-31', description: 'time (UTC)' })
  @Reads(momentOf)
  @IsMoment(optional(code('E0045R')))
  expiresAt?: number;
}

/** Parameters of GET /tenantapi/keys. */
export class ListKeysQuery {
  @ApiPropertyOptional({ example: 'default' })
  @EmptyIsAbsent()
  @IsText(optional(code('E0045R')))
  tenant?: string;

  @ApiPropertyOptional({ enum: ['yes', 'no'], description: 'those that were revoked, instead' })
  @EmptyIsAbsent()
  @IsOneOf(['yes', 'no'], code('E0045R'))
  revoked: 'yes' | 'no' = 'no';
}
