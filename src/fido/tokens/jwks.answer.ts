import { ApiProperty } from '../../platform/http/openapi/openapi.js';

/** A P-256 public key (RFC 7517). */
export class TokenKey {
  @ApiProperty({ enum: ['EC'] })
  readonly kty!: string;

  @ApiProperty({ enum: ['P-256'] })
  readonly crv!: string;

  @ApiProperty({ example: 'gI0GAILBdu7T53akrFmMyGcsF3n5dO7MmwNBHKW5SV0' })
  readonly x!: string;

  @ApiProperty({ example: 'SLW_xSffzlPWrHEVI30DHM_4egVwt3NQqeUD7nMFpps' })
  readonly y!: string;

  @ApiProperty({
    example: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs',
    description: 'key ID: thumbprint of the key (RFC 7638)',
  })
  readonly kid!: string;

  @ApiProperty({ enum: ['sig'] })
  readonly use!: string;

  @ApiProperty({ enum: ['ES256'] })
  readonly alg!: string;
}

/** Answer of GET /.well-known/jwks.json (RFC 7517 §5). */
export class JwksAnswer {
  @ApiProperty({ type: [TokenKey] })
  readonly keys!: readonly TokenKey[];
}

/** Answer of GET /.well-known/openid-configuration (OpenID Connect Discovery 1.0 §3). */
export class DiscoveryAnswer {
  @ApiProperty({ example: 'https://fido.example.com', description: 'claim `iss` of the tokens' })
  readonly issuer!: string;

  @ApiProperty({ example: 'https://fido.example.com/.well-known/jwks.json' })
  readonly jwks_uri!: string;

  @ApiProperty({ type: [String], example: ['ES256'] })
  readonly id_token_signing_alg_values_supported!: readonly string[];

  @ApiProperty({ type: [String], example: ['public'] })
  readonly subject_types_supported!: readonly string[];

  @ApiProperty({
    type: [String],
    example: [],
    description: 'always empty: there is no authorization endpoint',
  })
  readonly response_types_supported!: readonly string[];
}
