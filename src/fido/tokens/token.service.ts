import { Inject, Injectable } from '@nestjs/common';
import { JwtSecretRequestType, JwtService } from '@nestjs/jwt';
import { issuerOf } from '../../platform/config/base-address.js';
import { Clock } from '../../platform/common/clock.js';
import { serverOptions, type ServerOptions } from '../../platform/config/server-config.js';
import { problem, type Problem } from '../../platform/errors/reasons.js';
import type { CredentialFacts } from '../../users/credentials/credential-reader.js';
import { randomText } from '../../platform/common/random.js';
import { receiverOf, type KeyDomain, type RelyingParty } from '../../tenancy/relying-party.js';
import { aaguidText } from '../../webauthn/aaguid.js';
import type { VerifiedAuthentication } from '../../webauthn/authentication.js';
import type { RequestedClaims } from '../ceremonies/ceremony.js';
import { SigningKeys } from './signing-keys.js';

/** Maximum age of a sign-in, in seconds, for its token to act as an authority. */
const MAX_AUTHORITY_AGE = 300;
/** Seconds that a token may exceed its lifetime, since clocks differ. */
const GRACE = 60;
/** Seconds by which the clocks of two instances may differ. */
const LEEWAY = 5;

/** Claims of a token. Nothing is certain about them except that one of our keys signed them. */
type Claims = Readonly<
  Partial<Record<'sub' | 'aud' | 'amr' | 'tenant' | 'txn' | 'cred' | 'iat' | 'exp', unknown>>
>;

/** Claims that `TokenService` gives every token. */
interface IssuedClaims {
  readonly iss: string;
  readonly aud: string;
  readonly iat: number;
  readonly exp: number;
}

interface UsedCredential {
  readonly credential: CredentialFacts;
  readonly verified: VerifiedAuthentication;
}

/** What a sign-in proves, in the words of tokens. */
export interface SignInProof {
  /** Authentication context class (OpenID Connect EAP ACR Values 1.0). */
  readonly acr: 'phr' | 'phrh';
  /** Authentication methods (RFC 8176). */
  readonly amr: readonly string[];
}

interface VerifiedSignIn {
  readonly credential: CredentialFacts;
  readonly proof: SignInProof;
  /** The user's ID at the customer's own application. */
  readonly subject?: string | undefined;
  readonly requestedClaims?: RequestedClaims | undefined;
  /** ID of the receipt, if there is one; becomes the `jti`. */
  readonly receiptId?: Buffer | undefined;
}

export interface TokenSignIn {
  readonly username: string;
  readonly credentialHash: Buffer;
  /** Whether its bearer may make changes: no other audience, fresh, and with user verification. */
  readonly isAuthority: boolean;
}

/** Issues and reads the JWT of a successful assertion (RFC 7519, ES256 of RFC 7518 §3.4). */
@Injectable()
export class TokenService {
  private readonly issuer: string;
  /** Signs and verifies with a single algorithm, so that a token cannot choose its own. */
  private readonly jwt = new JwtService({
    // The claims object is created for the token alone and need not be copied.
    signOptions: { algorithm: 'ES256', mutatePayload: true },
    verifyOptions: { algorithms: ['ES256'] },
    secretOrKeyProvider: (request, token) => {
      if (request === JwtSecretRequestType.SIGN) return this.keys.current.privateKey;
      const key = this.keys.find(this.kidOf(String(token)));
      if (!key) throw new Error('The token names none of our keys.');
      return key.publicKey;
    },
  });

  constructor(
    private readonly keys: SigningKeys,
    private readonly clock: Clock,
    @Inject(serverOptions.KEY) private readonly options: ServerOptions,
  ) {
    this.issuer = issuerOf(options);
  }

  /** The token of a sign-in, if tokens are switched on. */
  tokenOf(rp: KeyDomain, signIn: VerifiedSignIn): { readonly token?: string } {
    return this.options.jwt ? { token: this.issue(rp, signIn) } : {};
  }

  private issue(rp: KeyDomain, signIn: VerifiedSignIn): string {
    const { credential, proof, subject, requestedClaims, receiptId } = signIn;
    const now = Math.floor(this.clock.now() / 1000);
    const claims = {
      iss: this.issuer,
      sub: credential.username,
      aud: requestedClaims?.audience ?? receiverOf(rp).domain,
      iat: now,
      nbf: now,
      exp: now + this.options.jwtTtl,
      jti: receiptId?.toString('base64url') ?? randomText(16),
      auth_time: now,
      amr: proof.amr,
      acr: requestedClaims?.acr ?? proof.acr,
      tenant: rp.tenant,
      cred: credential.credentialHash.toString('base64url'),
      aaguid: aaguidText(credential.aaguid),
      ...(subject !== undefined && { user_id: subject }),
      ...(requestedClaims?.nonce !== undefined && { nonce: requestedClaims.nonce }),
      ...(requestedClaims?.txn !== undefined && { txn: requestedClaims.txn }),
    };
    return this.jwt.sign(claims, { keyid: this.keys.current.kid });
  }

