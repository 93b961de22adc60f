import type { Reason } from '../platform/errors/reasons.js';
import type { Invitation } from './invitation.entity.js';

/** An invitation followed so often with a wrong name is in somebody else's hands. */
export const MAX_WRONG_NAMES = 10;
/** Registrations that may be begun for one key: prompts are cancelled and pages reloaded, but not so often. */
export const MAX_BEGUN = 10;

export const STATES = ['open', 'used', 'expired', 'revoked', 'locked', 'worn-out'] as const;
export type InvitationState = (typeof STATES)[number];

type Facts = Pick<
  Invitation,
  'endedAt' | 'minKeys' | 'keysMade' | 'wrongNames' | 'begun' | 'expiresAt'
>;

/** The state of an invitation. Where its keys are registered, it is `used`, whatever ended it afterwards. */
export function stateOf(invitation: Facts, now: number): InvitationState {
  if (invitation.keysMade >= invitation.minKeys) return 'used';
  if (invitation.endedAt !== null) return 'revoked';
  if (invitation.wrongNames >= MAX_WRONG_NAMES) return 'locked';
  if (invitation.expiresAt <= now) return 'expired';
  return invitation.begun >= MAX_BEGUN ? 'worn-out' : 'open';
}

/** Why the link of an invitation no longer works. */
export const STATE_REASONS = {
  used: 'invitation.used',
  expired: 'invitation.expired',
  revoked: 'invitation.revoked',
  locked: 'invitation.locked',
  'worn-out': 'invitation.wornOut',
} as const satisfies Readonly<Record<Exclude<InvitationState, 'open'>, Reason>>;
