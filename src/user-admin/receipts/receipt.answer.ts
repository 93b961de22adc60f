import { OkAnswer } from '../../platform/http/ok.js';
import { ApiProperty } from '../../platform/http/openapi/openapi.js';

/** A receipt's transaction. */
class ReceiptTransaction {
  @ApiProperty({
    description: 'SHA-256 of what was agreed to, Base64URL',
    example: 'oigSDffSWTnClXICBOVUS_7rxPw7UTlJOFP7nR5KiA4',
  })
  readonly hash!: string;
}

/** Proof of an agreement, in the form that `servicefido verify` takes; binary values are Base64URL. */
export class ReceiptFacts {
  @ApiProperty({ description: '`receipt` of the sign-in’s answer, `jti` of its token' })
  readonly id!: string;

  @ApiProperty({ enum: ['authentication'] })
  readonly kind!: 'authentication';

  @ApiProperty({ format: 'date-time', description: 'when it was agreed to' })
  readonly evaluateAt!: string;

  @ApiProperty({ example: 'alice@example.com' })
  readonly username!: string;

  @ApiProperty({ example: 'localhost', description: 'domain of the relying party' })
  readonly rpId!: string;

  @ApiProperty({ description: 'fingerprint of the key, `cred` of the token' })
  readonly cred!: string;

  @ApiProperty({ description: 'COSE_Key' })
  readonly publicKeyCose!: string;

  @ApiProperty({
    description: 'as the browser wrote it; its challenge ends with the transaction’s hash',
  })
  readonly clientDataJSON!: string;

  @ApiProperty({ description: 'what the authenticator says of itself' })
  readonly authenticatorData!: string;

  @ApiProperty({ description: 'over the authenticator data and the SHA-256 of the client data' })
  readonly signature!: string;

  @ApiProperty({ type: ReceiptTransaction })
  readonly transaction!: ReceiptTransaction;
}

/** Answer of GET /userapi/receipts/:id. */
export class ReceiptAnswer extends OkAnswer {
  @ApiProperty({ type: ReceiptFacts })
  readonly receipt!: ReceiptFacts;
}
