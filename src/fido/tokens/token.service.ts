import { Inject, Injectable } from '@nestjs/common';
import { JwtService, type JwtVerifyOptions } from '@nestjs/jwt';
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

/** The algorithm is fixed, so that a token cannot choose its own. `TokenService.problemIn` checks the times. */
const VERIFY_OPTIONS: JwtVerifyOptions = {
  algorithms: ['ES256'],
  ignoreExpiration: true,
  ignoreNotBefore: true,
};

/** Claims of a token that one of our keys signed. Only the times and that there is a `cred` are certain. */
interface Claims extends Readonly<
  Record<'iss' | 'sub' | 'aud' | 'amr' | 'tenant' | 'txn' | 'cred', unknown>
> {
  readonly iat: number;
  readonly nbf: number;
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

type ExaminedToken =
  | { readonly isValid: true; readonly signIn: TokenSignIn }
  | { readonly isValid: false; readonly problem?: Problem | undefined };

/** Issues and reads the JWT of a successful assertion (RFC 7519, ES256 of RFC 7518 §3.4). */
@Injectable()
export class TokenService {
  private readonly issuer: string;
  private readonly jwt = new JwtService({
    // The claims object is created for the token alone and need not be copied.
    signOptions: { algorithm: 'ES256', mutatePayload: true },
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
    const { kid, privateKey } = this.keys.current;
    return this.jwt.sign(claims, { keyid: kid, privateKey });
  }

  /**
   * Reads a token of a sign-in at this relying party that has not expired. Does not check whether the user
   * and the credential still exist.
   *
   * @returns `undefined` if the token is not ours, lacks a claim, or is not for this relying party
   */
  async read(token: string, rp: RelyingParty): Promise<TokenSignIn | undefined> {
    const examined = await this.examine(token, rp);
    return examined.isValid ? examined.signIn : undefined;
  }

  /**
   * Why a genuine token is not valid here or now: names its issuer, audience or time, and ours.
   *
   * @returns `undefined` if none of them is the reason
   */
  async problemOf(token: string, rp: RelyingParty): Promise<Problem | undefined> {
    const examined = await this.examine(token, rp);
    return examined.isValid ? undefined : examined.problem;
  }

  /** Whether a token names a signing key of this server. Nothing else is certain about it. */
  namesOwnKey(token: string): boolean {
    return this.keys.find(this.kidOf(token)) !== undefined;
  }

  private async examine(token: string, rp: RelyingParty): Promise<ExaminedToken> {
    const claims = await this.genuineClaims(token);
    if (!claims) return { isValid: false };
    const now = Math.floor(this.clock.now() / 1000);
    const fault = this.problemIn(claims, rp, now);
    if (fault) return { isValid: false, problem: fault };
    // The age is limited regardless of `exp`, since a stolen key may have signed it.
    const isOld = now - claims.iat > this.options.jwtTtl + GRACE;
    if (isOld || claims.tenant !== rp.tenant) return { isValid: false };
    return { isValid: true, signIn: signInOf(claims, now) };
  }

  /** @returns `undefined` if none of our keys signed the token, or if it lacks a claim */
  private async genuineClaims(token: string): Promise<Claims | undefined> {
    // Read from the database, since the key may have been revoked a moment ago.
    const key = await this.keys.findNow(this.kidOf(token));
    if (!key) return undefined;
    try {
      const jwt = new JwtService({ publicKey: key.publicKey, verifyOptions: VERIFY_OPTIONS });
      const claims = jwt.verify<Partial<Claims>>(token);
      return isComplete(claims) ? claims : undefined;
    } catch {
      return undefined;
    }
  }

  private problemIn(claims: Claims, { domain }: RelyingParty, now: number): Problem | undefined {
    const { iss, aud, iat, nbf, exp } = claims;
    const from = Math.max(iat, nbf);
    const nowText = isoText(now);
    if (iss !== this.issuer) {
      return problem('token.issuer', { issuer: String(iss), ours: this.issuer });
    }
    if (![aud].flat().includes(domain)) {
      return problem('token.audience', { audience: String(aud), ours: domain });
    }
    if (from > now + LEEWAY) {
      return problem('token.early', { from: isoText(from), now: nowText });
    }
    if (exp + LEEWAY <= now) {
      return problem('token.expired', { until: isoText(exp), now: nowText });
    }
    return undefined;
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

/** Whether a token has the times and the credential that every token of ours has. */
const isComplete = (claims: Partial<Claims>): claims is Claims =>
  [claims.iat, claims.nbf, claims.exp].every(isTime) && claims.cred !== undefined;

/** Whether a claim is a time that `Date` can represent. */
const isTime = (claim: unknown): boolean =>
  typeof claim === 'number' && !Number.isNaN(new Date(claim * 1000).getTime());

/** Formats seconds since 1970. */
const isoText = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace('.000', '');

/** Maps the claims, after signature, issuer, tenant and times have been checked. */
function signInOf({ sub, cred, aud, amr, iat, txn }: Claims, now: number): TokenSignIn {
  const hasOneAudience = [aud].flat().length === 1;
  const verified = Array.isArray(amr) && amr.includes('mfa');
  const fresh = now - iat <= MAX_AUTHORITY_AGE;
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
