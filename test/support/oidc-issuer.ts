import * as client from 'openid-client';
import { adminClient } from './client.js';
import { freePort } from './server-process.js';
import { TestServer, type ServerSettings } from './test-server.js';

export const CALLBACK = 'http://localhost:9/cb';
export const GOODBYE = 'http://localhost:9/bye';

/** What `POST …/clients` answers. */
export interface IssuedClient {
  readonly clientId: string;
  readonly secret: string | undefined;
  /** The address of its issuer. */
  readonly issuer: string;
}

/** A server with `--oidc on`, whose pages are at its own address. */
export async function startIssuer({ options, ...settings }: ServerSettings = {}) {
  const port = settings.port ?? (await freePort());
  const issuer = `http://localhost:${port}`;
  return TestServer.start({ ...settings, port, options: { oidc: true, issuer, ...options } });
}

/** Adds a client over the API. */
export async function addClient(
  server: Pick<TestServer, 'url'>,
  members: object = {},
  { tenant = 'default', domain = 'localhost' } = {},
): Promise<IssuedClient> {
  const path = `/tenantapi/tenants/${tenant}/relying-parties/${domain}/clients`;
  const body = { name: 'Shop', kind: 'web', redirectUris: [CALLBACK], ...members };
  const answer = await adminClient(server.url).post(path, body);
  if (answer.status !== 201) throw new Error(answer.text);
  const { client: made, secret } = answer.body as {
    client: { clientId: string; issuer: string };
    secret?: string;
  };
  return { clientId: made.clientId, secret, issuer: made.issuer };
}

/** The client in openid-client, as its documentation makes one. */
export const discover = ({ issuer, clientId, secret }: IssuedClient, algorithm = 'ES256') =>
  client.discovery(
    new URL(issuer),
    clientId,
    {
      ...(secret !== undefined && { client_secret: secret }),
      id_token_signed_response_alg: algorithm,
    },
    secret === undefined ? client.None() : undefined,
    { execute: [client.allowInsecureRequests] },
  );

/** A request of openid-client, and what it checks when the browser comes back. */
export async function authorizationRequest(
  config: client.Configuration,
  more: Record<string, string> = {},
) {
  const verifier = client.randomPKCECodeVerifier();
  const state = client.randomState();
  const nonce = client.randomNonce();
  const address = client.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope: 'openid profile',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...more,
  });
  const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce };
  return { address, checks };
}
