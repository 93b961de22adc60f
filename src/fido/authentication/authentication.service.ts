import { Injectable } from '@nestjs/common';
import { CredentialReader } from '../../credentials/credential-reader.js';
import type { CredentialFacts, StoredCredential } from '../../credentials/credential-reader.js';
import { CredentialWriter } from '../../credentials/credential-writer.js';
import type { Use } from '../../credentials/credential-writer.js';
import { newId } from '../../database/columns.js';
import { ApiError } from '../../errors/api-error.js';
import { ok } from '../../http/ok.js';
import type { Client } from '../../ledger/ledger.js';
import type { Agreed } from '../../ledger/receipts/receipts.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { aaguidText } from '../../webauthn/aaguid.js';
import { counterIncreased } from '../../webauthn/authentication.js';
import { ceremonyId } from '../ceremonies/ceremony.js';
import type {
  NamedAuthentication,
  PendingAuthentication,
  PendingSubject,
} from '../ceremonies/ceremony.js';
import type { Acr } from './agreement.rules.js';
import { readAssertion } from './assertion.js';
import type { Assertion, Verified } from './assertion.js';
import { AssertionVerifier } from './assertion-verifier.js';
import type { ReadyCredential } from './ready-credentials.js';
import type { AuthenticationResultDto } from '../result.dto.js';
import { signalsOf } from '../signals.js';
import { UserIds } from '../user-ids.js';
import { TokenService } from '../tokens/token.service.js';

const NOT_THE_LEVEL = 'This key does not give the "acr" that was asked for.';
const FOUND = 'What the registration of this key proved does not hold any more.';

/** The complete call of an authentication (W3C WebAuthn L3 §7.2). */
@Injectable()
export class AuthenticationService {
  constructor(
    private readonly reader: CredentialReader,
    private readonly writer: CredentialWriter,
    private readonly verifier: AssertionVerifier,
    private readonly tokens: TokenService,
    private readonly userIds: UserIds,
  ) {}

