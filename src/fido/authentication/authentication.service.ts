import { Injectable, Logger } from '@nestjs/common';
import type { AnsweredKey, CredentialFacts } from '../../users/credentials/credential-reader.js';
import { Moves } from '../../users/moves/moves.js';
import { newId } from '../../platform/database/row-ids.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { ok } from '../../platform/http/ok.js';
import type { Client } from '../../events/ledger.js';
import type { ConfirmedTransaction } from '../../events/receipts/receipts.js';
import type { KeyDomain, RelyingParty } from '../../tenancy/relying-party.js';
import { KeyFindings } from '../../trust/findings/key-findings.js';
import { aaguidText } from '../../webauthn/aaguid.js';
import type { VerifiedAuthentication } from '../../webauthn/authentication.js';
import {
  belongsToPredecessor,
  ceremonyId,
  type NamedAuthentication,
  type PendingAuthentication,
} from '../ceremonies/ceremony.js';
import { withSessionName } from '../ceremonies/caller-session.js';
import type { CallerSession } from '../ceremonies/stores/ceremony-store.js';
import { RegistrationOptions } from '../registration/registration-options.js';
import { signalsOf } from '../ceremonies/ceremony.answer.js';
import { TokenService, signInProofOf, type SignInProof } from '../tokens/token.service.js';
import {
  AssertionVerifier,
  readAssertion,
  type Assertion,
  type VerifiedAssertion,
} from './assertion-verifier.js';
import { SignInRecorder } from './sign-in-recorder.js';
import { SignedInUsers, type SignedInUser } from './signed-in-users.js';
import { type AuthenticationAnswer, newKeysSince } from './authentication.answer.js';
import type { AuthenticationResultDto } from './authentication.dto.js';

/** The client of a sign-in, and the session in which the ceremony of a new key would wait. */
interface SignInSource {
  readonly client: Client | undefined;
  /** The application for which the user signs in, for the event: its ID, if this server knows it. */
  readonly application?: string | undefined;
  readonly session: () => CallerSession;
}

/** A completed sign-in: the answer of the result call, and what other tokens than its own say about it. */
interface CompletedSignIn {
  readonly answer: AuthenticationAnswer;
  readonly proof: SignInProof;
}

/** A sign-in after it was recorded: what its answer says. */
interface RecordedSignIn {
  readonly user: SignedInUser;
  readonly verified: VerifiedAuthentication;
  readonly receipt: ConfirmedTransaction | undefined;
  readonly proof: SignInProof;
  /** All of the user's keys. */
  readonly keys: readonly AnsweredKey[];
}

/**
 * The result call of an authentication (W3C WebAuthn L3 §7.2), even at a successor with a key of its predecessor.
 * OUT OF SPEC: two RP IDs serve one account. The browser lets a page of the successor use the predecessor's RP ID, since
 * the predecessor lists the page's origin (WebAuthn L3 §5.11).
 */
@Injectable()
export class AuthenticationService {
  private readonly logger = new Logger(AuthenticationService.name);

  constructor(
    private readonly users: SignedInUsers,
    private readonly verifier: AssertionVerifier,
    private readonly tokens: TokenService,
    private readonly recorder: SignInRecorder,
    private readonly registrations: RegistrationOptions,
    private readonly moves: Moves,
    private readonly findings: KeyFindings,
  ) {}

  /**
   * @returns the answer of any sign-in; after a verified sign-in with a key of the predecessor, also options for a
   *   new key
   * @throws ApiError with the code of the first step that fails; E0024R if the domain no longer has a predecessor
   */
  async complete(
    rp: RelyingParty,
    pending: PendingAuthentication,
    dto: AuthenticationResultDto,
    from: SignInSource,
  ): Promise<CompletedSignIn> {
    if (belongsToPredecessor(pending)) return this.completeMoved(rp, pending, dto, from);
    const { answer, proof, profiledRp, hash } = await this.signIn(rp, pending, dto, from);
    if (!this.findings.isNoticeDue(profiledRp)) return { answer, proof };
    // A policy rule may refuse the key from a certain day on.
    const notice = await this.unlessItFails(() => this.findings.notice(profiledRp, hash));
    return { answer: notice ? { ...answer, notice } : answer, proof };
  }

  private async completeMoved(
    rp: RelyingParty,
    pending: NamedAuthentication,
    dto: AuthenticationResultDto,
    from: SignInSource,
  ): Promise<CompletedSignIn> {
    const predecessor = this.moves.predecessorForSignIn(rp);
    if (!predecessor) throw new ApiError('E0024R');
    const { answer, proof, isVerified, hash } = await this.signIn(predecessor, pending, dto, from);
    if (!isVerified) return { answer, proof };
    const upgrade = await this.unlessItFails(() =>
      this.upgrade(rp, pending, { answer, hash, session: from.session() }),
    );
    return { answer: upgrade ? { ...answer, upgrade } : answer, proof };
  }

