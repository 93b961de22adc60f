import { Injectable } from '@nestjs/common';
import type {
  CredentialFacts,
  StoredCredential,
} from '../../users/credentials/credential-reader.js';
import { CredentialWriter, type CredentialUse } from '../../users/credentials/credential-writer.js';
import { newId } from '../../platform/database/columns.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { brokenRule } from '../../platform/errors/broken-rule.js';
import type { Code } from '../../platform/errors/catalogue.js';
import { ok } from '../../platform/http/ok.js';
import type { Client } from '../../events/ledger.js';
import type { AgreedTransaction } from '../../events/receipts/receipts.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { aaguidText } from '../../webauthn/aaguid.js';
import { counterIncreased } from '../../webauthn/authentication.js';
import { ceremonyId, type PendingAuthentication } from '../ceremonies/ceremony.js';
import { signalsOf } from '../signals.js';
import { UserIds } from '../user-ids.js';
import { TokenService } from '../tokens/token.service.js';
import type { Acr } from './authentication.rules.js';
import {
  AssertionVerifier,
  readAssertion,
  type Assertion,
  type VerifiedAssertion,
} from './assertion-verifier.js';
import { SignInAccounts } from './sign-in-accounts.js';
import type { AuthenticationAnswer } from './authentication.answer.js';
import type { AuthenticationResultDto } from './authentication.dto.js';

interface CompletedSignIn {
  readonly answer: AuthenticationAnswer;
  /** The key verified its user, and its user verification already counted when the ceremony began. */
  readonly isVerified: boolean;
}

/** The result call of an authentication (W3C WebAuthn L3 §7.2). */
@Injectable()
export class AuthenticationService {
  constructor(
    private readonly accounts: SignInAccounts,
    private readonly writer: CredentialWriter,
    private readonly verifier: AssertionVerifier,
    private readonly tokens: TokenService,
    private readonly userIds: UserIds,
  ) {}

