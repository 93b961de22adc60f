import { Injectable } from '@nestjs/common';
import {
  CredentialReader,
  type AnsweredKey,
  type CredentialFacts,
  type StoredCredential,
} from '../../users/credentials/credential-reader.js';
import { SignInWriter, type CredentialUse } from '../../users/credentials/sign-in-writer.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { brokenRule } from '../../platform/errors/reasons.js';
import type { Code } from '../../platform/errors/catalogue.js';
import type { KeyDomain } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { KeyFindings } from '../../trust/findings/key-findings.js';
import { counterIncreased } from '../../webauthn/authentication.js';
import { CLOCK_SKEW_MS } from '../ceremonies/stores/ceremony-store.js';
import {
  assignsUserId,
  belongsToPredecessor,
  ceremonyId,
  type PendingAuthentication,
} from '../ceremonies/ceremony.js';
import { disabledKey } from '../refusals/failure-codes.js';
import { acrOf } from '../tokens/token.service.js';
import { MovingUsers } from '../moving-users.js';
import { UserIds } from '../user-ids.js';
import type { VerifiedAssertion } from './assertion-verifier.js';

/** A verified sign-in, and the ceremony that it completes. */
interface VerifiedSignIn {
  readonly pending: PendingAuthentication;
  readonly credential: CredentialFacts;
  readonly use: Omit<CredentialUse, 'anyCounter' | 'furtherSteps'>;
}

/** The conditions and further steps of an attempt to record a sign-in. */
interface Attempt {
  /** Whether the counter need not rise. */
  readonly anyCounter: boolean;
  /** The steps that assign the user ID of the ceremony. */
  readonly binding: readonly Step[];
  /** The user's name, which the steps of a move demand. */
  readonly username: string;
}

/** Stores a verified sign-in, whatever else happens to its key, its user or its ceremony at the same time. */
@Injectable()
export class SignInRecorder {
  constructor(
    private readonly reader: CredentialReader,
    private readonly writer: SignInWriter,
    private readonly findings: KeyFindings,
    private readonly userIds: UserIds,
    private readonly moving: MovingUsers,
    private readonly relyingParties: RelyingPartyCache,
  ) {}

  /**
   * Checks that the token may have the requested claims: the key reaches the level, and the audience has not become
   * another tenant's since the begin call. Reads nothing if so. Otherwise a counter that did not rise refuses the
   * sign-in first.
   *
   * @throws ApiError E0038R
   */
  async ensureClaims(
    rp: KeyDomain,
    pending: PendingAuthentication,
    assertion: VerifiedAssertion,
  ): Promise<void> {
    const { credential, verified } = assertion;
    const { acr, audience } = pending.agreed ?? {};
    const isLevelMet = acr !== 'phrh' || acrOf(assertion) === 'phrh';
    const isAudienceOwn =
      audience === undefined ||
      !this.relyingParties.current.audiences.isForeign(rp.tenant, audience);
    if (isLevelMet && isAudienceOwn) return;
    await this.ensureNotCompleted(rp, ceremonyId(pending));
    const stored = await this.readAgain(rp, credential);
    await this.checkCounter(rp, pending, stored, verified.signCount);
    throw new ApiError('E0038R', isLevelMet ? 'audience.notYours' : 'credential.wrongAcr');
  }

  /**
   * §7.2 steps 22 and 24. The statement that records the sign-in also checks that the credential is enabled and that its
   * counter rises (`RECORD_RISING_USE`). The unique key of the event checks that the ceremony was not completed before:
   * a session store that was restored from a backup returns ceremonies a second time.
   *
   * @returns all of the user's credentials after the sign-in, including disabled ones
   */
  async record(rp: KeyDomain, signIn: VerifiedSignIn): Promise<readonly AnsweredKey[]> {
    const { pending, credential, use } = signIn;
    let attempt: Attempt = {
      username: pending.username ?? credential.username,
      anyCounter: rp.policy.counter === 'off',
      binding: assignsUserId(pending)
        ? await this.userIds.binding(rp, credential.userId, pending)
        : [],
    };
    for (;;) {
      const arriving =
        rp.successor && belongsToPredecessor(pending)
          ? this.moving.arrivalBySignIn(rp.successor, pending, attempt.username)
          : [];
      let isConnectionLost = false;
      const keys = await this.writer.recordUse(rp, credential, {
        ...use,
        anyCounter: attempt.anyCounter,
        furtherSteps: [...arriving, ...attempt.binding],
        onConnectionLost: () => {
          isConnectionLost = true;
        },
      });
      if (keys) return keys;
      attempt = await this.attemptAfter(attempt, rp, signIn, isConnectionLost);
    }
  }

