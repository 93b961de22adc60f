import { createRemoteJWKSet, customFetch as fetchKeysBy } from 'jose';
import {
  ClientSecretBasic,
  PrivateKeyJwt,
  allowInsecureRequests,
  customFetch,
  discovery,
  type ClientAuth,
  type Configuration,
} from 'openid-client';
import { SECOND_MS } from '../../platform/common/durations.js';
import type { ConsoleOidc } from '../../platform/config/files/console-oidc-file.js';
import { fetchOf } from './provider-fetch.js';

const TIMEOUT_SECONDS = 5;
/** Brief: a sign-in that begins later finds out whether the provider is away, and a logout token may have a new key. */
const DISCOVERY_MS = 10 * SECOND_MS;

interface DiscoveredProvider {
  readonly configuration: Configuration;
  readonly keys: ReturnType<typeof createRemoteJWKSet>;
}

/** Reads the provider's addresses and keys (OpenID Connect Discovery 1.0), and remembers them briefly. */
export class ProviderDiscovery {
  private discovered:
    { readonly value: Promise<DiscoveredProvider>; readonly until: number } | undefined;

  constructor(private readonly settings: Pick<ConsoleOidc, 'issuer' | 'client'>) {}

  read(): Promise<DiscoveredProvider> {
    const now = Date.now();
    if (!this.discovered || this.discovered.until <= now) {
      const value = this.readConfiguration();
      this.discovered = { value, until: now + DISCOVERY_MS };
      value.catch(() => (this.discovered = undefined));
    }
    return this.discovered.value;
  }

  private async readConfiguration(): Promise<DiscoveredProvider> {
    const { issuer, client } = this.settings;
    const url = new URL(issuer);
    const read = fetchOf(url);
    const configuration = await discovery(url, client.id, {}, await clientAuth(client), {
      execute: url.protocol === 'http:' ? [allowInsecureRequests] : [],
      timeout: TIMEOUT_SECONDS,
      [customFetch]: read,
    });
    const { jwks_uri } = configuration.serverMetadata();
    if (jwks_uri === undefined) throw new Error('the provider publishes no keys');
    const timeoutDuration = TIMEOUT_SECONDS * SECOND_MS;
    const reading = { timeoutDuration, [fetchKeysBy]: read };
    return { configuration, keys: createRemoteJWKSet(new URL(jwks_uri), reading) };
  }
}

async function clientAuth({
  secret,
  privateKey,
  keyId,
}: ConsoleOidc['client']): Promise<ClientAuth> {
  if (!privateKey) return ClientSecretBasic(secret);
  const algorithm =
    privateKey.asymmetricKeyType === 'rsa'
      ? { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
      : { name: 'ECDSA', namedCurve: 'P-256' };
  const key = privateKey.toCryptoKey(algorithm, false, ['sign']);
  return PrivateKeyJwt(keyId === undefined ? key : { key, kid: keyId });
}
