import { OkAnswer } from '../../platform/http/ok.js';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import {
  CLIENT_ALGORITHMS,
  CLIENT_KINDS,
  type ClientAlgorithm,
  type ClientKind,
  type OidcClient,
} from './oidc-client.entity.js';

/** A client in an answer: all of it except the secret. */
class ClientView {
  @ApiProperty({ example: 'Zk3Cq0mN1rUe4uXb8yT2Pg' })
  readonly clientId!: string;

  @ApiProperty({ example: 'Grafana' })
  readonly name!: string;

  @ApiProperty({ enum: CLIENT_KINDS })
  readonly kind!: ClientKind;

  @ApiProperty({ type: [String] })
  readonly redirectUris!: readonly string[];

  @ApiProperty({ type: [String] })
  readonly postLogoutRedirectUris!: readonly string[];

  @ApiProperty({ enum: CLIENT_ALGORITHMS })
  readonly algorithm!: ClientAlgorithm;

  @ApiProperty()
  readonly groups!: boolean;

  @ApiProperty({ format: 'date-time' })
  readonly createdAt!: string;

  @ApiProperty({ example: 'admin' })
  readonly createdBy!: string;

  @ApiProperty({ type: 'integer', description: 'increases with each change' })
  readonly version!: number;
}

export class ClientListAnswer extends OkAnswer {
  @ApiProperty({ example: 'https://fido.example.com/oidc/example.com' })
  readonly issuer!: string;

  @ApiProperty({ type: [ClientView] })
  readonly clients!: readonly ClientView[];
}

export class ClientAnswer extends OkAnswer {
  @ApiProperty({
    example: 'https://fido.example.com/oidc/example.com',
    description: 'issuer, from which libraries discover everything else',
  })
  readonly issuer!: string;

  @ApiProperty({ type: ClientView })
  readonly client!: ClientView;
}

export class ClientSecretAnswer extends ClientAnswer {
  @ApiPropertyOptional({
    example: 'q3fJt0yYkB2c5rSdZk3Cq0mN1rUe4uXb8yT2PgZk3Cq',
    description: 'secret of a client of the kind `web`; shown only once',
  })
  readonly secret?: string;

  @ApiPropertyOptional({
    type: [String],
    example: ['"scope" is no field of this call, and was ignored.'],
    description: 'fields of the body that this call does not know',
  })
  readonly warnings?: readonly string[];
}

export const clientView = (client: OidcClient): ClientView => ({
  clientId: client.clientId,
  name: client.name,
  kind: client.kind,
  redirectUris: client.redirectUris,
  postLogoutRedirectUris: client.postLogoutRedirectUris,
  algorithm: client.algorithm,
  groups: client.groupsAllowed,
  createdAt: new Date(client.createdAt).toISOString(),
  createdBy: client.createdBy,
  version: client.changedAt,
});
