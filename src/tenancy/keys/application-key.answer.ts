import { OkAnswer } from '../../platform/http/ok.js';
import { ApiProperty } from '../../platform/http/openapi/openapi.js';
import { isoOrNull } from '../../platform/validation/values/moment.js';
import { KEY_PERMISSIONS, type KeyPermission } from '../../platform/access/permissions.js';
import type { RelyingParties } from '../scope/relying-parties.js';
import type { ApplicationKey } from './application-key.entity.js';

const TIME = { type: String, format: 'date-time', nullable: true } as const;

/** An application key in an answer: all of it except the secret, of which only the beginning is shown. */
class KeyView {
  @ApiProperty({ example: 'Zk3Cq0mN1rUe4uXb8yT2Pg' })
  readonly id!: string;

  @ApiProperty({ example: 'web shop' })
  readonly name!: string;

  @ApiProperty({ example: 'default' })
  readonly tenant!: string;

  @ApiProperty({ example: 'sfk_Zk3Cq0', description: 'first characters of the secret' })
  readonly prefix!: string;

  @ApiProperty({ enum: KEY_PERMISSIONS, isArray: true, example: ['ceremonies', 'tickets'] })
  readonly scopes!: readonly KeyPermission[];

  @ApiProperty({
    type: [String],
    nullable: true,
    example: ['localhost'],
    description: 'domains of the relying parties; `null`: all of the tenant',
  })
  readonly relyingParties!: readonly string[] | null;

  @ApiProperty({ type: String, format: 'date-time' })
  readonly createdAt!: string;

  @ApiProperty({ example: 'admin' })
  readonly createdBy!: string;

  @ApiProperty({
    ...TIME,
    example: null,
    description: 'time of expiry; `null` if the key does not expire',
  })
  readonly expiresAt!: string | null;

  @ApiProperty({ ...TIME, description: 'time of the last use, to the minute' })
  readonly lastUsedAt!: string | null;

  @ApiProperty({ ...TIME, example: null })
  readonly revokedAt!: string | null;

  @ApiProperty({
    ...TIME,
    example: null,
    description: 'time of the restore that suspended the key, until the key is confirmed',
  })
  readonly suspendedAt!: string | null;
}

export class KeyListAnswer extends OkAnswer {
  @ApiProperty({ type: [KeyView] })
  readonly keys!: readonly KeyView[];
}

/** Answer of GET and DELETE /tenantapi/keys/:id. */
export class KeyAnswer extends OkAnswer {
  @ApiProperty({ type: KeyView })
  readonly key!: KeyView;
}

export class IssuedKeyAnswer extends KeyAnswer {
  @ApiProperty({
    example: 'sfk_Zk3Cq0mN1rUe4uXb8yT2PgZk3Cq0mN1rUe4uXb8yT2P0a1b2c3',
    description: 'secret of the application key, for `Authorization: Bearer`; shown only once',
  })
  readonly secret!: string;
}

/** Converts a key for an answer, with the beginning of its secret only. */
export function keyView(key: Required<ApplicationKey>, relyingParties: RelyingParties): KeyView {
  return {
    id: key.id.toString('base64url'),
    name: key.name,
    tenant: key.tenant.name,
    prefix: key.prefix,
    scopes: key.scopes,
    relyingParties: relyingParties.domainsOf(key.relyingParties),
    createdAt: new Date(key.createdAt).toISOString(),
    createdBy: key.createdBy,
    expiresAt: isoOrNull(key.expiresAt),
    lastUsedAt: isoOrNull(key.lastUsedAt),
    revokedAt: isoOrNull(key.revokedAt),
    suspendedAt: isoOrNull(key.suspendedAt),
  };
}
