import { Get, Param } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { ApiError } from '../platform/errors/api-error.js';
import { ok, OkAnswer } from '../platform/http/ok.js';
import { ApiProperty } from '../platform/http/openapi/openapi.js';
import { Operation } from '../platform/http/openapi/operation.js';
import { Receipt } from '../events/receipts/receipt.entity.js';
import { findReceipt } from '../events/receipts/receipts.js';
import { transactionIn } from '../fido/ceremonies/challenges.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { ScopedController } from '../tenancy/scope/scope.interceptor.js';
import { CurrentRp } from '../tenancy/scope/tenant.interceptor.js';
import { parseClientData } from '../webauthn/client-data.js';

class ReceiptTransaction {
  @ApiProperty({
    description: 'SHA-256 of the transaction that the user confirmed, in Base64URL',
    example: 'oigSDffSWTnClXICBOVUS_7rxPw7UTlJOFP7nR5KiA4',
  })
  readonly hash!: string;
}

/** Proof of a confirmed transaction, in the format for `./servicefido verify`; binary values are Base64URL. */
class ReceiptFacts {
  @ApiProperty({
    description: 'ID of the receipt: `receipt` of the sign-in and `jti` of its token',
  })
  readonly id!: string;

  @ApiProperty({ enum: ['authentication'] })
  readonly kind!: 'authentication';

  @ApiProperty({ format: 'date-time', description: 'time of the confirmation' })
  readonly evaluateAt!: string;

  @ApiProperty({ example: 'alice@example.com' })
  readonly username!: string;

  @ApiProperty({ example: 'localhost', description: 'domain of the relying party' })
  readonly rpId!: string;

  @ApiProperty({ description: 'fingerprint of the key, as in the claim `cred` of the token' })
  readonly cred!: string;

  @ApiProperty({ description: 'public key as a COSE_Key' })
  readonly publicKeyCose!: string;

  @ApiProperty({
    description: 'client data from the browser; its challenge ends with the transaction’s hash',
  })
  readonly clientDataJSON!: string;

  @ApiProperty({ description: 'authenticator data' })
  readonly authenticatorData!: string;

  @ApiProperty({
    description: 'signature over the authenticator data and the SHA-256 of the client data',
  })
  readonly signature!: string;

  @ApiProperty({ type: ReceiptTransaction })
  readonly transaction!: ReceiptTransaction;
}

class ReceiptAnswer extends OkAnswer {
  @ApiProperty({ type: ReceiptFacts })
  readonly receipt!: ReceiptFacts;
}

const ID = {
  example: 'q1kZr0hVQe2mYtW8s3uBxA',
  description: 'ID of the receipt: `receipt` of the sign-in',
};

@ScopedController('userapi/receipts', {
  audience: 'integrator',
  parameters: { id: ID },
  permission: 'events:read',
})
export class ReceiptsController {
  constructor(@InjectRepository(Receipt) private readonly receipts: Repository<Receipt>) {}

  @Get(':id')
  @Operation('getReceipt', 'Returns the proof that a user confirmed a transaction', {
    answers: ReceiptAnswer,
    refuses: ['E0044R'],
  })
  async receipt(@CurrentRp() rp: RelyingParty, @Param('id') id: string): Promise<ReceiptAnswer> {
    const receipt = await findReceipt(this.receipts, rp, id);
    if (!receipt) throw new ApiError('E0044R', 'receipt.unknown');
    return ok({ receipt: receiptFactsOf(rp, receipt) });
  }
}

const text = (bytes: Buffer): string => bytes.toString('base64url');

const transactionOf = ({ clientData }: Receipt): Buffer =>
  transactionIn(parseClientData(clientData).challenge) ?? Buffer.alloc(0);

const receiptFactsOf = (rp: RelyingParty, receipt: Receipt): ReceiptFacts => ({
  id: text(receipt.id),
  kind: 'authentication',
  evaluateAt: new Date(receipt.at).toISOString(),
  username: receipt.username,
  rpId: rp.domain,
  cred: text(receipt.credentialHash),
  publicKeyCose: text(receipt.publicKey),
  clientDataJSON: text(receipt.clientData),
  authenticatorData: text(receipt.authenticatorData),
  signature: text(receipt.signature),
  transaction: { hash: text(transactionOf(receipt)) },
});