  /**
   * Completes a sign-in. A cached credential may have been deleted, and its ID stored again since (for example by
   * an import) with another key or for another user. Then the sign-in is verified again against the stored one.
   *
   * @throws ApiError with the code of the first step that fails
   */
  async complete(
    rp: RelyingParty,
    pending: PendingAuthentication,
    dto: AuthenticationResultDto,
    client?: Client,
  ): Promise<CompletedSignIn> {
    const assertion = readAssertion(rp, pending, dto);
    const found = await this.verifier.verify(rp, assertion);
    try {
      return await this.signIn(rp, assertion, found, client);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'E0033R') throw error;
      const now = await this.verifier.verifyStored(rp, assertion);
      return this.signIn(rp, assertion, now, client);
    }
  }

  /** @throws ApiError E0033R if the verified credential was deleted, and the errors of the steps below */
  private async signIn(
    rp: RelyingParty,
    { pending, dto }: Assertion,
    found: VerifiedAssertion,
    client: Client | undefined,
  ): Promise<CompletedSignIn> {
    const { verified } = found;
    const { agreed } = pending;
    const ceremony = ceremonyId(pending);
    await this.ensureLevel(rp, found, { acr: agreed?.acr, ceremony });
    const account = await this.accounts.of(rp, pending, found);
    const { credential, displayName, subject, isVerified } = account;
    const { initializesUv, secondFactor } = account;
    const { signCount, backedUp, backupEligible } = verified;
    const receipt = agreed?.txn === undefined ? undefined : receiptOf(credential, dto);
    const use = {
      signCount,
      backedUp,
      backupEligible,
      initializesUv,
      secondFactor,
      ceremony,
      receipt,
      client,
    };
    const credentialIds = await this.recordUse(rp, pending, credential, use);
    const { username, userHandle } = credential;
    const id = receipt?.id;
    const answer = ok({
      username,
      displayName,
      credentialId: dto.id,
      aaguid: aaguidText(credential.aaguid),
      userVerified: verified.userVerified,
      signCount: verified.signCount,
      backedUp: verified.backedUp,
      ...(receipt && { receipt: receipt.id.toString('base64url') }),
      ...this.tokens.earned(rp, { credential, verified, isVerified, subject, agreed, id }),
      signals: signalsOf(rp, { userHandle, username, displayName, credentialIds }),
    });
    return { answer, isVerified };
  }

  /**
   * §7.2 steps 22–23. The statement that records the sign-in also checks that the credential is enabled and that its
   * counter rises. The unique key of the event checks that the ceremony was not completed before: a session store
   * that was restored from a backup returns ceremonies a second time.
   *
   * @returns the IDs of all of the user's credentials after the sign-in, including disabled ones
   */
  private async recordUse(
    rp: RelyingParty,
    pending: PendingAuthentication,
    credential: CredentialFacts,
    use: Omit<CredentialUse, 'anyCounter' | 'along'>,
  ): Promise<readonly Buffer[]> {
    const { userId } = credential;
    const arrival = this.userIds.arrival(rp, pending);
    let binding = this.userIds.binding(rp, userId, pending);
    let anyCounter = rp.policy.counter === 'off';
    for (;;) {
      let isLost = false;
      const onConnectionLost = () => {
        isLost = true;
      };
      const facts = { anyCounter, along: [...arrival, ...binding], onConnectionLost, ...use };
      const credentialIds = await this.writer.recordUse(rp, credential, facts);
      if (credentialIds) return credentialIds;
      await this.ensureNew(rp, use.ceremony);
      const now = await this.accounts.asItIs(rp, credential);
      const rises = counterIncreased(now.signCount, use.signCount);
      // Another sign-in may have been stored between the attempts: a counter that is too low then proves no clone.
      if (isLost && !anyCounter && !rises) throw new ApiError('E0052R', 'credential.overtaken');
      if (now.refusedWith) {
        throw await this.refusal(rp, now, use, await this.refusalByRule(rp, now, now.refusedWith));
      }
      if (binding.length > 0 && (await this.userIds.isBound(rp, userId, pending))) {
        binding = [];
        continue;
      }
      if (anyCounter || rises) throw new ApiError('E0024R');
      await this.alarm(rp, credential);
      anyCounter = true;
    }
  }

  /**
   * Checks that the ceremony is not completed yet. If it is, its own sign-in raised the counter, which proves no clone.
   *
   * @throws ApiError E0024R
   */
  private async ensureNew(rp: RelyingParty, ceremony: Buffer): Promise<void> {
    if (!(await this.writer.isCompleted(rp, ceremony))) return;
    throw new ApiError('E0024R', 'session.used');
  }

  /**
   * Checks that the key reaches the requested level. Reads nothing if it does, or if no level was requested.
   *
   * @throws ApiError E0038R
   */
  private async ensureLevel(
    rp: RelyingParty,
    { credential, verified }: VerifiedAssertion,
    { acr, ceremony }: { acr: Acr | undefined; ceremony: Buffer },
  ): Promise<void> {
    if (acr !== 'phrh' || credential.attestationTrusted) return;
    await this.ensureNew(rp, ceremony);
    const now = await this.accounts.asItIs(rp, credential);
    throw await this.refusal(rp, now, verified, new ApiError('E0038R', 'credential.wrongAcr'));
  }

  /**
   * The refusal by the policy. It is checked last: a counter that did not rise refuses the sign-in first.
   *
   * @throws ApiError E0035R
   */
  private async refusal(
    rp: RelyingParty,
    now: StoredCredential,
    { signCount }: Pick<CredentialUse, 'signCount'>,
    byPolicy: ApiError,
  ): Promise<ApiError> {
    const rises = rp.policy.counter === 'off' || counterIncreased(now.signCount, signCount);
    if (!rises) await this.alarm(rp, now);
    return byPolicy;
  }

  /** Names the rule that the key breaks; the finding may have been closed in the meantime. */
  private async refusalByRule(
    rp: RelyingParty,
    credential: StoredCredential,
    code: Code,
  ): Promise<ApiError> {
    const rule = await this.accounts.ruleBrokenBy(rp, credential);
    if (rule === undefined) return new ApiError(code, 'credential.unproved');
    return new ApiError(code, 'rule.broken', { rule }, { detail: brokenRule(rule) });
  }

  /** @throws ApiError E0035R unless the policy only warns */
  private async alarm(rp: RelyingParty, credential: CredentialFacts): Promise<void> {
    const { counter } = rp.policy;
    await this.writer.recordCloneAlarm(rp, credential, counter === 'disable');
    if (counter !== 'warn') throw new ApiError('E0035R');
  }
}

/** The receipt that proves the user's consent later: everything that is needed to verify the signature. */
function receiptOf(
  credential: CredentialFacts,
  { response }: AuthenticationResultDto,
): AgreedTransaction {
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
