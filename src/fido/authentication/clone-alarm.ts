import { Injectable } from '@nestjs/common';
import type {
  CredentialFacts,
  StoredCredential,
} from '../../users/credentials/credential-reader.js';
import { CredentialWriter } from '../../users/credentials/credential-writer.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { counterIncreased } from '../../webauthn/authentication.js';

/**
 * The alarm if the sign count of an assertion did not rise, as the policy `counter` demands: the key may have been
 * cloned (W3C WebAuthn L3 §7.2 step 22).
 */
@Injectable()
export class CloneAlarm {
  constructor(private readonly writer: CredentialWriter) {}

  /**
   * Raises the alarm before a sign-in is refused for another reason, if the count did not rise and the policy does
   * not ignore it.
   *
   * @throws ApiError E0035R unless the policy only warns
   */
  async check(rp: RelyingParty, stored: StoredCredential, signCount: number): Promise<void> {
    const rises = rp.policy.counter === 'off' || counterIncreased(stored.signCount, signCount);
    if (!rises) await this.raise(rp, stored);
  }

  /**
   * Records that the count did not rise, and disables the key if the policy says so.
   *
   * @throws ApiError E0035R unless the policy only warns
   */
  async raise(rp: RelyingParty, credential: CredentialFacts): Promise<void> {
    const { counter } = rp.policy;
    await this.writer.recordCloneAlarm(rp, credential, counter === 'disable');
    if (counter !== 'warn') throw new ApiError('E0035R');
  }
}
