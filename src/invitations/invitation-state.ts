import type { Reason } from '../platform/errors/reasons.js';
import type { Invitation } from './invitation.entity.js';

/** After this many wrong names, an invitation counts as stolen. */
export const MAX_WRONG_NAMES = 10;
/**
 * The maximum number of registrations that may be begun for one key: prompts are cancelled and pages reloaded,
 * but not that often.
 */
export const MAX_BEGUN = 10;

export const INVITATION_STATES = [
  'open',
  'used',
  'expired',
  'revoked',
  'locked',
  'worn-out',
] as const;
export type InvitationState = (typeof INVITATION_STATES)[number];

/** The state of an invitation. Once its keys are registered, it is `used`, regardless of what ended it afterwards. */
export function invitationStateOf(invitation: Invitation, now: number): InvitationState {
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
