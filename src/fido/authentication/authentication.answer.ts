import { timeOfId } from '../../platform/database/row-ids.js';
import { KEY_ORIGINS, type KeyOrigin } from '../../users/credentials/credential.entity.js';
import type { AnsweredKey, CredentialFacts } from '../../users/credentials/credential-reader.js';
import { RefusalBody } from '../../platform/http/openapi/refusal.answer.js';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import {
  CREDENTIAL_ID,
  CredentialDescriptor,
  OptionsAnswer,
  ResultAnswer,
} from '../ceremonies/ceremony.answer.js';
import { REQUIREMENTS } from '../ceremonies/ceremony.validators.js';
import { CreationOptionsAnswer } from '../registration/registration.answer.js';

/** Answer of assertion/options: PublicKeyCredentialRequestOptionsJSON (W3C WebAuthn L3 §5.1.9). */
export class RequestOptionsAnswer extends OptionsAnswer {
  @ApiProperty({ example: 'localhost' })
  readonly rpId?: string;

  @ApiProperty({ type: [CredentialDescriptor] })
  readonly allowCredentials?: readonly CredentialDescriptor[];

  @ApiProperty({ enum: REQUIREMENTS })
  readonly userVerification?: (typeof REQUIREMENTS)[number];
}

class UnknownCredential {
  @ApiProperty({ example: 'localhost', description: 'RP ID' })
  readonly rpId!: string;

  @ApiProperty({ example: CREDENTIAL_ID, description: 'credential ID in Base64URL' })
  readonly credentialId!: string;
}

/** Body of the refusal E0033R of assertion/result. */
export class UnknownCredentialAnswer extends RefusalBody {
  @ApiProperty({ enum: ['failed'] })
  readonly status!: 'failed';

  @ApiProperty({ enum: ['E0033R'] })
  readonly errorCode!: 'E0033R';

  /** Present after a sign-in without a name by an unknown key, for the browser's Signal API. */
  @ApiPropertyOptional({ type: UnknownCredential })
  readonly unknownCredential?: UnknownCredential;
}

/** Announces that a key cannot sign in from a given day on. */
class NoticeView {
  @ApiProperty({ example: 'formats', description: 'policy rule that the key breaks' })
  readonly rule!: string;

  @ApiProperty({
    example: 'E0038R',
    description: 'error code with which sign-ins with this key will be refused',
  })
  readonly errorCode!: string;

  @ApiProperty({ format: 'date-time', example: '2027-01-01T00:00:00.000Z' })
  readonly from!: string;
}

/** A key that was added to the user's keys. */
class NewKeyView {
  @ApiProperty({ example: CREDENTIAL_ID, description: 'credential ID in Base64URL' })
  readonly credentialId!: string;

  @ApiProperty({ example: 'Blue key in the drawer' })
  readonly deviceName!: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-05T08:30:00.000Z' })
  readonly createdAt!: string;

  @ApiPropertyOptional({
    enum: KEY_ORIGINS,
    description: 'how the key came to the user; absent if version 1.0 stored it',
  })
  readonly origin?: KeyOrigin;
}

export class AuthenticationAnswer extends ResultAnswer {
  @ApiProperty({ example: 'Alice Example' })
  readonly displayName!: string;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    example: 7,
    description: 'signature counter of the key',
  })
  readonly signCount!: number;

  @ApiPropertyOptional({
    example: 'eyJhbGciOiJFUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl',
    description:
      'token: a JWT (ES256), verifiable with /.well-known/jwks.json; absent with --jwt off',
  })
  readonly token?: string;

  @ApiPropertyOptional({
    example: 'q3fJt0yYkB2c5rSd',
    description: 'ID of the receipt, also the `jti` of the token; only with a transaction',
  })
  readonly receipt?: string;

  /** Present for a key that breaks a rule which will be enforced for sign-ins: ask its user to register another. */
  @ApiPropertyOptional({ type: NoticeView })
  readonly notice?: NoticeView;

  /** Keys that were added since the previous sign-in with this key, oldest first: show them to the user. */
  @ApiPropertyOptional({ type: [NewKeyView] })
  readonly newKeys?: readonly NewKeyView[];

  /** Present after a user-verified sign-in with a key of the predecessor: options for a key of this domain. */
  @ApiPropertyOptional({ type: CreationOptionsAnswer })
  readonly upgrade?: CreationOptionsAnswer;
}

/**
 * The user's keys that were added since an earlier sign-in with a key, oldest first; nothing if there are none, or if this
 * is the first sign-in with that key here. The order does not depend on clocks: see `addedAt` of a credential.
 *
 * @param lastUsedAt time of the previous sign-in; `undefined` if it is unknown, since an instance of an older version
 *   began this one
 */
export function newKeysSince(
  lastUsedAt: number | null | undefined,
  { id: usedId }: Pick<CredentialFacts, 'id'>,
  keys: readonly AnsweredKey[],
): { readonly newKeys?: readonly NewKeyView[] } {
  if (lastUsedAt === undefined || lastUsedAt === null) return {};
  const used = keys.find(({ id }) => id.equals(usedId));
  // A key that was imported has perhaps signed in at the other server only.
  if (used && isImported(used) && lastUsedAt < timeAdded(used)) return {};
  const added = keys.filter(
    (key) => !key.isDeleted && key !== used && timeAdded(key) >= lastUsedAt,
  );
  if (added.length === 0) return {};
  return { newKeys: added.toSorted(byAddition).map(viewOf) };
}

/** Version 1.0 stored no origin: the ID of a key that was registered there begins with the time of its registration. */
const isImported = ({ origin, id, registeredAt }: AnsweredKey): boolean =>
  origin === 'import' || (origin === null && registeredAt !== timeOfId(id));

/** `registeredAt` of an imported key is a time of the other server. */
const timeAdded = ({ addedAt, id }: AnsweredKey): number => addedAt ?? timeOfId(id);

const byAddition = (a: AnsweredKey, b: AnsweredKey): number =>
  timeAdded(a) - timeAdded(b) || Buffer.compare(a.id, b.id);

const viewOf = ({ credentialId, deviceName, registeredAt, origin }: AnsweredKey): NewKeyView => ({
  credentialId: credentialId.toString('base64url'),
  deviceName,
  createdAt: new Date(registeredAt).toISOString(),
  ...(origin !== null && { origin }),
});
