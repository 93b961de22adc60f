import { OkAnswer } from '../../platform/http/ok.js';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { Signals, CREDENTIAL_ID } from '../ceremonies/ceremony.answer.js';

const TIME = { type: String, format: 'date-time' } as const;

/** One of a user's own keys. */
export class MyKey {
  @ApiProperty({ example: CREDENTIAL_ID })
  readonly credentialId!: string;

  @ApiProperty({ example: 'Blue key in the drawer' })
  readonly deviceName!: string;

  @ApiProperty({
    example: 'Passkey in iCloud Keychain',
    description:
      'name to show: the given name, else a description of the key in the language of ' +
      '`Accept-Language`',
  })
  readonly label!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'YubiKey 5 NFC',
    description: 'name of the model, or `null` if it is unknown',
  })
  readonly authenticatorName!: string | null;

  @ApiProperty(TIME)
  readonly createdAt!: string;

  @ApiProperty({
    ...TIME,
    nullable: true,
    description: 'time of the last sign-in with the key; `null` if never',
  })
  readonly lastUsedAt!: string | null;

  @ApiProperty({ description: 'whether the key is synced to other devices' })
  readonly backedUp!: boolean;

  @ApiProperty({ type: [String], example: ['usb', 'nfc'] })
  readonly transports!: readonly string[];

  @ApiProperty({ description: 'whether the key can sign in' })
  readonly enabled!: boolean;

  @ApiProperty({ description: 'whether the user obtained the token by signing in with this key' })
  readonly current!: boolean;
}

export class MyKeysAnswer extends OkAnswer {
  @ApiProperty({ example: 'alice@example.com' })
  readonly username!: string;

  @ApiProperty({ example: 'Alice Example' })
  readonly displayName!: string;

  @ApiProperty({ type: [MyKey], description: 'keys, oldest first' })
  readonly keys!: readonly MyKey[];
}

export class MyKeyAnswer extends OkAnswer {
  @ApiProperty({ type: MyKey })
  readonly key!: MyKey;
}

class ChangedKeyAnswer extends OkAnswer {
  /** Absent if the user was deleted at the same time. */
  @ApiPropertyOptional({ type: Signals })
  readonly signals?: Signals;
}

export class RenamedKeyAnswer extends ChangedKeyAnswer {
  @ApiProperty({ type: MyKey })
  readonly key!: MyKey;
}

export class ReportedKeyAnswer extends ChangedKeyAnswer {
  @ApiProperty({ type: MyKey, description: 'the key, which is disabled now' })
  readonly key!: MyKey;
}

export class DeletedKeyAnswer extends ChangedKeyAnswer {
  @ApiProperty({ example: CREDENTIAL_ID })
  readonly credentialId!: string;

  @ApiProperty({ example: 1, description: 'number of remaining keys that can sign in' })
  readonly left!: number;
}
