import { OkAnswer } from '../../platform/http/ok.js';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';

/** Examples in the OpenAPI document. */
export const CREDENTIAL_ID = 'IJ3nfJ6VxlVLKg4VeX4y2r29oGsedVn3F9lxcuqTBFM';

export const USER_HANDLE = 'Yx3K5NCjZ1eHBbCHLPF0O7vVyVnK4P4eAyVvAAEzq3k';
const CHALLENGE = 'oW5EQTcWWmVcVsCRtSZJXQOXBBHbGd1vvjHGSUp8mXs';

const YUBIKEY = 'ee882879-721c-4913-9775-3dfcce97072a';

export class CredentialDescriptor {
  @ApiProperty({ enum: ['public-key'] })
  readonly type!: string;

  @ApiProperty({ example: CREDENTIAL_ID, description: 'credential ID, Base64URL' })
  readonly id!: string;

  @ApiPropertyOptional({ type: [String], example: ['usb', 'nfc'], description: 'as reported' })
  readonly transports?: readonly string[];
}

/**
 * Members of the options of both ceremonies. Members that are optional here and still marked `@ApiProperty` are
 * always present; they are optional only because the standard's types declare them so.
 */
export class OptionsAnswer extends OkAnswer {
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

/** Arguments for the browser's Signal API (W3C WebAuthn L3 §5.1.10). */
export class Signals {
  @ApiProperty({ example: 'localhost', description: 'the RP ID' })
  readonly rpId!: string;

  @ApiProperty({ example: USER_HANDLE, description: 'user handle, Base64URL' })
  readonly userId!: string;

  @ApiProperty({
    type: [String],
    example: [CREDENTIAL_ID],
    description: 'of all credentials of the user, disabled ones too; Base64URL',
  })
  readonly allAcceptedCredentialIds!: readonly string[];

  @ApiProperty({ example: 'alice@example.com' })
  readonly name!: string;

  @ApiProperty({ example: 'Alice Example' })
  readonly displayName!: string;
}

/** Facts about the credential in the answers of both result calls. */
export class ResultAnswer extends OkAnswer {
  @ApiProperty({ example: 'alice@example.com' })
  readonly username!: string;

  @ApiProperty({ example: CREDENTIAL_ID, description: 'Base64URL' })
  readonly credentialId!: string;

  @ApiProperty({ format: 'uuid', example: YUBIKEY, description: 'model of the authenticator' })
  readonly aaguid!: string;

  @ApiProperty({ description: 'whether the authenticator verified the user' })
  readonly userVerified!: boolean;

  @ApiProperty({ description: 'whether the credential is synced' })
  readonly backedUp!: boolean;

  @ApiProperty({ type: Signals })
  readonly signals!: Signals;
}
