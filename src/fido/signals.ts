import type { KnownUser } from '../users/credentials/credential-reader.js';
import type { RelyingParty } from '../tenancy/relying-party.js';

interface SignalledUser extends Pick<KnownUser, 'userHandle' | 'username' | 'displayName'> {
  /** IDs of all of the user's credentials: browsers permanently delete those that are not listed. */
  readonly credentialIds: readonly Buffer[];
}

/**
 * Arguments for the browser's Signal API (W3C WebAuthn L3 §5.1.10): the user's names and passkeys. Disabled ones
 * are included, since disabling can be undone, and so are those deleted on a page less than a day ago.
 */
export const signalsOf = (rp: RelyingParty, user: SignalledUser) => ({
  rpId: rp.domain,
  userId: user.userHandle.toString('base64url'),
  allAcceptedCredentialIds: user.credentialIds.map((id) => id.toString('base64url')),
  name: user.username,
  displayName: user.displayName,
});
