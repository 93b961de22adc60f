import { OkAnswer } from '../../platform/http/ok.js';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import type { ServerOptions } from '../../platform/config/server-config.js';
import { issuerAddress } from '../issuer-address.js';
import {
  CLIENT_ALGORITHMS,
  CLIENT_KINDS,
  USER_CLAIMS,
  doorOf,
  type ClientAlgorithm,
  type ClientKind,
  type OidcClient,
  type UserClaim,
} from './oidc-client.entity.js';

/** A client in an answer: all of it except the secret. */
class ClientView {
  @ApiProperty({ example: 'Zk3Cq0mN1rUe4uXb8yT2Pg' })
  readonly clientId!: string;

  @ApiProperty({ example: 'Grafana' })
  readonly name!: string;

  @ApiProperty({ enum: CLIENT_KINDS })
  readonly kind!: ClientKind;

  @ApiProperty({
    example: 'https://fido.example.com/oidc/example.com',
    description: 'issuer, from which libraries discover everything else',
  })
  readonly issuer!: string;

  @ApiProperty({ type: [String] })
  readonly redirectUris!: readonly string[];

  @ApiProperty({ type: [String] })
  readonly postLogoutRedirectUris!: readonly string[];

  @ApiProperty({ enum: CLIENT_ALGORITHMS })
  readonly algorithm!: ClientAlgorithm;

  @ApiProperty({
    description:
      'whether the client may ask for the scope `groups`; if not, a request for it is refused with ' +
      '`invalid_scope`',
  })
  readonly groups!: boolean;

  @ApiPropertyOptional({
    example: '9122040d-6c67-4c5b-b112-36a304b66dad',
    description: 'tenant ID of Entra ID; like the next two only for the kind `entra`',
  })
  readonly tenantId?: string;

  @ApiPropertyOptional({ example: '600b719b-3766-4dc5-95a6-3c4a8dc31885' })
  readonly appId?: string;

  @ApiPropertyOptional({ enum: USER_CLAIMS })
  readonly userClaim?: UserClaim;

  @ApiProperty({ format: 'date-time' })
  readonly createdAt!: string;

  @ApiProperty({ example: 'admin' })
  readonly createdBy!: string;

  @ApiProperty({ type: 'integer', description: 'increases with each change' })
  readonly version!: number;
}

export class ClientListAnswer extends OkAnswer {
  @ApiProperty({ type: [ClientView] })
  readonly clients!: readonly ClientView[];
}

export class ClientAnswer extends OkAnswer {
  @ApiProperty({ type: ClientView })
  readonly client!: ClientView;
}

export class ClientSecretAnswer extends ClientAnswer {
  @ApiPropertyOptional({
    example: 'q3fJt0yYkB2c5rSdZk3Cq0mN1rUe4uXb8yT2PgZk3Cq',
    description: 'secret of a client of the kind `web`; shown only once',
  })
  readonly secret?: string;
}

export const clientView = (
  options: Pick<ServerOptions, 'issuer'>,
  domain: string,
  client: OidcClient,
): ClientView => ({
  clientId: client.clientId,
  name: client.name,
  kind: client.kind,
  issuer: issuerAddress(options, doorOf(client), domain),
  redirectUris: client.redirectUris,
  postLogoutRedirectUris: client.postLogoutRedirectUris,
  algorithm: client.algorithm,
  groups: client.groupsAllowed,
  ...client.entra,
  createdAt: new Date(client.createdAt).toISOString(),
  createdBy: client.createdBy,
  version: client.changedAt,
});
