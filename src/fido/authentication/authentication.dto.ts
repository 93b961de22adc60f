import { IsBoolean, IsIn, IsOptional, IsString, ValidateIf, ValidateNested } from 'class-validator';
import type {
  AuthenticationResponseJSON,
  AuthenticatorAssertionResponseJSON,
} from '@simplewebauthn/server';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { IsKnownName } from '../../platform/validation/decorators.js';
import { CheckedInPlace } from '../../platform/validation/dto.pipe.js';
import { code, Fits } from '../../platform/validation/field-validator.js';
import { ceremonyResultDto, type LenientField } from '../ceremonies/ceremony-result.dto.js';
import {
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
  ACRS,
  isNonce,
  isTransaction,
  isUserHandle,
  nonceProblem,
  requiresUsername,
  transactionProblem,
  userHandleProblem,
  type Acr,
  type TransactionToConfirm,
} from './authentication.validators.js';

/** A genuine authenticator response, as an example. Its challenge was never issued. */
const EXAMPLE = {
  clientDataJSON:
    'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoib1c1RVFUY1dXbVZjVnNDUnRTWkpYUU9YQkJIYkdkMXZ2akhH' +
    'U1VwOG1YcyIsIm9yaWdpbiI6Imh0dHA6Ly9sb2NhbGhvc3Q6ODA4MCIsImNyb3NzT3JpZ2luIjpmYWxzZX0',
  authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAg',
  signature:
    'MEUCIAEwbOKIBe-6x_3nFTy4EMOgTqrsOaS7h0cy6faMjvR6AiEAgiSx7dYyFSm3jMNvbwMvAdP5X_Xc7cGriM3WNDRNNvk',
};

/** Body of assertion/options. */
@CheckedInPlace()
export class BeginAuthenticationDto {
  @ApiPropertyOptional({
    example: 'alice@example.com',
    description:
      'user name; optional only with `mediation`: then the authenticator identifies the user',
  })
  @ValidateIf(requiresUsername)
  @IsKnownName(code('E0001R'))
  username?: string;

  @ApiPropertyOptional({
    enum: MEDIATIONS,
    description:
      'how the browser prompts; without `username` it must be `optional`, or `conditional` for ' +
      'the autofill list of a form, where the ceremony lasts for --session-conditional seconds',
  })
  @IsOptional()
  @IsIn(MEDIATIONS, code('E0001R'))
  mediation?: Mediation;

  @ApiPropertyOptional({ enum: REQUIREMENTS, default: 'preferred' })
  @IsOptional()
  @IsIn(REQUIREMENTS, code('E0001R'))
  userVerification?: RequestedRequirement;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description:
      'selection criteria; userVerification here takes precedence over the field of the same ' +
      'name',
    example: { userVerification: 'required' },
  })
  @IsOptional()
  @ValidateNested(code('E0001R'))
  authenticatorSelection?: AuthenticatorSelectionDto;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'WebAuthn extension inputs, at most 2 KiB; appid is refused',
  })
  @IsOptional()
  @IsExtensions(code('E0001R'))
  extensions?: Record<string, unknown>;

  @ApiPropertyOptional({ type: [String], example: ['security-key'] })
  @IsOptional()
  @IsHints(code('E0001R'))
  hints?: string[];

  @ApiPropertyOptional({
    example: '1b4e28ba-2fa1-11d2',
    description: 'user ID, which never changes; only with an application key',
  })
  @IsOptional()
  @IsUserId(code('E0001R'))
  userId?: string;

  @ApiPropertyOptional({
    example: 'n-0S6_WzA2Mj',
    description: 'value for the `nonce` claim of the token, 1–255 bytes',
  })
  @IsOptional()
  @Fits(isNonce, nonceProblem, code('E0001R'))
  nonce?: string;

  @ApiPropertyOptional({
    example: 'https://api.example.com',
    description:
      'audience of the token instead of the relying party; one of the policy’s audiences',
  })
  @IsOptional()
  @IsString(code('E0001R'))
  audience?: string;

  @ApiPropertyOptional({
    enum: ACRS,
    description: 'authentication context class that the key must reach, else E0038R',
  })
  @IsOptional()
  @IsIn(ACRS, code('E0001R'))
  acr?: Acr;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: false,
    properties: {
      text: { type: 'string', description: 'text to confirm, 1–1024 bytes of UTF-8' },
      hash: { type: 'string', description: 'SHA-256 of the content to confirm, Base64URL' },
    },
    description:
      'transaction that the user confirms, as a text or a hash; the challenge ends with its ' +
      'SHA-256',
    example: { text: 'Pay 25 EUR to ACME' },
  })
  @IsOptional()
  @Fits(isTransaction, transactionProblem, code('E0001R'))
  transaction?: TransactionToConfirm;

  @ApiPropertyOptional({
    description:
      'code of an open invitation of this user; sets uvInitialized, so that user verification ' +
      'by the key counts from now on',
  })
  @IsOptional()
  @IsString(code('E0001R'))
  ticket?: string;

  @ApiPropertyOptional({
    description:
      'whether the backend has checked a second factor of this user; sets uvInitialized, so ' +
      'that user verification by the key counts from now on; needs an application key with the ' +
      'permission `second-factor`',
  })
  @IsOptional()
  @IsBoolean(code('E0001R'))
  secondFactor?: boolean;

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

/** The core decodes and validates the members in Base64URL, except for the user handle. */
class AssertionResponseDto implements Omit<AuthenticatorAssertionResponseJSON, 'userHandle'> {
  @ApiProperty({ description: 'client data in Base64URL', example: EXAMPLE.clientDataJSON })
  clientDataJSON!: string;

  @ApiProperty({
    description: 'authenticator data in Base64URL',
    example: EXAMPLE.authenticatorData,
  })
  authenticatorData!: string;

  @ApiProperty({ description: 'assertion signature in Base64URL', example: EXAMPLE.signature })
  signature!: string;

  @ApiPropertyOptional({ type: String, description: 'user handle in Base64URL', nullable: true })
  @IsOptional()
  @Fits(isUserHandle, userHandleProblem, code('E0010R'))
  userHandle?: string | null;
}

const RESULT_CODES = {
  type: { missing: 'E0011R', notText: 'E0012R', unknown: 'E0013R' },
  id: { notText: 'E0014R', malformed: 'E0015R' },
  response: 'E0016R',
  others: 'E0010R',
} as const;

/** Body of assertion/result. */
@CheckedInPlace()
export class AuthenticationResultDto
  extends ceremonyResultDto(RESULT_CODES, AssertionResponseDto)
  implements Omit<AuthenticationResponseJSON, LenientField | 'response'> {}
