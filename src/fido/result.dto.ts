import type {
  AuthenticationResponseJSON,
  AuthenticatorAssertionResponseJSON,
  AuthenticatorAttachment,
  AuthenticatorAttestationResponseJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { ApiProperty, ApiPropertyOptional } from '../http/openapi.js';
import { IsJsonObject, IsObjectOf } from '../validation/decorators.js';
import { CheckedInPlace } from '../validation/dto.pipe.js';
import { code, codes, optional } from '../validation/field.js';
import { ASSERTION_RESPONSE, ATTESTATION_RESPONSE, CREDENTIAL_ID } from './result.examples.js';
import {
  IsAttachment,
  IsCredentialId,
  IsPublicKeyType,
  IsTransports,
  IsUserHandle,
} from './result.rules.js';

/** Members that older clients leave out, or send as `null`. */
type Looser = 'authenticatorAttachment' | 'clientExtensionResults';

/** The core decodes and validates the members in Base64URL, in the order of the ceremony. */
export class AttestationResponseDto implements AuthenticatorAttestationResponseJSON {
  @ApiProperty({ description: 'Base64URL', example: ATTESTATION_RESPONSE.clientDataJSON })
  clientDataJSON!: string;

  @ApiProperty({ description: 'Base64URL', example: ATTESTATION_RESPONSE.attestationObject })
  attestationObject!: string;

  @ApiPropertyOptional({ type: [String], example: ['usb', 'nfc'] })
  @IsTransports(optional(code('E0007R')))
  transports?: string[];
}

/** The core decodes and validates the members in Base64URL, except for the user handle. */
export class AssertionResponseDto implements Omit<
  AuthenticatorAssertionResponseJSON,
  'userHandle'
> {
  @ApiProperty({ description: 'Base64URL', example: ASSERTION_RESPONSE.clientDataJSON })
  clientDataJSON!: string;

  @ApiProperty({ description: 'Base64URL', example: ASSERTION_RESPONSE.authenticatorData })
  authenticatorData!: string;

  @ApiProperty({ description: 'Base64URL', example: ASSERTION_RESPONSE.signature })
  signature!: string;

  @ApiPropertyOptional({ type: String, description: 'Base64URL', nullable: true })
  @IsUserHandle(optional(code('E0010R')))
  userHandle?: string | null;
}

/** Body of attestation/result. */
@CheckedInPlace()
export class RegistrationResultDto implements Omit<RegistrationResponseJSON, Looser> {
  @ApiProperty({ enum: ['public-key'] })
  @IsPublicKeyType(codes({ missing: 'E0002R', notText: 'E0003R', other: 'E0004R' }))
  type!: 'public-key';

  @ApiProperty({ description: 'credential ID in Base64URL', example: CREDENTIAL_ID })
  @IsCredentialId(codes({ missing: 'E0005R', malformed: 'E0006R' }))
  id!: string;

  @ApiProperty({ description: 'the same as id', example: CREDENTIAL_ID })
  rawId!: string;

  @ApiProperty({ type: AttestationResponseDto })
  @IsObjectOf(AttestationResponseDto, code('E0007R'))
  response!: AttestationResponseDto;

  @ApiPropertyOptional({ enum: ['platform', 'cross-platform'], nullable: true })
  @IsAttachment(optional(code('E0007R')))
  authenticatorAttachment?: AuthenticatorAttachment | null;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true, example: {} })
  @IsJsonObject(optional(code('E0007R')))
  clientExtensionResults?: Record<string, unknown>;

  /** Read before the body is validated. */
  @ApiPropertyOptional({ description: 'of an application: what its begin call answered' })
  ceremony?: string;
}

/** Body of assertion/result. */
@CheckedInPlace()
export class AuthenticationResultDto implements Omit<
  AuthenticationResponseJSON,
  Looser | 'response'
> {
  @ApiProperty({ enum: ['public-key'] })
  @IsPublicKeyType(codes({ missing: 'E0011R', notText: 'E0012R', other: 'E0013R' }))
  type!: 'public-key';

  @ApiProperty({ description: 'credential ID in Base64URL', example: CREDENTIAL_ID })
  @IsCredentialId(codes({ missing: 'E0014R', malformed: 'E0015R' }))
  id!: string;

  @ApiProperty({ description: 'the same as id', example: CREDENTIAL_ID })
  rawId!: string;

  @ApiProperty({ type: AssertionResponseDto })
  @IsObjectOf(AssertionResponseDto, code('E0016R'))
  response!: AssertionResponseDto;

  @ApiPropertyOptional({ enum: ['platform', 'cross-platform'], nullable: true })
  @IsAttachment(optional(code('E0010R')))
  authenticatorAttachment?: AuthenticatorAttachment | null;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true, example: {} })
  @IsJsonObject(optional(code('E0010R')))
  clientExtensionResults?: Record<string, unknown>;

  /** Read before the body is validated. */
  @ApiPropertyOptional({ description: 'of an application: what its begin call answered' })
  ceremony?: string;
}
