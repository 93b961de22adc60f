import { OkAnswer } from '../../platform/http/ok.js';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { isoOrNull } from '../../platform/validation/values/moment.js';
import { OPERATION_TYPES, type OperationType } from './operations.js';
import type { FoundCredential, FoundUser } from '../../users/user-rows.js';
import type { AuthenticatorModels } from '../../trust/authenticator-models.js';
import { aaguidText } from '../../webauthn/aaguid.js';

/** Converts a user for `list`, without public keys, the user handle and session data. */
export const userJson = (user: FoundUser, models: AuthenticatorModels): UserView => ({
  username: user.username,
  displayName: user.displayName,
  relyingParty: user.relyingParty.domain,
  createdAt: isoOrNull(user.createdAt),
  credentials: user.credentials.map((credential) => credentialJson(credential, models)),
});

function credentialJson(credential: FoundCredential, models: AuthenticatorModels): CredentialView {
  const { deviceName, keypair, enabled, signCount, transports, attestationFormat } = credential;
  const { backupEligible, backedUp, serialNumber } = credential;
  const aaguid = aaguidText(credential.aaguid);
  return {
    credentialId: credential.credentialId.toString('base64url'),
    deviceName,
    aaguid,
    authenticatorName: models.name(aaguid),
    registrationDate: isoOrNull(credential.registeredAt),
    lastUsed: isoOrNull(credential.lastUsedAt),
    keypair: keypair === null ? null : (JSON.parse(keypair) as unknown),
    enabled,
    signCount,
    transports: transports === '' ? [] : transports.split(','),
    attestationFormat,
    backupEligible,
    backedUp,
    ...(serialNumber !== null && { serialNumber }),
  };
}

const TIME = { type: String, format: 'date-time', nullable: true } as const;
const COUNT = { type: 'integer', minimum: 0 } as const;
const CREDENTIAL_ID = 'NoWU0kpKxq9vX1YbkWZ6wR3rL2xQmGkTqJ8m0nFv5cE';

/** A credential in `list`, without the public key. */
export class CredentialView {
  @ApiProperty({ example: CREDENTIAL_ID, description: 'Base64URL' })
  readonly credentialId!: string;

  @ApiProperty({ example: 'Blue key', description: 'unique for its user' })
  readonly deviceName!: string;

  @ApiProperty({ format: 'uuid', description: 'model of the authenticator' })
  readonly aaguid!: string;

  @ApiProperty({ type: String, nullable: true, example: 'YubiKey 5 Series' })
  readonly authenticatorName!: string | null;

  @ApiProperty(TIME)
  readonly registrationDate!: string | null;

  @ApiProperty(TIME)
  readonly lastUsed!: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    example: { name: 'Blue key' },
    description: 'device metadata, as the registration brought it',
  })
  readonly keypair!: unknown;

  @ApiProperty({ description: 'a credential that is not stays stored, and signs nobody in' })
  readonly enabled!: boolean;

  @ApiProperty({ ...COUNT, example: 7, description: 'signature counter' })
  readonly signCount!: number;

  @ApiProperty({ type: [String], example: ['usb', 'nfc'] })
  readonly transports!: readonly string[];

  @ApiProperty({ example: 'packed' })
  readonly attestationFormat!: string;

  @ApiProperty({ description: 'whether it can be synced' })
  readonly backupEligible!: boolean;

  @ApiProperty({ description: 'whether it is synced' })
  readonly backedUp!: boolean;

  @ApiPropertyOptional({
    example: '00c0ffee',
    description:
      'of the authenticator, hexadecimal, if a trusted enterprise attestation contains it',
  })
  readonly serialNumber?: string;
}

/** A user in `list`, without the user handle and session data. */
export class UserView {
  @ApiProperty({ example: 'alice@example.com' })
  readonly username!: string;

  @ApiProperty({ example: 'Alice Example' })
  readonly displayName!: string;

  @ApiProperty({ example: 'localhost', description: 'its domain' })
  readonly relyingParty!: string;

  @ApiProperty(TIME)
  readonly createdAt!: string | null;

  @ApiProperty({ type: [CredentialView] })
  readonly credentials!: readonly CredentialView[];
}

export class ListAnswer extends OkAnswer {
  @ApiProperty({ ...COUNT, example: 1, description: 'of all who match' })
  readonly total!: number;

  @ApiPropertyOptional({
    type: Boolean,
    enum: [false],
    description: 'only where `total` is what was counted so far, or half a minute ago',
  })
  readonly totalExact?: false;

  @ApiProperty({ type: [UserView] })
  readonly users!: readonly UserView[];

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: '`cursor` of the next page; `null` behind the last',
  })
  readonly next!: string | null;
}

class Affected {
  @ApiProperty({ example: 'alice@example.com' })
  readonly username!: string;

  @ApiProperty({ type: [String], example: [CREDENTIAL_ID], description: 'Base64URL' })
  readonly credentialIds!: readonly string[];
}

export class ChangeAnswer extends OkAnswer {
  @ApiProperty({ enum: OPERATION_TYPES.filter((type) => type !== 'list') })
  readonly type!: OperationType;

  @ApiProperty({ ...COUNT, example: 1, description: 'users that have changed since' })
  readonly users!: number;

  @ApiProperty({ ...COUNT, example: 1, description: 'credentials that are not' })
  readonly credentials!: number;

  @ApiProperty({ type: [Affected] })
  readonly affected!: readonly Affected[];

  @ApiPropertyOptional({
    type: Boolean,
    enum: [false],
    description: 'only where more users were changed than `affected` lists',
  })
  readonly affectedComplete?: false;
}
