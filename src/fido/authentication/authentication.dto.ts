import {
  Equals,
  IsBoolean,
  IsDefined,
  IsIn,
  IsObject,
  IsOptional,
  IsString,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import type {
  AuthenticationResponseJSON,
  AuthenticatorAssertionResponseJSON,
  AuthenticatorAttachment,
} from '@simplewebauthn/server';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { IsName } from '../../platform/validation/decorators.js';
import { CheckedInPlace } from '../../platform/validation/dto.pipe.js';
import { code } from '../../platform/validation/rule.js';
import { CREDENTIAL_ID } from '../ceremonies/ceremony.answer.js';
import {
  ATTACHMENTS,
  AuthenticatorSelectionDto,
  IsCredentialId,
  IsExtensions,
  IsHints,
  IsUserId,
  MEDIATIONS,
  REQUIREMENTS,
  type LenientField,
  type Mediation,
  type RequestedRequirement,
} from '../ceremonies/ceremony.rules.js';
import {
  ACRS,
  IsNonce,
  IsTransaction,
  IsUserHandle,
  needsName,
  type Acr,
  type TransactionToAgree,
} from './authentication.rules.js';

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
    description: 'left out only beside `mediation`: then the authenticator identifies the user',
  })
  @ValidateIf(needsName)
  @IsName(code('E0001R'))
  username?: string;

  @ApiPropertyOptional({
    enum: MEDIATIONS,
    description:
      'how the page will ask; without `username` it is `optional`, or `conditional` for the autofill ' +
      'list of a form, where the ceremony waits for --session-conditional seconds',
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
    description: 'its userVerification counts before the one beside it',
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
    description: 'with an application key: what the application calls the user, never changed',
  })
  @IsOptional()
  @IsUserId(code('E0001R'))
  userId?: string;

  @ApiPropertyOptional({ example: 'n-0S6_WzA2Mj', description: 'claim of the token; 1–255 bytes' })
  @IsOptional()
  @IsNonce(code('E0001R'))
  nonce?: string;

  @ApiPropertyOptional({
    example: 'https://api.example.com',
    description:
      'for whom the token is, instead of the relying party: one of the policy’s audiences',
  })
  @IsOptional()
  @IsString(code('E0001R'))
  audience?: string;

  @ApiPropertyOptional({ enum: ACRS, description: 'level that the key must give, else E0038R' })
  @IsOptional()
  @IsIn(ACRS, code('E0001R'))
  acr?: Acr;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: false,
    properties: {
      text: { type: 'string', description: '1–1024 bytes of UTF-8' },
      hash: { type: 'string', description: 'SHA-256, Base64URL' },
    },
    description:
      'what the user agrees to, as one of its members: the challenge ends with its SHA-256',
    example: { text: 'Pay 25 EUR to ACME' },
  })
  @IsOptional()
  @IsTransaction(code('E0001R'))
  transaction?: TransactionToAgree;

  @ApiPropertyOptional({
    description:
      'code of an open invitation of this user: from now on the user verification of the key counts',
  })
  @IsOptional()
  @IsString(code('E0001R'))
  ticket?: string;

  @ApiPropertyOptional({
    description:
      'with an application key of the scope `second-factor`: the backend has checked a second factor ' +
      'of this user; from now on the user verification of the key counts',
  })
  @IsOptional()
  @IsBoolean(code('E0001R'))
  secondFactor?: boolean;

  /** Read, and checked to be an address, before the body is validated. */
  @ApiPropertyOptional({ description: 'with an application key: for whom it calls' })
  @IsOptional()
  @IsString(code('E0001R'))
  clientAddress?: string;
}

/** The core decodes and validates the members in Base64URL, except for the user handle. */
class AssertionResponseDto implements Omit<AuthenticatorAssertionResponseJSON, 'userHandle'> {
  @ApiProperty({ description: 'Base64URL', example: EXAMPLE.clientDataJSON })
  clientDataJSON!: string;

  @ApiProperty({ description: 'Base64URL', example: EXAMPLE.authenticatorData })
  authenticatorData!: string;

  @ApiProperty({ description: 'Base64URL', example: EXAMPLE.signature })
  signature!: string;

  @ApiPropertyOptional({ type: String, description: 'Base64URL', nullable: true })
  @IsOptional()
  @IsUserHandle(code('E0010R'))
  userHandle?: string | null;
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