  /** A part that an answer can lack: the sign-in is recorded and its ceremony used up, so a failure must not refuse it. */
  private async unlessItFails<T>(read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      this.logger.warn(`A sign-in was answered without its notice or upgrade: ${String(error)}`);
      return undefined;
    }
  }

  /**
   * Options for a new key, without a prompt if that is allowed; if the browser refuses to do it without a prompt, the
   * page may prompt with the same options. `undefined` if the user can have no further key: the sign-in stays valid.
   */
  private async upgrade(
    rp: RelyingParty,
    { subject }: NamedAuthentication,
    {
      answer: { username, displayName },
      hash,
      session,
    }: { answer: AuthenticationAnswer; hash: Buffer; session: CallerSession },
  ) {
    const caller = {
      session,
      authorization: undefined,
      key: undefined,
      moved: {
        permit: { movedWith: hash.toString('base64url') },
        pendingUserId: subject === undefined ? {} : { subject, binds: true as const },
      },
    };
    // User verification may be required, which is impossible without a prompt.
    for (const mediation of ['conditional', 'optional'] as const) {
      try {
        const dto = { username, displayName, mediation };
        return withSessionName(await this.registrations.begin(rp, dto, caller), session);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
      }
    }
    return undefined;
  }

  /**
   * Verifies a sign-in and records it. A cached credential may have been deleted, and its ID stored again since (for
   * example by an import) with another key or for another user. Then the sign-in is verified against the stored one.
   *
   * @throws ApiError with the code of the first step that fails
   */
  private async signIn(
    rp: KeyDomain,
    pending: PendingAuthentication,
    dto: AuthenticationResultDto,
    from: SignInSource,
  ) {
    const assertion = readAssertion(rp, pending, dto);
    const found = await this.verifier.verify(rp, assertion);
    try {
      return await this.record(rp, assertion, found, from);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'E0033R') throw error;
      const stored = await this.verifier.verifyStored(rp, assertion);
      return this.record(rp, assertion, stored, from);
    }
  }

  /** @throws ApiError E0033R if the verified credential was deleted, and the errors of the steps below */
  private async record(
    rp: KeyDomain,
    assertion: Assertion,
    found: VerifiedAssertion,
    { client, application }: SignInSource,
  ) {
    const { pending, dto } = assertion;
    const { verified } = found;
    const user = await this.users.of(rp, pending, found);
    const { credential, isVerified, initializesUv, secondFactor, profiledRp } = user;
    await this.recorder.ensureClaims(profiledRp, pending, found);
    const receipt = receiptOf(credential, pending, dto);
    const ceremony = ceremonyId(pending);
    const facts = { initializesUv, secondFactor, ceremony, receipt, client, application };
    const use = { ...verified, ...facts };
    const keys = await this.recorder.record(profiledRp, { pending, credential, use });
    const proof = signInProofOf({ credential, verified }, isVerified);
    const answer = this.answerOf(rp, assertion, { user, verified, receipt, proof, keys });
    return { answer, proof, isVerified, profiledRp, hash: credential.credentialHash };
  }

  private answerOf(
    rp: KeyDomain,
    { pending, dto }: Assertion,
    { user, verified, receipt, proof, keys }: RecordedSignIn,
  ): AuthenticationAnswer {
    const { credential, displayName, subject, lastUsedAt } = user;
    const { username, userHandle, aaguid } = credential;
    const { userVerified, signCount, backedUp } = verified;
    const { agreed: requestedClaims } = pending;
    return ok({
      username,
      displayName,
      credentialId: dto.id,
      aaguid: aaguidText(aaguid),
      userVerified,
      signCount,
      backedUp,
      ...(receipt && { receipt: receipt.id.toString('base64url') }),
      ...this.tokens.tokenOf(rp, {
        credential,
        proof,
        subject,
        requestedClaims,
        receiptId: receipt?.id,
      }),
      signals: signalsOf(rp, { userHandle, username, displayName, keys }),
      ...newKeysSince(lastUsedAt, credential, keys),
    });
  }
}

/**
 * The receipt that proves the user's consent to a transaction later: everything that is needed to verify the signature.
 * `undefined` for a sign-in without a transaction.
 */
function receiptOf(
  { username, credentialHash, publicKey }: CredentialFacts,
  { agreed }: PendingAuthentication,
  { response }: AuthenticationResultDto,
): ConfirmedTransaction | undefined {
  if (agreed?.txn === undefined) return undefined;
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
