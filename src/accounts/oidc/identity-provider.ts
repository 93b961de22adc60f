import { Injectable } from '@nestjs/common';
import { errors, jwtVerify, type JWTPayload } from 'jose';
import {
  AuthorizationResponseError,
  ResponseBodyError,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  fetchUserInfo,
  refreshTokenGrant,
  type TokenEndpointResponse,
  type TokenEndpointResponseHelpers,
} from 'openid-client';
import { SECOND_MS } from '../../platform/common/durations.js';
import { ConsoleOidc } from '../../platform/config/files/console-oidc-file.js';
import { isObject } from '../../platform/validation/field-validator.js';
import { ProviderDiscovery } from './provider-discovery.js';

/** How far the provider's clock may be away from ours. */
const TOLERANCE_SECONDS = 30;
/** How old a logout token may be; its `jti` is remembered for longer. */
export const LOGOUT_TOKEN_SECONDS = 300;
/** How long after the user's authentication at the provider the console asks for another one: a working day. */
const MAX_AGE_SECONDS = 12 * 60 * 60;
/** Signatures with public keys: a secret that the provider shares signs nothing. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
/** OpenID Connect Core 1.0 §2: at most 255 ASCII characters. MySQL ignores blanks at the end. */
const SUBJECT = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;
/** OpenID Connect Back-Channel Logout 1.0 §2.4. */
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** The values that bind an answer of the provider to the request of this browser. */
export interface RequestBinding {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** What the provider says about a user who signs in, or whose tokens were renewed. */
export interface ProviderAnswer {
  readonly subject: string;
  readonly groups: readonly string[];
  /** Of the ID token, which is signed. */
  readonly claims: JWTPayload;
  /** The same, with those of the userinfo endpoint if it was asked. */
  readonly profile: JWTPayload;
  readonly refreshToken: string | undefined;
}

/** Whose sessions a logout token ends. */
export interface ProviderLogout {
  readonly id: string;
  readonly subject: string | undefined;
  readonly sid: string | undefined;
}

type ProviderTokens = TokenEndpointResponse & TokenEndpointResponseHelpers;

/** The OpenID provider of `--console-oidc` (OpenID Connect Core 1.0). */
@Injectable()
export class IdentityProvider {
  private readonly discovery = new ProviderDiscovery(this.settings);
  private readonly redirectUri = `${this.settings.address}/console/oidc/callback`;

  constructor(private readonly settings: ConsoleOidc) {}

  /**
   * The address to which the browser is sent (§3.1.2.1).
   *
   * @param again whether the user must authenticate now, whatever session the provider has
   */
  async authorizationUrl(
    { state, nonce, verifier }: RequestBinding,
    again: boolean,
  ): Promise<string> {
    const { configuration } = await this.discovery.read();
    const { scopes, groups, proofs } = this.settings;
    const asksFactor = proofs.acr.length > 0 && groups.some(({ secondFactor }) => secondFactor);
    return buildAuthorizationUrl(configuration, {
      redirect_uri: this.redirectUri,
      scope: scopes.join(' '),
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      // With it, the answer says when the user authenticated.
      max_age: `${again ? 0 : MAX_AGE_SECONDS}`,
      ...(again && { prompt: 'login' }),
      ...(asksFactor && { acr_values: proofs.acr.join(' ') }),
    }).href;
  }

  /**
   * Exchanges the code of a callback for the facts about the user (§3.1.3), and checks the answer and the ID token.
   *
   * @param query of the callback
   * @throws Error of openid-client or jose
   */
  async exchange(query: string, binding: RequestBinding): Promise<ProviderAnswer> {
    const { configuration } = await this.discovery.read();
    const tokens = await authorizationCodeGrant(
      configuration,
      new URL(`${this.redirectUri}${query}`),
      {
        expectedState: binding.state,
        expectedNonce: binding.nonce,
        pkceCodeVerifier: binding.verifier,
        idTokenExpected: true,
      },
    );
    return this.answerOf(tokens);
  }

  /**
   * Asks for tokens again. The provider may accept this refresh token never again, whatever follows.
   *
   * @throws Error of openid-client; see `isRefusal`
   */
  async refresh(refreshToken: string): Promise<ProviderTokens> {
    const { configuration } = await this.discovery.read();
    return refreshTokenGrant(configuration, refreshToken);
  }

