import { OkAnswer } from '../../platform/http/ok.js';
import { ApiCount, ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { isoOrNull } from '../../platform/validation/values/moment.js';
import {
  SIDE_NAMES,
  suspendingSides,
  type SuspendingSide,
} from '../../users/suspension/suspension.js';
import { transportsOf } from '../../users/credentials/transports.js';
import { credentialIdText, type FoundCredential, type FoundUser } from '../../users/user-rows.js';
import type { AuthenticatorModels } from '../../trust/authenticator-models.js';
import { aaguidText } from '../../webauthn/aaguid.js';
import { OPERATION_TYPES, type OperationType } from './operations.js';

/** Converts a user for `list`, without public keys, the user handle and session data. */
export const userJson = (user: FoundUser, models: AuthenticatorModels): UserView => ({
  username: user.username,
  displayName: user.displayName,
  relyingParty: user.relyingParty.domain,
  createdAt: isoOrNull(user.createdAt),
  ...(user.suspendedBy !== null && { suspendedBy: suspendingSides(user) }),
  credentials: user.credentials.map((credential) => credentialJson(credential, models)),
});

function credentialJson(credential: FoundCredential, models: AuthenticatorModels): CredentialView {
  const { deviceName, deviceMetadata, enabled, signCount, attestationFormat } = credential;
  const { backupEligible, backedUp, serialNumber } = credential;
  const aaguid = aaguidText(credential.aaguid);
  return {
    credentialId: credentialIdText(credential),
    deviceName,
    aaguid,
    authenticatorName: models.name(aaguid),
    registrationDate: isoOrNull(credential.registeredAt),
    lastUsed: isoOrNull(credential.lastUsedAt),
    keypair: deviceMetadata === null ? null : (JSON.parse(deviceMetadata) as unknown),
    enabled,
    signCount,
    transports: transportsOf(credential),
    attestationFormat,
    backupEligible,
    backedUp,
    ...(serialNumber !== null && { serialNumber }),
  };
}

const TIME = { type: String, format: 'date-time', nullable: true } as const;
const CREDENTIAL_ID = 'NoWU0kpKxq9vX1YbkWZ6wR3rL2xQmGkTqJ8m0nFv5cE';

/** A credential in `list`, without the public key. */
export class CredentialView {
  @ApiProperty({ example: CREDENTIAL_ID, description: 'credential ID in Base64URL' })
  readonly credentialId!: string;

  @ApiProperty({ example: 'Blue key', description: 'name of the key, unique for its user' })
  readonly deviceName!: string;

  @ApiProperty({ format: 'uuid', description: 'AAGUID: the model of the authenticator' })
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
    description: 'device metadata from the registration',
  })
  readonly keypair!: unknown;

  @ApiProperty({ description: 'whether the key can sign in; a disabled key stays stored' })
  readonly enabled!: boolean;

  @ApiCount({ example: 7, description: 'signature counter of the key' })
  readonly signCount!: number;

  @ApiProperty({ type: [String], example: ['usb', 'nfc'] })
  readonly transports!: readonly string[];

  @ApiProperty({ example: 'packed' })
  readonly attestationFormat!: string;

  @ApiProperty({ description: 'whether the key can be synced' })
  readonly backupEligible!: boolean;

  @ApiProperty({ description: 'whether the key is synced' })
  readonly backedUp!: boolean;

  @ApiPropertyOptional({
    example: '00c0ffee',
    description:
      'serial number of the authenticator in hexadecimal, if a trusted enterprise attestation ' +
      'contains it',
  })
  readonly serialNumber?: string;
}

/** A user in `list`, without the user handle and session data. */
export class UserView {
  @ApiProperty({ example: 'alice@example.com' })
  readonly username!: string;

  @ApiProperty({ example: 'Alice Example' })
  readonly displayName!: string;

  @ApiProperty({ example: 'localhost', description: 'domain of the relying party' })
  readonly relyingParty!: string;

  @ApiProperty(TIME)
  readonly createdAt!: string | null;

  @ApiPropertyOptional({
    enum: SIDE_NAMES,
    isArray: true,
    example: ['helpDesk'],
    description: 'who suspends the user; absent if the user is not suspended',
  })
  readonly suspendedBy?: readonly SuspendingSide[];

  @ApiProperty({ type: [CredentialView] })
  readonly credentials!: readonly CredentialView[];
}

export class ListAnswer extends OkAnswer {
  @ApiCount({ example: 1, description: 'number of all matching users' })
  readonly total!: number;

  @ApiPropertyOptional({
    type: Boolean,
    enum: [false],
    description: 'present if `total` is incomplete or half a minute old',
  })
  readonly totalExact?: false;

  @ApiProperty({ type: [UserView] })
  readonly users!: readonly UserView[];

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: '`cursor` of the next page; `null` on the last page',
  })
  readonly next!: string | null;
}

class Affected {
  @ApiProperty({ example: 'alice@example.com' })
  readonly username!: string;

  @ApiProperty({
    type: [String],
    example: [CREDENTIAL_ID],
    description: 'credential IDs of the changed keys, in Base64URL',
  })
  readonly credentialIds!: readonly string[];
}

/** The permissions to register a key that a lock-out ended. */
export class EndedAnswer {
  @ApiCount({ description: 'number of tickets' })
  readonly tickets!: number;

  @ApiCount({ example: 1, description: 'number of invitations that could still create a key' })
  readonly invitations!: number;
}

export class ChangeAnswer extends OkAnswer {
  @ApiProperty({ enum: OPERATION_TYPES.filter((type) => type !== 'list') })
  readonly type!: OperationType;

  @ApiCount({ example: 1, description: 'number of changed users' })
  readonly users!: number;

  @ApiCount({ example: 1, description: 'number of changed keys' })
  readonly credentials!: number;

  @ApiProperty({ type: [Affected] })
  readonly affected!: readonly Affected[];

  @ApiPropertyOptional({ type: EndedAnswer })
  readonly ended?: EndedAnswer;

  @ApiPropertyOptional({
    type: Boolean,
    enum: [false],
    description: 'present if more users were changed than `affected` lists',
  })
  readonly affectedComplete?: false;
}
