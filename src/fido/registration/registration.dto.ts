import { IsBoolean, IsIn, IsOptional, IsString, ValidateNested } from 'class-validator';
import type {
  AuthenticatorAttestationResponseJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { IsDisplayName, IsName } from '../../platform/validation/decorators.js';
import { CheckedInPlace } from '../../platform/validation/dto.pipe.js';
import { code, Fits } from '../../platform/validation/field-validator.js';
import { IsGroups, MAX_GROUPS } from '../../users/groups/group.validators.js';
import { ceremonyResultDto, type LenientField } from '../ceremonies/ceremony-result.dto.js';
import {
  REQUESTED_ATTACHMENTS,
  AuthenticatorSelectionDto,
  IsExtensions,
  IsHints,
  IsUserId,
  MEDIATIONS,
  REQUIREMENTS,
  type Mediation,
  type RequestedRequirement,
} from '../ceremonies/ceremony.validators.js';
import {
  CALLER_CONVEYANCES,
  IsKeypair,
  algorithmsProblem,
  areAlgorithms,
  areTransports,
  transportsProblem,
} from './registration.validators.js';

type RequestedAttachment = (typeof REQUESTED_ATTACHMENTS)[number];

/** A genuine authenticator response, as an example. Its challenge was never issued. */
const EXAMPLE = {
  clientDataJSON:
    'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIiwiY2hhbGxlbmdlIjoib1c1RVFUY1dXbVZjVnNDUnRTWkpYUU9YQkJIYkdkMXZ2' +
    'akhHU1VwOG1YcyIsIm9yaWdpbiI6Imh0dHA6Ly9sb2NhbGhvc3Q6ODA4MCIsImNyb3NzT3JpZ2luIjpmYWxzZX0',
  attestationObject:
    'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVikSZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2NFAAAAAV4fHQp-' +
    'V0AAgAAAAAAAAP0AICCd53yelcZVSyoOFXl-Mtq9vaBrHnVZ9xfZcXLqkwRTpQECAyYgASFYIA3H4coO3b1CjM7ZmthVFA2n' +
    'diu7jpv36a2MciHlhIzvIlgg29skNUgaWF6b_owxChyLjWUzA1UNtR35yqvzgT06rqE',
};

/** Body of attestation/options. */
@CheckedInPlace()
export class BeginRegistrationDto {
  @ApiProperty({
    example: 'alice@example.com',
    description: 'user name, 1–255 bytes of UTF-8, in NFC',
  })
  @IsName(code('E0001R'))
  username!: string;

  @ApiProperty({ example: 'Alice Example' })
  @IsDisplayName(code('E0001R'))
  displayName!: string;

  @ApiPropertyOptional({ enum: REQUIREMENTS, default: 'preferred' })
  @IsOptional()
  @IsIn(REQUIREMENTS, code('E0001R'))
  userVerification?: RequestedRequirement;

  @ApiPropertyOptional({ enum: CALLER_CONVEYANCES, default: 'none' })
  @IsOptional()
  @IsIn(CALLER_CONVEYANCES, code('E0001R'))
  attestation?: (typeof CALLER_CONVEYANCES)[number];

  @ApiPropertyOptional({ enum: REQUESTED_ATTACHMENTS, default: 'all' })
  @IsOptional()
  @IsIn(REQUESTED_ATTACHMENTS, code('E0001R'))
  attachment?: RequestedAttachment;

  @ApiPropertyOptional({
    type: 'array',
    items: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    description: 'acceptable algorithms: names, or numbers from the COSE registry',
    example: ['es256', 'eddsa', 'rs256'],
  })
  @IsOptional()
  @Fits(areAlgorithms, algorithmsProblem, code('E0001R'))
  algorithms?: (string | number)[];

  @ApiPropertyOptional({ enum: REQUIREMENTS, default: 'preferred' })
  @IsOptional()
  @IsIn(REQUIREMENTS, code('E0001R'))
  discoverable_credential?: RequestedRequirement;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description:
      'selection criteria; its members take precedence over the fields of the same names',
    example: { requireResidentKey: true, userVerification: 'required' },
  })
  @IsOptional()
  @ValidateNested(code('E0001R'))
  authenticatorSelection?: AuthenticatorSelectionDto;

  @ApiPropertyOptional({
    enum: REQUIREMENTS,
    description: 'same meaning as discoverable_credential',
  })
  @IsOptional()
  @IsIn(REQUIREMENTS, code('E0001R'))
  residentKey?: RequestedRequirement;

  @ApiPropertyOptional({ description: 'same meaning as authenticatorSelection.requireResidentKey' })
  @IsOptional()
  @IsBoolean(code('E0001R'))
  requireResidentKey?: boolean;

  @ApiPropertyOptional({ enum: REQUESTED_ATTACHMENTS, description: 'same meaning as attachment' })
  @IsOptional()
  @IsIn(REQUESTED_ATTACHMENTS, code('E0001R'))
  authenticatorAttachment?: RequestedAttachment;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'device metadata, at most 4 KiB and 8 levels',
    example: { name: 'Blue key' },
  })
  @IsOptional()
  @IsKeypair(code('E0023R'))
  keypair?: unknown;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    example: { credProtect: 2 },
    description:
      'WebAuthn extension inputs, at most 2 KiB; credProtect accepts the levels 0–3; ' +
      'appidExclude is refused',
  })
  @IsOptional()
  @IsExtensions(code('E0001R'))
  extensions?: Record<string, unknown>;

  @ApiPropertyOptional({ type: [String], example: ['security-key'] })
  @IsOptional()
  @IsHints(code('E0001R'))
  hints?: string[];

  @ApiPropertyOptional({
    enum: MEDIATIONS,
    description:
      'how the browser prompts; `conditional` creates a key without a prompt and needs an ' +
      'application key or a fresh token of this user',
  })
  @IsOptional()
  @IsIn(MEDIATIONS, code('E0001R'))
  mediation?: Mediation;

  @ApiPropertyOptional({ description: 'one-time ticket, required with --registration ticket' })
  @IsOptional()
  @IsString(code('E0001R'))
  ticket?: string;

  @ApiPropertyOptional({
    example: '1b4e28ba-2fa1-11d2',
    description: 'user ID, which never changes; only with an application key',
  })
  @IsOptional()
  @IsUserId(code('E0001R'))
  userId?: string;

  @ApiPropertyOptional({
    type: [String],
    maxItems: MAX_GROUPS,
    example: ['administrators'],
    description:
      'groups of a user who does not exist yet, 1–255 bytes each; only with an application key ' +
      'with the permission `groups`',
  })
  @IsOptional()
  @IsGroups(code('E0001R'))
  groups?: string[];

  /** Read, and checked to be an address, before the body is validated. */
  @ApiPropertyOptional({
    description:
      'IP address of the client on whose behalf the application calls; only with an ' +
      'application key',
  })
  @IsOptional()
  @IsString(code('E0001R'))
  clientAddress?: string;
}

/** The core decodes and validates the members in Base64URL, in the order of the ceremony. */
class AttestationResponseDto implements AuthenticatorAttestationResponseJSON {
  @ApiProperty({ description: 'client data in Base64URL', example: EXAMPLE.clientDataJSON })
  clientDataJSON!: string;

  @ApiProperty({
    description: 'attestation object in Base64URL',
    example: EXAMPLE.attestationObject,
  })
  attestationObject!: string;

  @ApiPropertyOptional({ type: [String], example: ['usb', 'nfc'] })
  @IsOptional()
  @Fits(areTransports, transportsProblem, code('E0007R'))
  transports?: string[];
}

const RESULT_CODES = {
  type: { missing: 'E0002R', notText: 'E0003R', unknown: 'E0004R' },
  id: { notText: 'E0005R', malformed: 'E0006R' },
  response: 'E0007R',
  others: 'E0007R',
} as const;

/** Body of attestation/result. */
@CheckedInPlace()
export class RegistrationResultDto
  extends ceremonyResultDto(RESULT_CODES, AttestationResponseDto)
  implements Omit<RegistrationResponseJSON, LenientField> {}