  /**
   * Completes a sign-in. A recalled credential may be gone, and its ID stored again since (such as by an
   * import) with another key or for another user: then the sign-in is verified again by what is stored now.
   *
   * @throws ApiError with the code of the first step that fails
   */
  async complete(
    rp: RelyingParty,
    pending: PendingAuthentication,
    dto: AuthenticationResultDto,
    client?: Client,
  ) {
    const assertion = readAssertion(rp, pending, dto);
    const found = await this.verifier.verified(rp, assertion);
    try {
      return await this.signIn(rp, assertion, found, client);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'E0033R') throw error;
      const anew = await this.verifier.verifiedAnew(rp, assertion);
      return this.signIn(rp, assertion, anew, client);
    }
  }

  /** @throws ApiError E0033R where the verified credential is gone, and those of the steps that follow */
  private async signIn(
    rp: RelyingParty,
    { pending, dto }: Assertion,
    found: Verified,
    client: Client | undefined,
  ) {
    const { verified } = found;
    const { agreed } = pending;
    await this.ensureLevel(rp, found, agreed?.acr);
    const account =
      pending.user === undefined
        ? await this.accountOf(rp, found.credential)
        : accountAsBegun(found.credential, pending);
    const { credential, displayName, subject } = account;
    const { signCount, backedUp, backupEligible } = verified;
    const receipt = agreed?.txn === undefined ? undefined : receiptOf(credential, dto);
    const ceremony = ceremonyId(pending);
    const use = { signCount, backedUp, backupEligible, ceremony, receipt, client };
    const anyCounter = rp.policy.counter === 'off';
    const credentialIds = await this.recordUse(rp, credential, use, { anyCounter, gives: pending });
    const { username, userHandle } = credential;
    return ok({
      username,
      displayName,
      credentialId: dto.id,
      aaguid: aaguidText(credential.aaguid),
      userVerified: verified.userVerified,
      signCount: verified.signCount,
      backedUp: verified.backedUp,
      ...(receipt && { receipt: receipt.id.toString('base64url') }),
      ...this.tokens.earned(rp, { credential, verified, subject, agreed, id: receipt?.id }),
      signals: signalsOf(rp, { userHandle, username, displayName, credentialIds }),
    });
  }

  /**
   * The account of a sign-in without a name, with its present names, which the begin call did not read.
   *
   * @throws ApiError E0033R for a user who is gone
   */
  private async accountOf(rp: RelyingParty, credential: ReadyCredential): Promise<Account> {
    const account = await this.reader.findAccount(rp, credential.userId);
    if (!account) throw new ApiError('E0033R');
    const { username, displayName, subject } = account;
    return { credential: { ...credential, username }, displayName, subject };
  }

  /**
   * §7.2 steps 22–23. The statement that records the sign-in is also what checks the credential's state:
   * enabled, its counter rising, this ceremony not used before. (A session store that was set back, by a
   * restart or a failover, hands ceremonies out again.) Another statement of the same unit gives the user the
   * ID at the customer's application, where the ceremony brings one.
   *
   * @returns the IDs of all of the user's credentials, disabled ones too, as the sign-in leaves them
   */
  private async recordUse(
    rp: RelyingParty,
    credential: CredentialFacts,
    use: Omit<Use, 'anyCounter' | 'along'>,
    { anyCounter, gives }: Terms,
  ): Promise<readonly Buffer[]> {
    const { userId } = credential;
    const along = this.userIds.binding(rp, userId, gives);
    const facts = { anyCounter, along, ...use };
    const credentialIds = await this.writer.recordUse(rp, credential, facts);
    if (credentialIds) return credentialIds;
    const now = await this.asItIs(rp, credential);
    if (now.refusedWith)
      throw await this.refusal(rp, now, use, new ApiError(now.refusedWith, FOUND));
    if (await this.userIds.isBound(rp, userId, gives)) {
      return this.recordUse(rp, credential, use, { anyCounter, gives: {} });
    }
    const rises = counterIncreased(now.signCount, use.signCount);
    if (anyCounter || rises || now.lastCeremony.equals(use.ceremony)) throw new ApiError('E0024R');
    await this.alarm(rp, credential);
    return this.recordUse(rp, credential, use, { anyCounter: true, gives });
  }

  /**
   * Checks that the key gives the level that was asked for. Reads nothing where it does, or where none was
   * asked for.
   *
   * @throws ApiError E0038R
   */
  private async ensureLevel(
    rp: RelyingParty,
    { credential, verified }: Verified,
    acr: Acr | undefined,
  ): Promise<void> {
    if (acr !== 'phrh' || credential.attestationTrusted) return;
    const now = await this.asItIs(rp, credential);
    throw await this.refusal(rp, now, verified, new ApiError('E0038R', NOT_THE_LEVEL));
  }

  /**
   * The refusal by the policy, which is checked last: a counter that did not rise refuses the sign-in first.
   *
   * @throws ApiError E0035R
   */
  private async refusal(
    rp: RelyingParty,
    now: StoredCredential,
    { signCount }: Pick<Use, 'signCount'>,
    byPolicy: ApiError,
  ): Promise<ApiError> {
    const rises = rp.policy.counter === 'off' || counterIncreased(now.signCount, signCount);
    if (!rises) await this.alarm(rp, now);
    return byPolicy;
  }

  /**
   * Reads a recalled credential again.
   *
   * @throws ApiError E0033R where it is gone, even if another row has its ID now, E0034R where it is disabled
   */
  private async asItIs(rp: RelyingParty, known: CredentialFacts): Promise<StoredCredential> {
    const now = await this.reader.reread(rp, known);
    if (!now?.id.equals(known.id)) throw new ApiError('E0033R');
    if (!now.enabled) throw new ApiError('E0034R');
    return now;
  }

  /**
   * Records that the key may be cloned.
   *
   * @throws ApiError E0035R unless the policy only warns
   */
  private async alarm(rp: RelyingParty, credential: CredentialFacts): Promise<void> {
    const { counter } = rp.policy;
    await this.writer.recordCloneAlarm(rp, credential, counter === 'disable');
    if (counter !== 'warn') throw new ApiError('E0035R');
  }
}

/** How a sign-in is recorded. */
interface Terms extends Pick<Use, 'anyCounter'> {
  /** The ID that it gives its user. */
  readonly gives: PendingSubject;
}

/** A key, and the present names of its user. */
interface Account {
  readonly credential: ReadyCredential;
  readonly displayName: string;
  /** The user's ID at the customer's own application. */
  readonly subject: string | undefined;
}

const accountAsBegun = (
  recalled: ReadyCredential,
  { username, displayName = recalled.displayName, subject }: NamedAuthentication,
): Account => {
  // The begin call read the name from the database; the recalled one may be from before a renaming.
  const credential = recalled.username === username ? recalled : { ...recalled, username };
  return { credential, displayName, subject };
};

/** The receipt that proves later that the user agreed: all that is needed to verify the signature. */
function receiptOf(credential: CredentialFacts, { response }: AuthenticationResultDto): Agreed {
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
