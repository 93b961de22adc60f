import type { RelyingParty } from '../tenancy/relying-party.js';

/** A user, and what the user's authenticators may hold. */
interface Signalled {
  readonly userHandle: Buffer;
  readonly username: string;
  readonly displayName: string;
  /** Of all of the user's credentials: browsers delete what is not listed, for good. */
  readonly credentialIds: readonly Buffer[];
}

/**
 * What a page tells the browser's Signal API of a user (W3C WebAuthn L3 §5.1.10): the passkeys that there
 * are, disabled ones too, since disabling can be undone, as can a deletion on a page for a day, and what the
 * user is called.
 */
export const signalsOf = (rp: RelyingParty, user: Signalled) => ({
  rpId: rp.domain,
  userId: user.userHandle.toString('base64url'),
  allAcceptedCredentialIds: user.credentialIds.map((id) => id.toString('base64url')),
  name: user.username,
  displayName: user.displayName,
});
