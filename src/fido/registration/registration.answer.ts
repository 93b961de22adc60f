import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import {
  CredentialDescriptor,
  OptionsAnswer,
  ResultAnswer,
  USER_HANDLE,
} from '../ceremonies/ceremony.answer.js';
import { ATTACHMENTS, REQUIREMENTS } from '../ceremonies/ceremony.validators.js';
import { CALLER_CONVEYANCES } from './registration.validators.js';

class RelyingPartyEntity {
  @ApiProperty({ example: 'localhost', description: 'RP ID' })
  readonly id?: string;

  @ApiProperty({ example: 'localhost', description: 'name that authenticators show' })
  readonly name!: string;
}

class UserEntity {
  @ApiProperty({ example: USER_HANDLE, description: 'user handle in Base64URL' })
  readonly id!: string;

  @ApiProperty({ example: 'alice@example.com' })
  readonly name!: string;

  @ApiProperty({ example: 'Alice Example' })
  readonly displayName!: string;
}

class CredentialParameters {
  @ApiProperty({ enum: ['public-key'] })
  readonly type!: 'public-key';

  @ApiProperty({
    type: 'integer',
    example: -7,
    description: 'algorithm, a number from the COSE registry',
  })
  readonly alg!: number;
}

class SelectionCriteria {
  @ApiPropertyOptional({ enum: ATTACHMENTS })
  readonly authenticatorAttachment?: 'platform' | 'cross-platform';

  @ApiProperty({ enum: REQUIREMENTS })
  readonly residentKey!: (typeof REQUIREMENTS)[number];

  @ApiProperty({
    description: 'true if residentKey is `required`, or if the request set requireResidentKey',
  })
  readonly requireResidentKey!: boolean;

  @ApiProperty({ enum: REQUIREMENTS })
  readonly userVerification!: (typeof REQUIREMENTS)[number];
}

/** Answer of attestation/options: PublicKeyCredentialCreationOptionsJSON (W3C WebAuthn L3 §5.1.8). */
export class CreationOptionsAnswer extends OptionsAnswer {
  @ApiProperty({ type: RelyingPartyEntity })
  readonly rp!: RelyingPartyEntity;

  @ApiProperty({ type: UserEntity })
  readonly user!: UserEntity;

  @ApiProperty({ type: [CredentialParameters] })
  readonly pubKeyCredParams!: readonly CredentialParameters[];

  @ApiProperty({ type: [CredentialDescriptor] })
  readonly excludeCredentials?: readonly CredentialDescriptor[];

  @ApiProperty({ type: SelectionCriteria })
  readonly authenticatorSelection!: SelectionCriteria;

  @ApiProperty({ enum: [...CALLER_CONVEYANCES, 'enterprise'] })
  readonly attestation!: (typeof CALLER_CONVEYANCES)[number] | 'enterprise';
}

class AttestationFacts {
  @ApiProperty({ example: 'packed', description: 'attestation statement format' })
  readonly format!: string;

  @ApiProperty({ example: 'basic', description: 'attestation type' })
  readonly type!: string;

  @ApiProperty({ description: 'whether the attestation leads to a trust anchor' })
  readonly trusted!: boolean;
}

export class RegistrationAnswer extends ResultAnswer {
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'YubiKey 5 Series',
    description: 'name of the model, or `null` if it is unknown',
  })
  readonly authenticatorName!: string | null;

  @ApiProperty({ type: AttestationFacts })
  readonly attestation!: AttestationFacts;

  @ApiProperty({ description: 'whether the key can be synced' })
  readonly backupEligible!: boolean;
}