  /**
   * Reads from tokens what the provider says about the user.
   *
   * @param renewedFor the user for whom the tokens were asked for again (§12.2)
   * @throws Error of openid-client or jose
   */
  async answerOf(tokens: ProviderTokens, renewedFor?: string): Promise<ProviderAnswer> {
    const claims = tokens.id_token === undefined ? {} : await this.verified(tokens.id_token);
    const subject = claims.sub ?? renewedFor;
    if (subject === undefined || (renewedFor !== undefined && renewedFor !== subject))
      throw new Error('the tokens are about another user');
    if (!isSubject(subject)) throw new Error('the subject is not valid');
    const profile = await this.withUserInfo(claims, tokens, subject);
    return {
      subject,
      groups: textsOfClaim(profile[this.settings.claims.groups]),
      claims,
      profile,
      refreshToken: tokens.refresh_token,
    };
  }

  /**
   * Whether the user authenticated as recently as `authorizationUrl` asked (§3.1.3.7). A provider that does not say when
   * is taken at its word, unless the user had to authenticate again.
   *
   * @param askedAt when the browser left for the provider, in milliseconds since 1970
   */
  isRecentEnough({ claims }: ProviderAnswer, askedAt: number, again: boolean): boolean {
    const authenticatedAt = authTimeOf(claims);
    if (authenticatedAt === undefined) return !again;
    const maxAge = (again ? 0 : MAX_AGE_SECONDS) + TOLERANCE_SECONDS;
    return authenticatedAt >= askedAt - maxAge * SECOND_MS;
  }

  /**
   * Verifies a logout token (OpenID Connect Back-Channel Logout 1.0 §2.6), except that its `jti` is new.
   *
   * @throws Error if it is not valid
   */
  async logoutOf(token: string): Promise<ProviderLogout> {
    const { keys } = await this.discovery.read();
    const { payload } = await jwtVerify(token, keys, {
      ...this.expected,
      maxTokenAge: LOGOUT_TOKEN_SECONDS,
      requiredClaims: ['jti', 'events'],
    });
    const { jti, sub, sid, events, nonce } = payload;
    if (nonce !== undefined) throw new Error('a logout token has no nonce');
    if (!isObject(events) || !isObject(events[LOGOUT_EVENT]))
      throw new Error('it is no logout token');
    const session = typeof sid === 'string' ? sid : undefined;
    if (sub === undefined && session === undefined) throw new Error('it names nobody');
    if (sub !== undefined && !isSubject(sub)) throw new Error('the subject is not valid');
    return { id: String(jti), subject: sub, sid: session };
  }

  private get expected() {
    const { issuer, client } = this.settings;
    return {
      issuer,
      audience: client.id,
      algorithms: ALGORITHMS,
      clockTolerance: TOLERANCE_SECONDS,
    };
  }

  /** Many providers put groups into the answer of the userinfo endpoint only. */
  private async withUserInfo(
    claims: JWTPayload,
    { access_token }: ProviderTokens,
    subject: string,
  ): Promise<JWTPayload> {
    const { configuration } = await this.discovery.read();
    const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined;
    if (claims[this.settings.claims.groups] !== undefined || !hasMore) return claims;
    return { ...(await fetchUserInfo(configuration, access_token, subject)), ...claims };
  }

  /** openid-client has checked the claims. The signature proves that the provider issued them. */
  private async verified(idToken: string): Promise<JWTPayload> {
    const { keys } = await this.discovery.read();
    const verify = async () => (await jwtVerify(idToken, keys, this.expected)).payload;
    try {
      return await verify();
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      // The provider has new keys.
      await keys.reload();
      return verify();
    }
  }
}

/** jose does not check the type of `sub`. */
const isSubject = (claim: unknown): boolean => typeof claim === 'string' && SUBJECT.test(claim);

/** Whether the provider has answered that it does not vouch for the user, or for this client. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof AuthorizationResponseError ||
  (error instanceof ResponseBodyError && error.status < 500 && error.status !== 429);

/** Whether the provider did not answer, or only with a fault of its own. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof ResponseBodyError) return !isRefusal(error);
  const { name, code, cause } = error as Error & { readonly code?: unknown };
  if (cause instanceof Response) return cause.status >= 500 || cause.status === 429;
  return name === 'TypeError' || code === 'OAUTH_TIMEOUT' || code === 'ERR_JWKS_TIMEOUT';
}

/** When the user authenticated at the provider, in milliseconds since 1970; `undefined` if it does not say so. */
export const authTimeOf = ({ auth_time: seconds }: JWTPayload): number | undefined =>
  typeof seconds === 'number' ? seconds * SECOND_MS : undefined;

/** A claim of several texts; a single one may stand alone. */
export const textsOfClaim = (claim: unknown): string[] =>
  [claim].flat().filter((item) => typeof item === 'string');
