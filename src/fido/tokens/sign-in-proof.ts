import type { CredentialFacts } from '../../users/credentials/credential-reader.js';
import type { VerifiedAuthentication } from '../../webauthn/authentication.js';

interface UsedCredential {
  readonly credential: CredentialFacts;
  readonly authData: VerifiedAuthentication;
}

/** What a sign-in proves, in the words of tokens. */
export interface SignInProof {
  /** Authentication context class (OpenID Connect EAP ACR Values 1.0). */
  readonly acr: 'phr' | 'phrh';
  /** Authentication methods (RFC 8176). */
  readonly amr: readonly string[];
}

/**
 * The authentication context class that a sign-in reaches. `phrh` needs a key that attested hardware keeps: a synced
 * key leaves the hardware, whatever attested it. The assertion says whether the key can be synced: an imported key may
 * have no stored flag.
 */
export const acrOf = ({ credential, authData }: UsedCredential): SignInProof['acr'] =>
  credential.attestationTrusted && !authData.backupEligible ? 'phrh' : 'phr';

/**
 * What a sign-in proves, for every token about it.
 *
 * @param isVerified whether the key verified its user, and its user verification counts
 */
export const signInProofOf = (used: UsedCredential, isVerified: boolean): SignInProof => ({
  acr: acrOf(used),
  // A synced key is a software key, however it is protected.
  amr: [used.authData.backupEligible ? 'swk' : 'hwk', 'user', ...(isVerified ? ['mfa'] : [])],
});
