import { OkAnswer } from '../platform/http/ok.js';
import { ApiProperty, ApiPropertyOptional } from '../platform/http/openapi/openapi.js';
import { ATTACHMENTS, CONVEYANCES, REQUIREMENTS } from './begin.rules.js';
import { CREDENTIAL_ID, USER_HANDLE } from './result.examples.js';

const CHALLENGE = 'oW5EQTcWWmVcVsCRtSZJXQOXBBHbGd1vvjHGSUp8mXs';

class RelyingPartyEntity {
  @ApiProperty({ example: 'localhost', description: 'the RP ID' })
  readonly id?: string;

  @ApiProperty({ example: 'localhost', description: 'what authenticators show' })
  readonly name!: string;
}

class UserEntity {
  @ApiProperty({ example: USER_HANDLE, description: 'user handle, Base64URL' })
  readonly id!: string;

  @ApiProperty({ example: 'alice@example.com' })
  readonly name!: string;

  @ApiProperty({ example: 'Alice Example' })
  readonly displayName!: string;
}

class CredentialParameters {
  @ApiProperty({ enum: ['public-key'] })
  readonly type!: 'public-key';

  @ApiProperty({ type: 'integer', example: -7, description: 'number of the COSE registry' })
  readonly alg!: number;
}

class CredentialDescriptor {
  @ApiProperty({ enum: ['public-key'] })
  readonly type!: string;

  @ApiProperty({ example: CREDENTIAL_ID, description: 'credential ID, Base64URL' })
  readonly id!: string;

  @ApiPropertyOptional({ type: [String], example: ['usb', 'nfc'], description: 'as it was told' })
  readonly transports?: readonly string[];
}

class SelectionCriteria {
  @ApiPropertyOptional({ enum: ATTACHMENTS.filter((word) => word !== 'all') })
  readonly authenticatorAttachment?: 'platform' | 'cross-platform';

  @ApiProperty({ enum: REQUIREMENTS })
  readonly residentKey!: (typeof REQUIREMENTS)[number];

  @ApiProperty({ description: 'true for `required`, and where it was asked for' })
  readonly requireResidentKey!: boolean;

  @ApiProperty({ enum: REQUIREMENTS })
  readonly userVerification!: (typeof REQUIREMENTS)[number];
}

/**
 * Members of the options of both ceremonies. Those that are optional here, since the standard's types have
 * them so, and yet marked `@ApiProperty`, are always present.
 */
class OptionsAnswer extends OkAnswer {
  @ApiProperty({ example: CHALLENGE, description: 'Base64URL; good for one result call' })
  readonly challenge!: string;

  @ApiProperty({ type: 'integer', example: 60_000, description: 'milliseconds' })
  readonly timeout?: number;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    example: { credProps: true },
    description: 'extension inputs',
  })
  readonly extensions?: object;

  @ApiPropertyOptional({ type: [String], example: ['security-key'], description: 'as asked for' })
  readonly hints?: readonly string[] | undefined;

  @ApiPropertyOptional({
    type: [String],
    example: ['"colour" is no field of this call, and was ignored.'],
    description: 'only where the body had fields that this call does not know',
  })
  readonly warnings?: readonly string[] | undefined;

  @ApiPropertyOptional({
    example: 'k7NQ0b8w',
    description: 'only for an application key: the result call sends it back, instead of a cookie',
  })
  readonly ceremony?: string;
}

/** Answer of attestation/options: PublicKeyCredentialCreationOptionsJSON (W3C WebAuthn L3 §5.1.8). */
export class CreationOptionsAnswer extends OptionsAnswer {
  @ApiProperty({ type: RelyingPartyEntity })
  readonly rp!: RelyingPartyEntity;

  @ApiProperty({ type: UserEntity })
  readonly user!: UserEntity;

  @ApiProperty({ type: [CredentialParameters] })
  readonly pubKeyCredParams!: readonly CredentialParameters[];

  @ApiProperty({ type: [CredentialDescriptor] })
  readonly excludeCredentials?: readonly CredentialDescriptor[];

  @ApiProperty({ type: SelectionCriteria })
  readonly authenticatorSelection!: SelectionCriteria;

  @ApiProperty({ enum: [...CONVEYANCES, 'enterprise'] })
  readonly attestation!: (typeof CONVEYANCES)[number] | 'enterprise';
}

/** Answer of assertion/options: PublicKeyCredentialRequestOptionsJSON (W3C WebAuthn L3 §5.1.9). */
export class RequestOptionsAnswer extends OptionsAnswer {
  @ApiProperty({ example: 'localhost' })
  readonly rpId?: string;

  @ApiProperty({ type: [CredentialDescriptor] })
  readonly allowCredentials?: readonly CredentialDescriptor[];

  @ApiProperty({ enum: REQUIREMENTS })
  readonly userVerification?: (typeof REQUIREMENTS)[number];
}
