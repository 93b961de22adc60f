import { OkAnswer } from '../../platform/http/ok.js';
import type { AnsweredKey, KnownUser } from '../../users/credentials/credential-reader.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';

/** Examples in the OpenAPI document. */
export const CREDENTIAL_ID = 'IJ3nfJ6VxlVLKg4VeX4y2r29oGsedVn3F9lxcuqTBFM';

export const USER_HANDLE = 'Yx3K5NCjZ1eHBbCHLPF0O7vVyVnK4P4eAyVvAAEzq3k';
const CHALLENGE = 'oW5EQTcWWmVcVsCRtSZJXQOXBBHbGd1vvjHGSUp8mXs';

const YUBIKEY = 'ee882879-721c-4913-9775-3dfcce97072a';

export class CredentialDescriptor {
  @ApiProperty({ enum: ['public-key'] })
  readonly type!: string;

  @ApiProperty({ example: CREDENTIAL_ID, description: 'credential ID in Base64URL' })
  readonly id!: string;

  @ApiPropertyOptional({
    type: [String],
    example: ['usb', 'nfc'],
    description: 'transports that the authenticator reported at registration',
  })
  readonly transports?: readonly string[];
}

/**
 * Members of the options of both ceremonies. Members that are optional here and still marked `@ApiProperty` are
 * always present; they are optional only because the standard's types declare them so.
 */
export class OptionsAnswer extends OkAnswer {
  @ApiProperty({
    example: CHALLENGE,
    description: 'challenge in Base64URL, valid for one result call',
  })
  readonly challenge!: string;

  @ApiProperty({
    type: 'integer',
    example: 60_000,
    description: 'timeout of the prompt in milliseconds',
  })
  readonly timeout?: number;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    example: { credProps: true },
    description: 'WebAuthn extension inputs',
  })
  readonly extensions?: object;

  @ApiPropertyOptional({
    type: [String],
    example: ['security-key'],
    description: 'hints from the request',
  })
  readonly hints?: readonly string[] | undefined;

  @ApiPropertyOptional({
    example: 'k7NQ0b8w',
    description:
      'ID of the ceremony, to send in the result call instead of a cookie; only with an ' +
      'application key',
  })
  readonly ceremony?: string;
}

/** Arguments for the browser's Signal API (W3C WebAuthn L3 §5.1.10). */
export class Signals {
  @ApiProperty({ example: 'localhost', description: 'RP ID' })
  readonly rpId!: string;

  @ApiProperty({ example: USER_HANDLE, description: 'user handle in Base64URL' })
  readonly userId!: string;

  @ApiProperty({
    type: [String],
    example: [CREDENTIAL_ID],
    description: 'credential IDs of all keys of the user, including disabled keys, in Base64URL',
  })
  readonly allAcceptedCredentialIds!: readonly string[];

  @ApiProperty({ example: 'alice@example.com' })
  readonly name!: string;

  @ApiProperty({ example: 'Alice Example' })
  readonly displayName!: string;
}

interface SignalledUser extends Pick<KnownUser, 'userHandle' | 'username' | 'displayName'> {
  /** All of the user's credentials: browsers permanently delete those that are not listed. */
  readonly keys: readonly Pick<AnsweredKey, 'credentialId'>[];
}

/**
 * Arguments for the browser's Signal API (W3C WebAuthn L3 §5.1.10): the user's names and passkeys. Disabled ones
 * are included, since disabling can be undone, and so are those deleted on a page less than a day ago.
 */
export const signalsOf = (rp: Pick<RelyingParty, 'domain'>, user: SignalledUser) => ({
  rpId: rp.domain,
  userId: user.userHandle.toString('base64url'),
  allAcceptedCredentialIds: user.keys.map(({ credentialId }) => credentialId.toString('base64url')),
  name: user.username,
  displayName: user.displayName,
});

/** Facts about the credential in the answers of both result calls. */
export class ResultAnswer extends OkAnswer {
  @ApiProperty({ example: 'alice@example.com' })
  readonly username!: string;

  @ApiProperty({ example: CREDENTIAL_ID, description: 'credential ID in Base64URL' })
  readonly credentialId!: string;

  @ApiProperty({
    format: 'uuid',
    example: YUBIKEY,
    description: 'AAGUID: the model of the authenticator',
  })
  readonly aaguid!: string;

  @ApiProperty({ description: 'whether the authenticator verified the user' })
  readonly userVerified!: boolean;

  @ApiProperty({ description: 'whether the key is synced' })
  readonly backedUp!: boolean;

  @ApiProperty({ type: Signals })
  readonly signals!: Signals;
}
