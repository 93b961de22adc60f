import { ApiProperty, ApiPropertyOptional } from '../http/openapi.js';
import { Field } from '../validation/field.js';
import { isTransports, isUserHandle, resultRules } from './result.rules.js';

const registration = resultRules({
  type: ['E0002R', 'E0003R', 'E0004R'],
  id: ['E0005R', 'E0006R'],
  response: 'E0007R',
  rest: 'E0007R',
});

const authentication = resultRules({
  type: ['E0011R', 'E0012R', 'E0013R'],
  id: ['E0014R', 'E0015R'],
  response: 'E0016R',
  rest: 'E0010R',
});

export class AttestationResponseDto {
  @ApiProperty({ description: 'Base64URL' })
  clientDataJSON!: string;

  @ApiProperty({ description: 'Base64URL' })
  attestationObject!: string;

  @ApiPropertyOptional({ type: [String], example: ['usb', 'nfc'] })
  transports?: string[];
}

export class AssertionResponseDto {
  @ApiProperty({ description: 'Base64URL' })
  clientDataJSON!: string;

  @ApiProperty({ description: 'Base64URL' })
  authenticatorData!: string;

  @ApiProperty({ description: 'Base64URL' })
  signature!: string;

  @ApiPropertyOptional({ description: 'Base64URL', nullable: true })
  userHandle?: string | null;
}

/** Body of attestation/result. */
export class RegistrationResultDto {
  @ApiProperty({ enum: ['public-key'] })
  @Field(registration.type)
  type!: 'public-key';

  @ApiProperty({ description: 'credential ID in Base64URL' })
  @Field(registration.id)
  id!: string;

  @ApiProperty({ description: 'the same as id' })
  rawId!: string;

  @ApiProperty({ type: AttestationResponseDto })
  @Field(registration.response(isTransports))
  response!: AttestationResponseDto;

  @ApiPropertyOptional({ enum: ['platform', 'cross-platform'] })
  @Field(registration.authenticatorAttachment)
  authenticatorAttachment?: string | null;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  @Field(registration.clientExtensionResults)
  clientExtensionResults?: Record<string, unknown>;
}

/** Body of assertion/result. */
export class AuthenticationResultDto {
  @ApiProperty({ enum: ['public-key'] })
  @Field(authentication.type)
  type!: 'public-key';

  @ApiProperty({ description: 'credential ID in Base64URL' })
  @Field(authentication.id)
  id!: string;

  @ApiProperty({ description: 'the same as id' })
  rawId!: string;

  @ApiProperty({ type: AssertionResponseDto })
  @Field(authentication.response(isUserHandle))
  response!: AssertionResponseDto;

  @ApiPropertyOptional({ enum: ['platform', 'cross-platform'] })
  @Field(authentication.authenticatorAttachment)
  authenticatorAttachment?: string | null;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  @Field(authentication.clientExtensionResults)
  clientExtensionResults?: Record<string, unknown>;
}