  /**
   * Reads a token of a sign-in at this relying party that has not expired. Does not check whether the user
   * and the credential still exist.
   *
   * @returns `undefined` if the token is not ours, lacks a claim, or is not for this relying party
   */
  async read(token: string, rp: RelyingParty): Promise<TokenSignIn | undefined> {
    // Read from the database, since the key may have been revoked a moment ago.
    if (!(await this.keys.findNow(this.kidOf(token)))) return undefined;
    const now = Math.floor(this.clock.now() / 1000);
    try {
      const claims = this.jwt.verify<Claims>(token, {
        issuer: this.issuer,
        audience: rp.domain,
        clockTimestamp: now,
        clockTolerance: LEEWAY,
      });
      return this.hasRequiredClaims(claims, now) && claims.tenant === rp.tenant
        ? signedIn(claims, now)
        : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * Why a genuine token is not valid here or now: names its issuer, audience or time, and ours.
   *
   * @returns `undefined` if none of them is the reason
   */
  async problemOf(token: string, rp: RelyingParty): Promise<Problem | undefined> {
    if (!(await this.keys.findNow(this.kidOf(token)))) return undefined;
    const now = Math.floor(this.clock.now() / 1000);
    try {
      const { iss, aud, iat, exp } = this.jwt.verify<IssuedClaims>(token, {
        ignoreExpiration: true,
        ignoreNotBefore: true,
      });
      if (iss !== this.issuer) return problem('token.issuer', { issuer: iss, ours: this.issuer });
      if (aud !== rp.domain) return problem('token.audience', { audience: aud, ours: rp.domain });
      const nowText = isoText(now);
      if (iat > now + LEEWAY) return problem('token.early', { from: isoText(iat), now: nowText });
      const isOver = exp + LEEWAY <= now;
      return isOver ? problem('token.expired', { until: isoText(exp), now: nowText }) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Whether a token names a signing key of this server. Nothing else is certain about it. */
  namesOwnKey(token: string): boolean {
    return this.keys.find(this.kidOf(token)) !== undefined;
  }

  /** `jsonwebtoken` checks only the times that are present; here they and the credential are required. */
  private hasRequiredClaims({ iat, exp, cred }: Claims, now: number): boolean {
    if (typeof exp !== 'number' || typeof iat !== 'number' || cred === undefined) return false;
    // The age is limited regardless of `exp`, since a stolen key may have signed it.
    return iat <= now + LEEWAY && now - iat <= this.options.jwtTtl + GRACE;
  }

  /** The `kid` in a token's header, which is not verified yet; the rest of the token may be malformed. */
  private kidOf(token: string): string | undefined {
    try {
      const [header = ''] = token.split('.', 1);
      return (JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid?: string }).kid;
    } catch {
      return undefined;
    }
  }
}

/** Formats seconds since 1970. */
const isoText = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace('.000', '');

/** Maps the claims, after signature, issuer, tenant and times have been checked. */
function signedIn({ sub, cred, aud, amr, iat, txn }: Claims, now: number): TokenSignIn {
  const hasOneAudience = [aud].flat().length === 1;
  const verified = Array.isArray(amr) && amr.includes('mfa');
  const fresh = now - Number(iat) <= MAX_AUTHORITY_AGE;
  return {
    username: String(sub),
    credentialHash: Buffer.from(String(cred), 'base64url'),
    // A token for a transaction proves the consent to it, and nothing else.
    isAuthority: hasOneAudience && verified && fresh && txn === undefined,
  };
}

/**
 * The authentication context class that a sign-in reaches. `phrh` needs a key that attested hardware keeps: a synced
 * key leaves the hardware, whatever attested it. The assertion says whether the key can be synced: an imported key may
 * have no stored flag.
 */
export const acrOf = ({ credential, verified }: UsedCredential): SignInProof['acr'] =>
  credential.attestationTrusted && !verified.backupEligible ? 'phrh' : 'phr';

/**
 * What a sign-in proves, for every token about it.
 *
 * @param isVerified whether the key verified its user, and its user verification counts
 */
export const signInProofOf = (used: UsedCredential, isVerified: boolean): SignInProof => ({
  acr: acrOf(used),
  // A synced key is a software key, however it is protected.
  amr: [used.verified.backupEligible ? 'swk' : 'hwk', 'user', ...(isVerified ? ['mfa'] : [])],
});
