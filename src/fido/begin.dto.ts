import { IsBoolean, IsIn, IsOptional, IsString, ValidateIf, ValidateNested } from 'class-validator';
import { ApiProperty, ApiPropertyOptional } from '../platform/http/openapi/openapi.js';
import { IsDisplayName, IsName } from '../platform/validation/decorators.js';
import { CheckedInPlace } from '../platform/validation/dto.pipe.js';
import { code } from '../platform/validation/rule.js';
import { ACRS, IsNonce, IsTransaction } from './authentication/agreement.rules.js';
import type { Acr, TransactionToAgree } from './authentication/agreement.rules.js';
import {
  ATTACHMENTS,
  CONVEYANCES,
  IsAlgorithms,
  IsExtensions,
  IsHints,
  IsKeypair,
  IsUserId,
  MEDIATIONS,
  REQUIREMENTS,
  needsName,
} from './begin.rules.js';
import type { Mediation } from './begin.rules.js';

export type RequestedRequirement = (typeof REQUIREMENTS)[number];
type Attachment = (typeof ATTACHMENTS)[number];

/** W3C WebAuthn L3 §5.4.4 AuthenticatorSelectionCriteria; members that we do not know may have any value. */
export class AuthenticatorSelectionDto {
  @IsOptional()
  @IsBoolean(code('E0001R'))
  requireResidentKey?: boolean;

  @IsOptional()
  @IsIn(REQUIREMENTS, code('E0001R'))
  residentKey?: RequestedRequirement;

  @IsOptional()
  @IsIn(REQUIREMENTS, code('E0001R'))
  userVerification?: RequestedRequirement;

  @IsOptional()
  @IsIn(ATTACHMENTS, code('E0001R'))
  authenticatorAttachment?: Attachment;
}

/** Body of attestation/options. */
@CheckedInPlace()
export class BeginRegistrationDto {
  @ApiProperty({ example: 'alice@example.com', description: '1–255 bytes of UTF-8, NFC' })
  @IsName(code('E0001R'))
  username!: string;

  @ApiProperty({ example: 'Alice Example' })
  @IsDisplayName(code('E0001R'))
  displayName!: string;

  @ApiPropertyOptional({ enum: REQUIREMENTS, default: 'preferred' })
  @IsOptional()
  @IsIn(REQUIREMENTS, code('E0001R'))
  userVerification?: RequestedRequirement;

  @ApiPropertyOptional({ enum: CONVEYANCES, default: 'none' })
  @IsOptional()
  @IsIn(CONVEYANCES, code('E0001R'))
  attestation?: (typeof CONVEYANCES)[number];

  @ApiPropertyOptional({ enum: ATTACHMENTS, default: 'all' })
  @IsOptional()
  @IsIn(ATTACHMENTS, code('E0001R'))
  attachment?: Attachment;

  @ApiPropertyOptional({
    type: 'array',
    items: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    description: 'names, or numbers of the COSE registry',
    example: ['es256', 'eddsa', 'rs256'],
  })
  @IsOptional()
  @IsAlgorithms(code('E0001R'))
  algorithms?: (string | number)[];

  @ApiPropertyOptional({ enum: REQUIREMENTS, default: 'preferred' })
  @IsOptional()
  @IsIn(REQUIREMENTS, code('E0001R'))
  discoverable_credential?: RequestedRequirement;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'counts before the fields of the same names beside it',
    example: { requireResidentKey: true, userVerification: 'required' },
  })
  @IsOptional()
  @ValidateNested(code('E0001R'))
  authenticatorSelection?: AuthenticatorSelectionDto;

  @ApiPropertyOptional({ enum: REQUIREMENTS, description: 'the same as discoverable_credential' })
  @IsOptional()
  @IsIn(REQUIREMENTS, code('E0001R'))
  residentKey?: RequestedRequirement;

  @ApiPropertyOptional({ description: 'the same as in authenticatorSelection' })
  @IsOptional()
  @IsBoolean(code('E0001R'))
  requireResidentKey?: boolean;

  @ApiPropertyOptional({ enum: ATTACHMENTS, description: 'the same as attachment' })
  @IsOptional()
  @IsIn(ATTACHMENTS, code('E0001R'))
  authenticatorAttachment?: Attachment;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'device metadata: at most 4 KiB and 8 levels',
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
      'WebAuthn extension inputs, at most 2 KiB; credProtect takes the levels 0–3; appidExclude is refused',
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
      '`conditional`: without a prompt, which needs an application key or the fresh token of this user',
  })
  @IsOptional()
  @IsIn(MEDIATIONS, code('E0001R'))
  mediation?: Mediation;

  @ApiPropertyOptional({ description: 'one-time ticket, where --registration ticket asks for it' })
  @IsOptional()
  @IsString(code('E0001R'))
  ticket?: string;

  @ApiPropertyOptional({
    example: '1b4e28ba-2fa1-11d2',
    description: 'with an application key: what the application calls the user, never changed',
  })
  @IsOptional()
  @IsUserId(code('E0001R'))
  userId?: string;

  /** Read, and checked to be an address, before the body is validated. */
  @ApiPropertyOptional({ description: 'with an application key: for whom it calls' })
  @IsOptional()
  @IsString(code('E0001R'))
  clientAddress?: string;
}

/** Body of assertion/options. */
@CheckedInPlace()
export class BeginAuthenticationDto {
  @ApiPropertyOptional({
    example: 'alice@example.com',
    description: 'left out only beside `mediation`: then the authenticator tells who signs in',
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
