import { ApiProperty, ApiPropertyOptional } from '../http/openapi.js';
import { IsDisplayName, IsFlag, IsName, IsOneOf, IsText } from '../validation/decorators.js';
import { CheckedInPlace } from '../validation/dto.pipe.js';
import { code, optional } from '../validation/field.js';
import { ACRS, IsNonce, IsTransaction } from './authentication/agreement.rules.js';
import type { Acr, Transaction } from './authentication/agreement.rules.js';
import {
  ATTACHMENTS,
  CONVEYANCES,
  IsAlgorithms,
  IsAuthenticatorSelection,
  IsExtensions,
  IsHints,
  IsKeypair,
  IsUserId,
  MEDIATIONS,
  REQUIREMENTS,
  unlessNameless,
} from './begin.rules.js';
import type { Mediation } from './begin.rules.js';

export type Requirement = (typeof REQUIREMENTS)[number];
type Attachment = (typeof ATTACHMENTS)[number];

export interface AuthenticatorSelection {
  requireResidentKey?: boolean;
  residentKey?: Requirement;
  userVerification?: Requirement;
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
  @IsOneOf(REQUIREMENTS, optional(code('E0001R')))
  userVerification?: Requirement;

  @ApiPropertyOptional({ enum: CONVEYANCES, default: 'none' })
  @IsOneOf(CONVEYANCES, optional(code('E0001R')))
  attestation?: (typeof CONVEYANCES)[number];

  @ApiPropertyOptional({ enum: ATTACHMENTS, default: 'all' })
  @IsOneOf(ATTACHMENTS, optional(code('E0001R')))
  attachment?: Attachment;

  @ApiPropertyOptional({
    type: 'array',
    items: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    description: 'names, or numbers of the COSE registry',
    example: ['es256', 'eddsa', 'rs256'],
  })
  @IsAlgorithms(optional(code('E0001R')))
  algorithms?: (string | number)[];

  @ApiPropertyOptional({ enum: REQUIREMENTS, default: 'preferred' })
  @IsOneOf(REQUIREMENTS, optional(code('E0001R')))
  discoverable_credential?: Requirement;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'counts before the fields of the same names beside it',
    example: { requireResidentKey: true, userVerification: 'required' },
  })
  @IsAuthenticatorSelection(optional(code('E0001R')))
  authenticatorSelection?: AuthenticatorSelection;

  @ApiPropertyOptional({ enum: REQUIREMENTS, description: 'the same as discoverable_credential' })
  @IsOneOf(REQUIREMENTS, optional(code('E0001R')))
  residentKey?: Requirement;

  @ApiPropertyOptional({ description: 'the same as in authenticatorSelection' })
  @IsFlag(optional(code('E0001R')))
  requireResidentKey?: boolean;

  @ApiPropertyOptional({ enum: ATTACHMENTS, description: 'the same as attachment' })
  @IsOneOf(ATTACHMENTS, optional(code('E0001R')))
  authenticatorAttachment?: Attachment;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'device metadata: at most 4 KiB and 8 levels',
    example: { name: 'Blue key' },
  })
  @IsKeypair(optional(code('E0023R')))
  keypair?: unknown;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    example: { credProtect: 2 },
    description: 'WebAuthn extension inputs, at most 2 KiB; credProtect takes the levels 0–3',
  })
  @IsExtensions(optional(code('E0001R')))
  extensions?: Record<string, unknown>;

  @ApiPropertyOptional({ type: [String], example: ['security-key'] })
  @IsHints(optional(code('E0001R')))
  hints?: string[];

  @ApiPropertyOptional({
    enum: MEDIATIONS,
    description:
      '`conditional`: without a prompt, which needs an application key or the fresh token of this user',
  })
  @IsOneOf(MEDIATIONS, optional(code('E0001R')))
  mediation?: Mediation;

  @ApiPropertyOptional({ description: 'one-time ticket, where --registration ticket asks for it' })
  @IsText(optional(code('E0001R')))
  ticket?: string;

  @ApiPropertyOptional({
    example: '1b4e28ba-2fa1-11d2',
    description: 'with an application key: what the application calls the user, never changed',
  })
  @IsUserId(optional(code('E0001R')))
  userId?: string;

  /** Read, and checked to be an address, before the body is validated. */
  @ApiPropertyOptional({ description: 'with an application key: for whom it calls' })
  @IsText(optional(code('E0001R')))
  clientAddress?: string;
}

/** Body of assertion/options. */
@CheckedInPlace()
export class BeginAuthenticationDto {
  @ApiPropertyOptional({
    example: 'alice@example.com',
    description: 'left out only beside `mediation`: then the authenticator tells who signs in',
  })
  @IsName(unlessNameless(code('E0001R')))
  username?: string;

  @ApiPropertyOptional({
    enum: MEDIATIONS,
    description:
      'how the page will ask; without `username` it is `optional`, or `conditional` for the autofill ' +
      'list of a form, where the ceremony waits for --session-conditional seconds',
  })
  @IsOneOf(MEDIATIONS, optional(code('E0001R')))
  mediation?: Mediation;

  @ApiPropertyOptional({ enum: REQUIREMENTS, default: 'preferred' })
  @IsOneOf(REQUIREMENTS, optional(code('E0001R')))
  userVerification?: Requirement;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'its userVerification counts before the one beside it',
    example: { userVerification: 'required' },
  })
  @IsAuthenticatorSelection(optional(code('E0001R')))
  authenticatorSelection?: AuthenticatorSelection;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'WebAuthn extension inputs, at most 2 KiB',
  })
  @IsExtensions(optional(code('E0001R')))
  extensions?: Record<string, unknown>;

  @ApiPropertyOptional({ type: [String], example: ['security-key'] })
  @IsHints(optional(code('E0001R')))
  hints?: string[];

  @ApiPropertyOptional({
    example: '1b4e28ba-2fa1-11d2',
    description: 'with an application key: what the application calls the user, never changed',
  })
  @IsUserId(optional(code('E0001R')))
  userId?: string;

  @ApiPropertyOptional({ example: 'n-0S6_WzA2Mj', description: 'claim of the token; 1–255 bytes' })
  @IsNonce(optional(code('E0001R')))
  nonce?: string;

  @ApiPropertyOptional({
    example: 'https://api.example.com',
    description:
      'for whom the token is, instead of the relying party: one of the policy’s audiences',
  })
  @IsText(optional(code('E0001R')))
  audience?: string;

  @ApiPropertyOptional({ enum: ACRS, description: 'level that the key must give, else E0038R' })
  @IsOneOf(ACRS, optional(code('E0001R')))
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
  @IsTransaction(optional(code('E0001R')))
  transaction?: Transaction;

  /** Read, and checked to be an address, before the body is validated. */
  @ApiPropertyOptional({ description: 'with an application key: for whom it calls' })
  @IsText(optional(code('E0001R')))
  clientAddress?: string;
}
