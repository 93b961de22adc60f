import { ApiProperty, ApiPropertyOptional } from '../http/openapi.js';
import { Field } from '../validation/field.js';
import * as rules from './begin.rules.js';

export type Requirement = 'preferred' | 'required' | 'discouraged';
type Attachment = 'platform' | 'cross-platform' | 'all';

export interface AuthenticatorSelection {
  requireResidentKey?: boolean;
  residentKey?: Requirement;
  userVerification?: Requirement;
  authenticatorAttachment?: Attachment;
}

/** Body of attestation/options. */
export class BeginRegistrationDto {
  @ApiProperty({ example: 'alice@example.com', description: '1–255 bytes of UTF-8, NFC' })
  @Field(rules.usernameRule)
  username!: string;

  @ApiProperty({ example: 'Alice Example' })
  @Field(rules.displayNameRule)
  displayName!: string;

  @ApiPropertyOptional({ enum: ['preferred', 'required', 'discouraged'], default: 'preferred' })
  @Field(rules.userVerificationRule)
  userVerification?: Requirement;

  @ApiPropertyOptional({ enum: ['none', 'direct', 'indirect'], default: 'none' })
  @Field(rules.attestationRule)
  attestation?: 'none' | 'direct' | 'indirect';

  @ApiPropertyOptional({ enum: ['platform', 'cross-platform', 'all'], default: 'all' })
  @Field(rules.attachmentRule)
  attachment?: Attachment;

  @ApiPropertyOptional({ type: [String], example: ['es256', 'eddsa', 'rs256'] })
  @Field(rules.algorithmsRule)
  algorithms?: (string | number)[];

  @ApiPropertyOptional({ enum: ['preferred', 'required', 'discouraged'], default: 'preferred' })
  @Field(rules.discoverableRule)
  discoverable_credential?: Requirement;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    example: { requireResidentKey: true, userVerification: 'required' },
  })
  @Field(rules.authenticatorSelectionRule)
  authenticatorSelection?: AuthenticatorSelection;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'device metadata: at most 4 KiB and 8 levels',
    example: { name: 'Blue key' },
  })
  @Field(rules.keypairRule)
  keypair?: unknown;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    example: { credProtect: 2 },
    description: 'WebAuthn extension inputs, at most 2 KiB; credProtect takes the levels 0–3',
  })
  @Field(rules.extensionsRule)
  extensions?: Record<string, unknown>;

  @ApiPropertyOptional({ type: [String], example: ['security-key'] })
  @Field(rules.hintsRule)
  hints?: string[];

  @ApiPropertyOptional({ description: 'one-time ticket, where --registration ticket asks for it' })
  @Field(rules.ticketRule)
  ticket?: string;
}

/** Body of assertion/options. */
export class BeginAuthenticationDto {
  @ApiProperty({ example: 'alice@example.com' })
  @Field(rules.usernameRule)
  username!: string;

  @ApiPropertyOptional({ enum: ['preferred', 'required', 'discouraged'], default: 'preferred' })
  @Field(rules.userVerificationRule)
  userVerification?: Requirement;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  @Field(rules.extensionsRule)
  extensions?: Record<string, unknown>;
}
