import type { Configuration, FindAccount, KoaContextWithOIDC } from 'oidc-provider';
import { sha256 } from '../../platform/common/sha256.js';
import type { Clock } from '../../platform/common/clock.js';
import { DAY_SECONDS, SECOND_MS } from '../../platform/common/durations.js';
import { CLIENT_ALGORITHMS } from '../../issuers/clients/oidc-client.entity.js';
import { SESSION_MS } from '../../issuers/issuer-keys.js';
import { signInPolicy } from './sign-in-policy.js';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
/** A session ends after this time without a sign-in at any client. */
const IDLE = HOUR;
const SESSION = SESSION_MS / SECOND_MS;
const OFFLINE = 14 * DAY_SECONDS;

/** Everything of an issuer's configuration that does not need other parts of this server. */
export const providerOptions = (
  domain: string,
  { findAccount, clock }: { readonly findAccount: FindAccount; readonly clock: Clock },
): Configuration => ({
  acrValues: ['phr', 'phrh'],
  // Also a client with a single address says where its codes go, and that it got them there.
  allowOmittingSingleRegisteredRedirectUri: false,
  claims: {
    openid: ['sub', 'user_id', 'acr', 'amr', 'auth_time'],
    profile: ['preferred_username', 'name'],
    groups: ['groups'],
  },
  clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
  clientBasedCORS: (_ctx, origin, { redirectUris = [] }) =>
    redirectUris.some((uri) => new URL(uri).origin === origin),
  // Applications read names and groups from the ID token as well as from userinfo.
  conformIdTokenClaims: false,
  cookies: cookiesOf(domain),
  enabledJWA: { idTokenSigningAlgValues: [...CLIENT_ALGORITHMS] },
  features: {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    resourceIndicators: { enabled: false },
    revocation: { enabled: true },
  },
  findAccount,
  interactions: {
    policy: signInPolicy(),
    url: (_ctx, { uid }) => `/oidc/${domain}/sign-in/${uid}`,
  },
  loadExistingGrant,
  pkce: { required: () => true },
  responseTypes: ['code'],
  scopes: ['openid', 'profile', 'groups', 'offline_access'],
  subjectTypes: ['public'],
  ttl: {
    AccessToken: HOUR,
    AuthorizationCode: MINUTE,
    Grant: OFFLINE,
    IdToken: HOUR,
    Interaction: 30 * MINUTE,
    RefreshToken: OFFLINE,
    Session: (_ctx, { loginTs }) => {
      const now = Math.floor(clock.now() / SECOND_MS);
      return Math.max(1, Math.min(IDLE, (loginTs ?? now) + SESSION - now));
    },
  },
});

/**
 * The prefix `__Host-` prevents other hosts of the domain from setting the session's cookie (RFC 6265bis §4.1.3.2). The
 * cookies of an interaction are for its own path, so that two tabs can sign in at once; these cannot have it.
 */
function cookiesOf(domain: string): Configuration['cookies'] {
  const name = `servicefido-oidc-${sha256(domain).toString('hex').slice(0, 16)}`;
  const options = { httpOnly: true, secure: true, sameSite: 'lax', signed: false } as const;
  return {
    names: {
      session: `__Host-${name}`,
      interaction: `__Secure-${name}-at`,
      resume: `__Secure-${name}-to`,
    },
    long: { ...options, path: '/' },
    short: options,
  };
}

/**
 * The grant of the session's user for a client: all requested scopes. A replayed code destroys a grant while the
 * session keeps its ID, so a new one may be needed. A new sign-in stores it again, since a grant ends with the key that
 * signed in.
 */
async function loadExistingGrant({ oidc }: KoaContextWithOIDC) {
  const { client, account, session, provider, result } = oidc;
  if (!client || !account || !session) return undefined;
  const scopes = [...oidc.requestParamOIDCScopes];
  const known = session.grantIdFor(client.clientId);
  const found = known === undefined ? undefined : await provider.Grant.find(known);
  const own = found?.accountId === account.accountId ? found : undefined;
  const granted = own?.getOIDCScopeEncountered().split(' ') ?? [];
  if (own && !result?.login && scopes.every((one) => granted.includes(one))) return own;
  const grant =
    own ?? new provider.Grant({ accountId: account.accountId, clientId: client.clientId });
  grant.addOIDCScope(scopes.join(' '));
  // eslint-disable-next-line no-restricted-syntax -- the provider's own: our adapter commits it
  await grant.save();
  return grant;
}
