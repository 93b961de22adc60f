import { OkAnswer } from '../http/ok.js';
import { ApiProperty, ApiPropertyOptional } from '../http/openapi.js';
import { CREDENTIAL_ID } from './result.examples.js';

const YUBIKEY = 'ee882879-721c-4913-9775-3dfcce97072a';

/** What both result calls tell of the credential. */
class ResultAnswer extends OkAnswer {
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
}

class AttestationFacts {
  @ApiProperty({ example: 'packed', description: 'attestation statement format' })
  readonly format!: string;

  @ApiProperty({ example: 'basic', description: 'attestation type' })
  readonly type!: string;

  @ApiProperty({ description: 'whether it leads to a root that is trusted' })
  readonly trusted!: boolean;
}

/** Answer of attestation/result. */
export class RegistrationAnswer extends ResultAnswer {
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'YubiKey 5 Series',
    description: 'name of the model, where one is known',
  })
  readonly authenticatorName!: string | null;

  @ApiProperty({ type: AttestationFacts })
  readonly attestation!: AttestationFacts;

  @ApiProperty({ description: 'whether the credential can be synced' })
  readonly backupEligible!: boolean;
}

/** Answer of assertion/result. */
export class AuthenticationAnswer extends ResultAnswer {
  @ApiProperty({ example: 'Alice Example' })
  readonly displayName!: string;

  @ApiProperty({ type: 'integer', minimum: 0, example: 7, description: 'signature counter' })
  readonly signCount!: number;

  @ApiPropertyOptional({
    example: 'eyJhbGciOiJFUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl',
    description: 'JWT, ES256, by the keys of /.well-known/jwks.json; absent with --jwt off',
  })
  readonly token?: string;

  @ApiPropertyOptional({
    example: 'q3fJt0yYkB2c5rSd',
    description:
      'only with a transaction: the id of its receipt, which is the `jti` of the token too',
  })
  readonly receipt?: string;
}
