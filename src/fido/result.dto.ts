import {
  Equals,
  IsDefined,
  IsIn,
  IsObject,
  IsOptional,
  IsString,
  ValidateNested,
} from 'class-validator';
import type {
  AuthenticationResponseJSON,
  AuthenticatorAssertionResponseJSON,
  AuthenticatorAttachment,
  AuthenticatorAttestationResponseJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { ApiProperty, ApiPropertyOptional } from '../platform/http/openapi/openapi.js';
import { CheckedInPlace } from '../platform/validation/dto.pipe.js';
import { code } from '../platform/validation/rule.js';
import { ASSERTION_RESPONSE, ATTESTATION_RESPONSE, CREDENTIAL_ID } from './result.examples.js';
import { ATTACHMENTS, IsCredentialId, IsTransports, IsUserHandle } from './result.rules.js';

/** Members that older clients leave out, or send as `null`. */
type LenientField = 'authenticatorAttachment' | 'clientExtensionResults';

/** The core decodes and validates the members in Base64URL, in the order of the ceremony. */
export class AttestationResponseDto implements AuthenticatorAttestationResponseJSON {
  @ApiProperty({ description: 'Base64URL', example: ATTESTATION_RESPONSE.clientDataJSON })
  clientDataJSON!: string;

  @ApiProperty({ description: 'Base64URL', example: ATTESTATION_RESPONSE.attestationObject })
  attestationObject!: string;

  @ApiPropertyOptional({ type: [String], example: ['usb', 'nfc'] })
  @IsOptional()
  @IsTransports(code('E0007R'))
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
  @IsOptional()
  @IsUserHandle(code('E0010R'))
  userHandle?: string | null;
}

/** Body of attestation/result. */
@CheckedInPlace()
export class RegistrationResultDto implements Omit<RegistrationResponseJSON, LenientField> {
  @ApiProperty({ enum: ['public-key'] })
  @IsDefined(code('E0002R'))
  @IsString(code('E0003R'))
  @Equals('public-key', code('E0004R'))
  type!: 'public-key';

  @ApiProperty({ description: 'credential ID in Base64URL', example: CREDENTIAL_ID })
  @IsString(code('E0005R'))
  @IsCredentialId(code('E0006R'))
  id!: string;

  @ApiProperty({ description: 'the same as id', example: CREDENTIAL_ID })
  rawId!: string;

  @ApiProperty({ type: AttestationResponseDto })
  @ValidateNested(code('E0007R'))
  response!: AttestationResponseDto;

  @ApiPropertyOptional({ enum: ['platform', 'cross-platform'], nullable: true })
  @IsOptional()
  @IsIn(ATTACHMENTS, code('E0007R'))
  authenticatorAttachment?: AuthenticatorAttachment | null;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true, example: {} })
  @IsOptional()
  @IsObject(code('E0007R'))
  clientExtensionResults?: Record<string, unknown>;

  /** Read before the body is validated. */
  @ApiPropertyOptional({ description: 'of an application: what its begin call answered' })
  ceremony?: string;
}

/** Body of assertion/result. */
@CheckedInPlace()
export class AuthenticationResultDto implements Omit<
  AuthenticationResponseJSON,
  LenientField | 'response'
> {
  @ApiProperty({ enum: ['public-key'] })
  @IsDefined(code('E0011R'))
  @IsString(code('E0012R'))
  @Equals('public-key', code('E0013R'))
  type!: 'public-key';

  @ApiProperty({ description: 'credential ID in Base64URL', example: CREDENTIAL_ID })
  @IsString(code('E0014R'))
  @IsCredentialId(code('E0015R'))
  id!: string;

  @ApiProperty({ description: 'the same as id', example: CREDENTIAL_ID })
  rawId!: string;

  @ApiProperty({ type: AssertionResponseDto })
  @ValidateNested(code('E0016R'))
  response!: AssertionResponseDto;

  @ApiPropertyOptional({ enum: ['platform', 'cross-platform'], nullable: true })
  @IsOptional()
  @IsIn(ATTACHMENTS, code('E0010R'))
  authenticatorAttachment?: AuthenticatorAttachment | null;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true, example: {} })
  @IsOptional()
  @IsObject(code('E0010R'))
  clientExtensionResults?: Record<string, unknown>;

  /** Read before the body is validated. */
  @ApiPropertyOptional({ description: 'of an application: what its begin call answered' })
  ceremony?: string;
}
