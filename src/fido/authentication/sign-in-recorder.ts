import { Injectable } from '@nestjs/common';
import type {
  CredentialFacts,
  StoredCredential,
} from '../../users/credentials/credential-reader.js';
import { CredentialWriter, type CredentialUse } from '../../users/credentials/credential-writer.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { brokenRule } from '../../platform/errors/broken-rule.js';
import type { Code } from '../../platform/errors/catalogue.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { counterIncreased } from '../../webauthn/authentication.js';
import type { PendingAuthentication } from '../ceremonies/ceremony.js';
import { UserIds } from '../user-ids.js';
import { CloneAlarm } from './clone-alarm.js';
import { SignInUsers } from './sign-in-users.js';

/** An attempt to record a sign-in that stored nothing. */
interface FailedAttempt {
  /** The key after the attempt. */
  readonly stored: StoredCredential;
  /** Whether the attempt required a counter that rises, and it did not. */
  readonly isCounterTooLow: boolean;
  /** Whether the connection broke during the attempt, which was then executed again. */
  readonly isLost: boolean;
  /** Whether the attempt was to assign the user ID of the ceremony. */
  readonly binds: boolean;
}

/**
 * Why an attempt stored nothing:
 * - `overtaken`: another sign-in may have been stored before the attempt was repeated on a new connection: a counter
 *   that is too low then proves no clone;
 * - `refused`: a finding refuses sign-ins with the key;
 * - `bound`: another ceremony has assigned the user ID in the meantime, so this one need not;
 * - `counter`: the counter did not rise;
 * - `ended`: none of these any more; for example, the domain to which the user moves was closed, or the name no longer
 *   leads to this user there.
 */
type Obstacle =
  | { readonly kind: 'overtaken' | 'bound' | 'counter' | 'ended' }
  | { readonly kind: 'refused'; readonly code: Code };

/** Stores a verified sign-in, whatever else happens to its key, its user or its ceremony at the same time. */
@Injectable()
export class SignInRecorder {
  constructor(
    private readonly users: SignInUsers,
    private readonly writer: CredentialWriter,
    private readonly cloneAlarm: CloneAlarm,
    private readonly userIds: UserIds,
  ) {}

  /**
   * §7.2 steps 22–23. The statement that records the sign-in also checks that the credential is enabled and that its
   * counter rises. The unique key of the event checks that the ceremony was not completed before: a session store
   * that was restored from a backup returns ceremonies a second time.
   *
   * @returns the IDs of all of the user's credentials after the sign-in, including disabled ones
   */
  async record(
    rp: RelyingParty,
    pending: PendingAuthentication,
    credential: CredentialFacts,
    use: Omit<CredentialUse, 'anyCounter' | 'along'>,
  ): Promise<readonly Buffer[]> {
    const arrival = this.userIds.arrival(rp, pending);
    let binding = this.userIds.binding(rp, credential.userId, pending);
    let anyCounter = rp.policy.counter === 'off';
    for (;;) {
      let isLost = false;
      const onConnectionLost = () => {
        isLost = true;
      };
      const facts = { anyCounter, along: [...arrival, ...binding], onConnectionLost, ...use };
      const credentialIds = await this.writer.recordUse(rp, credential, facts);
      if (credentialIds) return credentialIds;
      await this.ensureNotCompleted(rp, use.ceremony);
      const stored = await this.users.asItIs(rp, credential);
      const isCounterTooLow = !anyCounter && !counterIncreased(stored.signCount, use.signCount);
      const binds = binding.length > 0;
      const obstacle = await this.obstacleOf(rp, pending, {
        stored,
        isCounterTooLow,
        isLost,
        binds,
      });
      switch (obstacle.kind) {
        case 'overtaken':
          throw new ApiError('E0052R', 'credential.overtaken');
        case 'refused': {
          const refusal = await this.refusalByRule(rp, stored, obstacle.code);
          await this.cloneAlarm.check(rp, stored, use.signCount);
          throw refusal;
        }
        case 'bound':
          binding = [];
          break;
        case 'counter':
          await this.cloneAlarm.raise(rp, credential);
          anyCounter = true;
          break;
        case 'ended':
          throw new ApiError('E0024R');
      }
    }
  }

  /**
   * Checks that the ceremony is not completed yet. If it is, its own sign-in raised the counter, which proves no clone.
   *
   * @throws ApiError E0024R
   */
  async ensureNotCompleted(rp: RelyingParty, ceremony: Buffer): Promise<void> {
    if (!(await this.writer.isCompleted(rp, ceremony))) return;
    throw new ApiError('E0024R', 'session.used');
  }

  /**
   * Finds out why an attempt stored nothing, although the ceremony is not completed and the key is enabled. The
   * statement does not say which of its conditions failed, so each is checked again.
   *
   * @throws ApiError E0001R if the user ID of the ceremony conflicts with another one in the meantime
   */
  private async obstacleOf(
    rp: RelyingParty,
    pending: PendingAuthentication,
    { stored, isCounterTooLow, isLost, binds }: FailedAttempt,
  ): Promise<Obstacle> {
    if (isLost && isCounterTooLow) return { kind: 'overtaken' };
    if (stored.refusedWith) return { kind: 'refused', code: stored.refusedWith };
    if (binds && (await this.userIds.isBound(rp, stored.userId, pending))) return { kind: 'bound' };
    return { kind: isCounterTooLow ? 'counter' : 'ended' };
  }

  /** Names the rule that the key breaks; the finding may have been closed in the meantime. */
  private async refusalByRule(
    rp: RelyingParty,
    credential: StoredCredential,
    code: Code,
  ): Promise<ApiError> {
    const rule = await this.users.ruleBrokenBy(rp, credential);
    if (rule === undefined) return new ApiError(code, 'credential.unproved');
    return new ApiError(code, 'rule.broken', { rule }, { detail: brokenRule(rule) });
  }
}
