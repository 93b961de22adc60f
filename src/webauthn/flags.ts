import { FLAG, hasFlag } from './authenticator-data.js';
import { ensure } from './failure.js';

/** Checks the flags of both ceremonies (WebAuthn L3 §7.1 steps 15–17, §7.2 steps 16–18). */
export function checkFlags(flags: number, userVerificationRequired: boolean): void {
  ensure(hasFlag(flags, FLAG.userPresent), 'user-not-present');
  const verified = !userVerificationRequired || hasFlag(flags, FLAG.userVerified);
  ensure(verified, 'user-not-verified');
  const consistent = hasFlag(flags, FLAG.backupEligible) || !hasFlag(flags, FLAG.backedUp);
  ensure(consistent, 'backup-flags-inconsistent');
}
