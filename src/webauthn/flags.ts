import { FLAG, hasFlag } from './authenticator-data.js';
import { ensure } from './failure.js';

/** What a ceremony demands of its user. */
interface FlagExpectation {
  readonly userVerificationRequired: boolean;
  /**
   * Whether the UP flag may be missing: only in a registration without a prompt (WebAuthn L3 §7.1 step 15).
   */
  readonly presenceWaived?: boolean;
}

/** Checks the flags of both ceremonies (WebAuthn L3 §7.1 steps 15–17, §7.2 steps 16–18). */
export function checkFlags(flags: number, expected: FlagExpectation): void {
  const present = expected.presenceWaived === true || hasFlag(flags, FLAG.userPresent);
  ensure(present, 'user-not-present');
  const verified = !expected.userVerificationRequired || hasFlag(flags, FLAG.userVerified);
  ensure(verified, 'user-not-verified');
  const consistent = hasFlag(flags, FLAG.backupEligible) || !hasFlag(flags, FLAG.backedUp);
  ensure(consistent, 'backup-flags-inconsistent');
}
