import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { BASE_URL_RULE, trimBaseUrl } from './base-url.js';
import {
  checkMembers,
  checkValue,
  functionRule,
  isNonEmptyText,
  mayBeUndefined,
  methodRule,
  textRule,
  type MemberRules,
} from './check-members.js';

/** Claims of the token of a sign-in (RFC 7519, RFC 8176, OpenID Connect Core §2). */
export interface PasskeyClaims extends JWTPayload {
  /** User name. */
  sub: string;
  /** Your application's permanent ID of the user (`userId`), if you set one. */
  user_id?: string;
  /** Short name of the tenant. */
  tenant: string;
  /** SHA-256 of the credential ID, in Base64URL. */
  cred: string;
  /** Model of the authenticator. */
  aaguid: string;
  /** Time of the sign-in, in seconds since 1970. */
  auth_time: number;
  /**
   * Authentication methods: `hwk`, or `swk` for a synced key; `user`; and `mfa` if the sign-in is verified (by PIN or
   * biometrics).
   */
  amr: string[];
  /** Authentication context class: `phrh` for attested hardware, else `phr`. */
  acr: string;
  /** `nonce` of the begin call. */
  nonce?: string;
  /** SHA-256 of the transaction that the user confirmed, in Base64URL. */
  txn?: string;
}

/**
 * Requirements for the sign-in of a token. An unknown or wrong member is a TypeError, as is one that is `undefined`: a
 * requirement that was meant would not apply.
 */
export interface Requirements {
  /** Maximum age of the sign-in in whole seconds. Default: no limit. */
  maxAge?: number;
  /** Required authentication context class. `phrh`: attested hardware; `phr`: any key. */
  acr?: 'phr' | 'phrh';
  /** Authentication methods, all of which are required. `['mfa']`: a verified sign-in. */
  amr?: readonly string[];
  /** `nonce` of the begin call. */
  nonce?: string;
  /**
   * SHA-256 of the transaction that the user must have confirmed, in Base64URL. Without it the token of a transaction
   * is refused: it proves consent, and is no sign-in.
   */
  txn?: string;
}

export interface VerifierSettings {
  /** Address of the server, which publishes its signing keys at `/.well-known/jwks.json`. */
  baseUrl: string | URL;
  /** Audience of the tokens: the relying party's domain, or one of its policy's `audiences`. */
  audience: string;
  /** Short name of the tenant whose tokens are accepted. Default: any tenant that may issue tokens for the audience. */
  tenant?: string;
  /** Issuer of the tokens (the server's `--issuer`). Default: `baseUrl`. */
  issuer?: string;
  /** Returns the current time. Default: the system clock. */
  now?: () => Date;
}

/**
 * Thrown if a token is invalid or does not meet the requirements. `reason` is the error code of RFC 6750 §3.1 or RFC
 * 9470 §3. With `insufficient_user_authentication` the token is valid, and another sign-in can meet the requirements.
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
 * Thrown if the server's public keys cannot be fetched, so that the token cannot be verified. Express answers with the
 * `status` of an error unless the application has its own error handler.
 */
export class KeysUnavailableError extends Error {
  override readonly name = 'KeysUnavailableError';
  readonly status = 503;

  constructor(cause: unknown) {
    super('The public keys of ServiceFido cannot be read.', { cause });
  }
}

/** The `max-age` of the server's published keys. A revoked key is accepted no longer than this. */
const KEYS_MAX_AGE_MS = 60_000;
/** Accepted difference between the clocks of the server and of this machine, in seconds. */
const CLOCK_TOLERANCE_S = 5;
const ACR_RANK = ['phr', 'phrh'];
const SETTINGS: MemberRules<VerifierSettings> = {
  baseUrl: BASE_URL_RULE,
  audience: {
    mustBe: 'the domain of the relying party',
    accepts: (value) => isNonEmptyText(value) || (isListOfTexts(value) && value.length > 0),
    presence: 'required',
  },
  tenant: textRule('the short name of the tenant'),
  issuer: mayBeUndefined(textRule("the server's --issuer")),
  now: mayBeUndefined(functionRule('a function that returns a Date')),
};
const REQUIREMENTS: MemberRules<Requirements> = {
  maxAge: {
    mustBe: 'a whole number of seconds, at least 0',
    accepts: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  },
  acr: { mustBe: "'phr' or 'phrh'", accepts: (value) => ACR_RANK.includes(value as string) },
  amr: { mustBe: "a list of authentication methods, for example ['mfa']", accepts: isListOfTexts },
  nonce: textRule('the `nonce` of the begin call'),
  txn: textRule('the SHA-256 of the transaction in Base64URL'),
};
const VERIFIER = methodRule('a TokenVerifier', 'verify');
const REQUIRED_CLAIMS = ['sub', 'iat', 'nbf', 'exp', 'jti', 'auth_time', 'amr', 'acr', 'cred'];

/**
 * Verifies tokens for one audience with the server's public keys. It fetches the keys when a token names an unknown
 * one, and caches them for a minute. Create one instance and share it.
 */
export class TokenVerifier {
  readonly #keys: JWTVerifyGetKey;
  readonly #settings: VerifierSettings;
  readonly #issuer: string;

