import type { AdapterPayload } from 'oidc-provider';
import type { OidcClient } from '../../issuers/clients/oidc-client.entity.js';

/** How the browser brings an answer to a client. */
export const RESPONSE_MODES = ['query'];
const SCOPES = ['openid', 'profile', 'offline_access'];

/**
 * A client as the provider reads it (OpenID Connect Dynamic Client Registration 1.0 §2). Its type is always `web`: a
 * native client might come back to any port.
 */
export const clientMetadata = (client: OidcClient): AdapterPayload => ({
  client_id: client.clientId,
  client_name: client.name,
  application_type: 'web',
  // The provider compares the hash of a presented secret with it.
  ...(client.secretHash && { client_secret: client.secretHash.toString('base64url') }),
  token_endpoint_auth_method: client.secretHash ? 'client_secret_basic' : 'none',
  redirect_uris: client.redirectUris,
  post_logout_redirect_uris: client.postLogoutRedirectUris,
  response_types: ['code'],
  response_modes: RESPONSE_MODES,
  grant_types: ['authorization_code', 'refresh_token'],
  id_token_signed_response_alg: client.algorithm,
  scope: [...SCOPES, ...(client.groupsAllowed ? ['groups'] : [])].join(' '),
});
