import type { RelyingParty } from '../tenancy/relying-party.js';
import type { InvitationView } from './invitation.answer.js';
import { stateOf } from './invitation-state.js';
import type { Invitation } from './invitation.entity.js';

/** An invitation as it stands now. */
export const invitationView = (
  rp: RelyingParty,
  invitation: Invitation,
  now: number,
): InvitationView => ({
  id: invitation.id.toString('base64url'),
  username: invitation.username,
  relyingParty: rp.domain,
  state: stateOf(invitation, now),
  minKeys: invitation.minKeys,
  keys: invitation.keysMade,
  issuedBy: invitation.issuedBy,
  issuedAt: new Date(invitation.issuedAt).toISOString(),
  expiresAt: new Date(invitation.expiresAt).toISOString(),
});