  /**
   * @throws TypeError if a setting is unknown or wrong, without an audience, or with a tenant that is not set: the
   *   tokens of all tenants have one issuer and one set of keys, so those of other tenants would be accepted
   */
  constructor(settings: VerifierSettings) {
    checkMembers('settings', settings, SETTINGS);
    const base = trimBaseUrl(settings.baseUrl);
    this.#settings = settings;
    this.#issuer = settings.issuer ?? base;
    this.#keys = createRemoteJWKSet(new URL(`${base}/.well-known/jwks.json`), {
      cacheMaxAge: KEYS_MAX_AGE_MS,
      cooldownDuration: KEYS_MAX_AGE_MS / 4,
    });
  }

  /**
   * Verifies the signature, issuer, audience, tenant and times of a token, and the requirements for its sign-in. Clocks may
   * differ by five seconds.
   *
   * @returns the claims of the token
   * @throws TokenError if the token is invalid or does not meet the requirements
   * @throws KeysUnavailableError if the server's public keys cannot be fetched
   * @throws TypeError if a requirement is unknown or wrong
   */
  async verify(token: string, requirements: Requirements = {}): Promise<PasskeyClaims> {
    checkMembers('requirements', requirements, REQUIREMENTS);
    const claims = await this.#verifiedClaims(token);
    const { tenant } = this.#settings;
    if (tenant !== undefined && claims.tenant !== tenant) {
      throw new TokenError('invalid_token', 'The token is of another tenant.');
    }
    if (requirements.nonce !== undefined && claims.nonce !== requirements.nonce) {
      throw new TokenError('invalid_token', 'The token is of another sign-in: its nonce differs.');
    }
    if (claims.txn !== requirements.txn) {
      const what =
        requirements.txn === undefined
          ? 'a transaction, not a sign-in'
          : 'another transaction, or for none';
      throw new TokenError('invalid_token', `The token is for ${what}.`);
    }
    // Last: its error tells the caller that the token is valid.
    const unmet = unmetRequirement(claims, requirements, this.#now());
    if (unmet) throw new TokenError('insufficient_user_authentication', unmet);
    return claims;
  }

  #now(): Date {
    return this.#settings.now?.() ?? new Date();
  }

  async #verifiedClaims(token: string): Promise<PasskeyClaims> {
    const claims = await this.#signedClaims(token);
    // No age could be told, and no requirement on it would refuse the token.
    if (typeof claims.auth_time !== 'number') {
      throw new TokenError('invalid_token', '"auth_time" claim must be a number');
    }
    return claims;
  }

  async #signedClaims(token: string): Promise<PasskeyClaims> {
    const now = this.#now();
    try {
      const { payload } = await jwtVerify<PasskeyClaims>(token, this.#keys, {
        issuer: this.#issuer,
        audience: this.#settings.audience,
        algorithms: ['ES256'],
        requiredClaims: REQUIRED_CLAIMS,
        clockTolerance: CLOCK_TOLERANCE_S,
        currentDate: now,
      });
      return payload;
    } catch (cause) {
      if (!isAboutToken(cause)) throw new KeysUnavailableError(cause);
      const expected = { iss: this.#issuer, aud: this.#settings.audience };
      throw new TokenError('invalid_token', messageOf(cause, now, expected), { cause });
    }
  }
}

/** Throws a TypeError if the arguments of a guard are wrong, so that it is not made. */
export function checkGuard(verifier: unknown, requirements: unknown): void {
  checkValue('"verifier"', verifier, VERIFIER);
  checkMembers('requirements', requirements, REQUIREMENTS);
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isNonEmptyText);
}

/**
 * Returns an error message. If a time claim failed, it names the time of the claim and of this machine's clock; for
 * issuer and audience the value of the claim and the expected one. The signature was verified before.
 */
function messageOf(cause: Error, now: Date, expected: { iss: string; aud: string }): string {
  const { claim, payload } = cause as Partial<errors.JWTExpired>;
  if (claim === 'iss' || claim === 'aud') {
    const found = JSON.stringify(payload?.[claim]);
    return `${cause.message}: ${found}, while this verifier expects ${JSON.stringify(expected[claim])}`;
  }
  const time = claim === 'exp' || claim === 'nbf' || claim === 'iat' ? payload?.[claim] : undefined;
  if (typeof time !== 'number') return cause.message;
  return `${cause.message}: ${isoTime(time)}, while this clock has ${now.toISOString()}`;
}

/** Formats seconds since 1970 as ISO 8601. */
const isoTime = (seconds: number) => new Date(seconds * 1000).toISOString();

/** Whether the error is about the token. Other errors mean that the keys could not be fetched. */
const isAboutToken = (error: unknown): error is Error =>
  error instanceof errors.JWTExpired ||
  error instanceof errors.JWTClaimValidationFailed ||
  error instanceof errors.JWTInvalid ||
  error instanceof errors.JWSInvalid ||
  error instanceof errors.JWSSignatureVerificationFailed ||
  error instanceof errors.JOSEAlgNotAllowed ||
  error instanceof errors.JOSENotSupported ||
  error instanceof errors.JWKSNoMatchingKey ||
  // The token has no key ID and the server publishes two keys. Tokens of ServiceFido always have a key ID.
  error instanceof errors.JWKSMultipleMatchingKeys;

/** Returns a sentence about the first requirement that the sign-in does not meet, or `undefined`. */
function unmetRequirement(claims: PasskeyClaims, { maxAge, acr, amr }: Requirements, now: Date) {
  const age = now.getTime() / 1000 - claims.auth_time;
  if (maxAge !== undefined && age > maxAge + CLOCK_TOLERANCE_S) {
    const signInTime = isoTime(claims.auth_time);
    return `The sign-in is too long ago: ${signInTime}, while this clock has ${now.toISOString()}.`;
  }
  if (acr !== undefined && ACR_RANK.indexOf(claims.acr) < ACR_RANK.indexOf(acr)) {
    return 'The sign-in was not with such a key.';
  }
  const missing = amr?.filter((method) => !claims.amr.includes(method)) ?? [];
  return missing.length > 0 ? `The sign-in lacks: ${missing.join(', ')}.` : undefined;
}
