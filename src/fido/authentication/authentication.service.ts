import { Injectable } from '@nestjs/common';
import type { CredentialFacts } from '../../users/credentials/credential-reader.js';
import { newId } from '../../platform/database/row-ids.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { ok } from '../../platform/http/ok.js';
import type { Client } from '../../events/ledger.js';
import type { ConfirmedTransaction } from '../../events/receipts/receipts.js';
import type { KeyDomain } from '../../tenancy/relying-party.js';
import { aaguidText } from '../../webauthn/aaguid.js';
import { ceremonyId, type PendingAuthentication } from '../ceremonies/ceremony.js';
import { signalsOf } from '../ceremonies/ceremony.answer.js';
import { TokenService } from '../tokens/token.service.js';
import {
  AssertionVerifier,
  readAssertion,
  type Assertion,
  type VerifiedAssertion,
} from './assertion-verifier.js';
import { SignInRecorder } from './sign-in-recorder.js';
import { SignInUsers } from './sign-in-users.js';
import type { AuthenticationResultDto } from './authentication.dto.js';

/** The result call of an authentication (W3C WebAuthn L3 §7.2). */
@Injectable()
export class AuthenticationService {
  constructor(
    private readonly users: SignInUsers,
    private readonly verifier: AssertionVerifier,
    private readonly tokens: TokenService,
    private readonly recorder: SignInRecorder,
  ) {}

  /**
   * Completes a sign-in. A cached credential may have been deleted, and its ID stored again since (for example by
   * an import) with another key or for another user. Then the sign-in is verified again against the stored one.
   *
   * @throws ApiError with the code of the first step that fails
   */
  async complete(
    rp: KeyDomain,
    pending: PendingAuthentication,
    dto: AuthenticationResultDto,
    client?: Client,
  ) {
    const assertion = readAssertion(rp, pending, dto);
    const found = await this.verifier.verify(rp, assertion);
    try {
      return await this.signIn(rp, assertion, found, client);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'E0033R') throw error;
      const stored = await this.verifier.verifyStored(rp, assertion);
      return this.signIn(rp, assertion, stored, client);
    }
  }

  /** @throws ApiError E0033R if the verified credential was deleted, and the errors of the steps below */
  private async signIn(
    rp: KeyDomain,
    { pending, dto }: Assertion,
    found: VerifiedAssertion,
    client: Client | undefined,
  ) {
    const { authData } = found;
    const { agreed: requestedClaims } = pending;
    await this.recorder.ensureClaims(rp, pending, found);
    const user = await this.users.of(rp, pending, found);
    const { credential, displayName, externalId, isVerified, initializesUv, secondFactor } = user;
    const ceremony = ceremonyId(pending);
    const receipt = requestedClaims?.txn === undefined ? undefined : receiptOf(credential, dto);
    const use = { ...authData, initializesUv, secondFactor, ceremony, receipt, client };
    const credentialIds = await this.recorder.record(rp, { pending, credential, use });
    const { username, userHandle } = credential;
    const answer = ok({
      username,
      displayName,
      credentialId: dto.id,
      aaguid: aaguidText(credential.aaguid),
      userVerified: authData.userVerified,
      signCount: authData.signCount,
      backedUp: authData.backedUp,
      ...(receipt && { receipt: receipt.id.toString('base64url') }),
      ...this.tokens.tokenOf(rp, {
        credential,
        authData,
        isVerified,
        externalId,
        requestedClaims,
        id: receipt?.id,
      }),
      signals: signalsOf(rp, { userHandle, username, displayName, credentialIds }),
    });
    return { answer, isVerified };
  }
}

/** The receipt that proves the user's consent later: everything that is needed to verify the signature. */
function receiptOf(
  credential: CredentialFacts,
  { response }: AuthenticationResultDto,
): ConfirmedTransaction {
  const { username, credentialHash, publicKey } = credential;
  return {
    id: newId(),
    username,
    credentialHash,
    publicKey,
    clientData: Buffer.from(response.clientDataJSON, 'base64url'),
    authenticatorData: Buffer.from(response.authenticatorData, 'base64url'),
    signature: Buffer.from(response.signature, 'base64url'),
  };
}
