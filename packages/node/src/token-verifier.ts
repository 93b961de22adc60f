import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';

/** What the token of a sign-in says (RFC 7519, RFC 8176; OpenID Connect Core §2). */
export interface PasskeyClaims extends JWTPayload {
  /** The user name. */
  sub: string;
  /** Your application's ID of the user, if it gave one. */
  user_id?: string;
  tenant: string;
  /** Fingerprint of the credential. */
  cred: string;
  /** The authenticator's model. */
  aaguid: string;
  /** When the user signed in: seconds since 1970. */
  auth_time: number;
  /** `hwk`, or `swk` of a synced key; `user`; `mfa` of a verified sign-in, by PIN or biometrics. */
  amr: string[];
  /** `phr`, or `phrh` of hardware that was attested. */
  acr: string;
  nonce?: string;
  /** SHA-256 of the transaction that the user agreed to, in Base64URL. */
  txn?: string;
}

/** What a sign-in must have been like. */
export interface Requirements {
  /** Seconds since the user signed in, at most. */
  maxAge?: number | undefined;
  /** `phrh` asks for attested hardware, `phr` is any key. */
  acr?: 'phr' | 'phrh' | undefined;
  /** All of these: `['mfa']` asks for a user who was verified. */
  amr?: readonly string[] | undefined;
  /** The nonce that the sign-in was begun with. */
  nonce?: string | undefined;
}

export interface VerifierSettings {
  /** Where the server is, for its keys at `/.well-known/jwks.json`. */
  baseUrl: string | URL;
  /** For whom tokens are: the relying party's domain, or an audience of its policy. */
  audience: string;
  /** The server's `--issuer`; `baseUrl` unless named. */
  issuer?: string;
  /** The clock; the machine's by default. */
  now?: () => Date;
}

/**
 * Why a token does not do: as RFC 6750 §3.1 and RFC 9470 §3 call it. With
 * `insufficient_user_authentication` the user has signed in, and may sign in again in a better way.
 */
export class TokenError extends Error {
  override readonly name = 'TokenError';

  constructor(
    readonly reason: 'invalid_token' | 'insufficient_user_authentication',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * The server's public keys cannot be read, so no token can be judged at the moment. Express answers the `status`
 * of an error unless the application has a handler of its own.
 */
export class KeysUnavailableError extends Error {
  override readonly name = 'KeysUnavailableError';
  readonly status = 503;

  constructor(cause: unknown) {
    super('The public keys of ServiceFido cannot be read.', { cause });
  }
}

/** For as long as the server lets its keys be kept: one that was revoked signs nothing after it. */
const KEYS_FRESH_MS = 60_000;
/** Seconds between clocks. */
const TOLERANCE = 5;
const ACR_RANK = ['phr', 'phrh'];
const REQUIRED = ['sub', 'iat', 'nbf', 'exp', 'jti', 'auth_time', 'amr', 'acr', 'cred'];

/**
 * Verifies the tokens of one relying party by the server's public keys, which it fetches when it meets
 * one that it does not know, and keeps for a minute. Make one and share it.
 */
export class TokenVerifier {
  readonly #keys: JWTVerifyGetKey;
  readonly #settings: VerifierSettings;
  readonly #issuer: string;

  constructor(settings: VerifierSettings) {
    const base = String(settings.baseUrl).replace(/\/+$/, '');
    this.#settings = settings;
    this.#issuer = settings.issuer ?? base;
    this.#keys = createRemoteJWKSet(new URL(`${base}/.well-known/jwks.json`), {
      cacheMaxAge: KEYS_FRESH_MS,
      cooldownDuration: KEYS_FRESH_MS / 4,
    });
  }

  /**
   * @returns the claims of a token that is genuine, in its time, for this audience and good enough
   * @throws TokenError when it is not; KeysUnavailableError when the server's keys cannot be read
   */
  async verify(token: string, requirements: Requirements = {}): Promise<PasskeyClaims> {
    const claims = await this.#claimsOf(token);
    const lacking = lackOf(claims, requirements, this.#now());
    if (lacking) throw new TokenError('insufficient_user_authentication', lacking);
    if (requirements.nonce !== undefined && claims.nonce !== requirements.nonce) {
      throw new TokenError('invalid_token', 'The token is of another sign-in: its nonce differs.');
    }
    return claims;
  }

  #now(): Date {
    return this.#settings.now?.() ?? new Date();
  }

  async #claimsOf(token: string): Promise<PasskeyClaims> {
    const now = this.#now();
    try {
      const { payload } = await jwtVerify<PasskeyClaims>(token, this.#keys, {
        issuer: this.#issuer,
        audience: this.#settings.audience,
        algorithms: ['ES256'],
        requiredClaims: REQUIRED,
        clockTolerance: TOLERANCE,
        currentDate: now,
      });
      return payload;
    } catch (cause) {
      if (!isOfToken(cause)) throw new KeysUnavailableError(cause);
      throw new TokenError('invalid_token', wordsOf(cause, now), { cause });
    }
  }
}

/** What is wrong with a token; where it is its time, the token's and that of this machine. */
function wordsOf(cause: Error, now: Date): string {
  const { claim, payload } = cause as Partial<errors.JWTExpired>;
  const time = claim === 'exp' || claim === 'nbf' || claim === 'iat' ? payload?.[claim] : undefined;
  if (typeof time !== 'number') return cause.message;
  return `${cause.message}: ${textOf(time)}, while this clock has ${now.toISOString()}`;
}

/** Seconds since 1970 in words. */
const textOf = (seconds: number) => new Date(seconds * 1000).toISOString();

/** Whether the token is at fault, and not the way to the keys. */
const isOfToken = (error: unknown): error is Error =>
  error instanceof errors.JWTExpired ||
  error instanceof errors.JWTClaimValidationFailed ||
  error instanceof errors.JWTInvalid ||
  error instanceof errors.JWSInvalid ||
  error instanceof errors.JWSSignatureVerificationFailed ||
  error instanceof errors.JOSEAlgNotAllowed ||
  error instanceof errors.JOSENotSupported ||
  error instanceof errors.JWKSNoMatchingKey ||
  // A token that does not name its key, while the server publishes two: ours always name theirs.
  error instanceof errors.JWKSMultipleMatchingKeys;

/** What the sign-in lacks, in words. */
function lackOf(claims: PasskeyClaims, { maxAge, acr, amr }: Requirements, now: Date) {
  const age = now.getTime() / 1000 - claims.auth_time;
  if (maxAge !== undefined && age > maxAge + TOLERANCE) {
    const then = textOf(claims.auth_time);
    return `The sign-in is too long ago: ${then}, while this clock has ${now.toISOString()}.`;
  }
  if (acr !== undefined && ACR_RANK.indexOf(claims.acr) < ACR_RANK.indexOf(acr)) {
    return 'The sign-in was not with such a key.';
  }
  const missing = amr?.filter((method) => !claims.amr.includes(method)) ?? [];
  return missing.length > 0 ? `The sign-in lacks: ${missing.join(', ')}.` : undefined;
}