  /**
   * Returns the next attempt after one that stored nothing. The statement does not say which of its conditions failed,
   * so each is checked again.
   *
   * @param isConnectionLost whether the connection broke during the attempt, which was then executed again
   * @throws ApiError if no attempt can succeed; E0001R if the user ID of the ceremony conflicts with another one in
   *   the meantime
   */
  private async attemptAfter(
    failed: Attempt,
    rp: KeyDomain,
    { pending, credential, use }: VerifiedSignIn,
    isConnectionLost: boolean,
  ): Promise<Attempt> {
    await this.ensureNotCompleted(rp, use.ceremony);
    const stored = await this.readAgain(rp, credential);
    const isCounterTooLow =
      !failed.anyCounter && !counterIncreased(stored.signCount, use.signCount);
    // Another sign-in may have been stored before the repetition: the counter proves no clone then.
    if (isConnectionLost && isCounterTooLow) throw new ApiError('E0052R', 'credential.overtaken');
    if (stored.refusedWith) {
      const refusal = await this.refusalByRule(rp, stored, stored.refusedWith);
      await this.checkCounter(rp, pending, stored, use.signCount);
      throw refusal;
    }
    const needsBinding = failed.binding.length > 0 && assignsUserId(pending);
    if (needsBinding && (await this.userIds.isBound(rp, stored.userId, pending))) {
      // Another ceremony has assigned the user ID in the meantime.
      return { ...failed, binding: [] };
    }
    // Renamed since the begin call: the user moves to the successor under the new name.
    if (rp.successor && stored.username !== failed.username) {
      return { ...failed, username: stored.username };
    }
    // For example, the domain to which the user moves was closed, or another user has the name there now.
    if (!isCounterTooLow) throw new ApiError('E0024R');
    await this.raiseCloneAlarm(rp, pending, stored);
    return { ...failed, anyCounter: true };
  }

  /**
   * Checks that the ceremony is not completed yet. If it is, its own sign-in raised the counter, which proves no clone.
   *
   * @throws ApiError E0024R
   */
  private async ensureNotCompleted(rp: KeyDomain, ceremony: Buffer): Promise<void> {
    if (!(await this.reader.isCompleted(rp, ceremony))) return;
    throw new ApiError('E0024R', 'session.used');
  }

  /**
   * Reads a cached credential again.
   *
   * @throws ApiError E0033R if it was deleted, even if another row has its ID now, E0034R if it is disabled
   */
  private async readAgain(rp: KeyDomain, known: CredentialFacts): Promise<StoredCredential> {
    const now = await this.reader.findByHash(rp, known.credentialHash);
    if (!now?.id.equals(known.id)) throw new ApiError('E0033R');
    if (!now.enabled) throw disabledKey(now);
    return now;
  }

  /** Names the rule that the key breaks; the finding may have been closed in the meantime. */
  private async refusalByRule(
    rp: KeyDomain,
    { id }: StoredCredential,
    code: Code,
  ): Promise<ApiError> {
    const [finding] = await this.findings.of(rp, [id]);
    if (!finding) return new ApiError(code, 'credential.unproved');
    const { rule } = finding;
    return new ApiError(code, 'rule.broken', { rule }, { detail: brokenRule(rule) });
  }

  /**
   * Raises the alarm before a sign-in is refused for another reason, if the counter did not rise and the policy does
   * not ignore it. `counterIncreased` is the same rule as in `RECORD_RISING_USE`, the statement that records a sign-in.
   *
   * @throws ApiError E0035R unless the policy only warns
   */
  private async checkCounter(
    rp: KeyDomain,
    pending: PendingAuthentication,
    stored: StoredCredential,
    signCount: number,
  ): Promise<void> {
    const rises = rp.policy.counter === 'off' || counterIncreased(stored.signCount, signCount);
    if (!rises) await this.raiseCloneAlarm(rp, pending, stored);
  }

  /**
   * Records that the counter did not rise, and disables the key if the policy says so: the key may have been cloned
   * (W3C WebAuthn L3 §7.2 step 22). If the stored counter was accepted after this ceremony began, two answers of one key
   * may have overtaken each other, so the key stays enabled.
   *
   * @throws ApiError E0035R unless the policy only warns
   */
  private async raiseCloneAlarm(
    rp: KeyDomain,
    pending: PendingAuthentication,
    stored: StoredCredential,
  ): Promise<void> {
    const { counter } = rp.policy;
    const overlaps = isAcceptedSince(pending, stored);
    await this.writer.recordCloneAlarm(rp, stored, { disable: counter === 'disable', overlaps });
    if (counter !== 'warn') throw new ApiError('E0035R');
  }
}

/** Whether the stored counter was accepted after the begin call of a sign-in; without a name, clocks decide. */
function isAcceptedSince(
  pending: PendingAuthentication,
  { id, signCount, lastUsedAt }: StoredCredential,
): boolean {
  if (pending.user === undefined || !pending.signCounts) {
    // The two times may be of two instances.
    return (lastUsedAt ?? 0) > pending.begunAt - CLOCK_SKEW_MS;
  }
  return pending.signCounts[pending.offered.indexOf(id.toString('base64url'))] !== signCount;
}
