/** The keys of the signed-in user: reading, naming, deleting. A file of its own: few pages need it. */
import { ServiceFidoError } from './errors.js';
import { ownOrigin, refusal, unreachable } from './server.js';
import { signalAccount } from './signals.js';
import type { ClientOptions, Signals } from './types.js';

export { ServiceFidoError };

export interface KeysOptions extends ClientOptions {
  /**
   * The token of a sign-in. Called with `fresh` where the server wants a newer one, of a sign-in that
   * verified its user: sign in again then.
   */
  token: (wants: { fresh: boolean }) => string | Promise<string>;
}

/** One of a user's own keys. */
export interface Key {
  credentialId: string;
  deviceName: string;
  /** What a list shows: a given name, else what the key is, in the browser's language. */
  label: string;
  /** The model, where it is known. */
  authenticatorName: string | null;
  /** ISO 8601. */
  createdAt: string;
  /** `null`: never. */
  lastUsedAt: string | null;
  /** Whether it is synced to other devices. */
  backedUp: boolean;
  transports: string[];
  enabled: boolean;
  /** Whether the token is of a sign-in with it. */
  current: boolean;
}

export interface KeyList {
  username: string;
  displayName: string;
  keys: Key[];
}

export interface Keys {
  list(): Promise<KeyList>;
  rename(credentialId: string, deviceName: string): Promise<Key>;
  /** @param options `last`: the last key that can sign in may go (else E0045R). Resolves with how many are left. */
  remove(credentialId: string, options?: { last?: boolean }): Promise<number>;
}

/** Makes the keys' client of one server. */
export function createKeys({ baseUrl, relyingParty, fetch: own, token }: KeysOptions): Keys {
  const transport = own ?? fetch;
  const base = (baseUrl ?? ownOrigin()).replace(/\/+$/, '');

  async function ask<T>(method: string, path: string, body?: object, fresh = false): Promise<T> {
    const headers: Record<string, string> = {
      Authorization: `Bearer ${await token({ fresh })}`,
      ...(relyingParty && { 'X-ServiceFido-RelyingParty': relyingParty }),
      ...(body && { 'Content-Type': 'application/json' }),
    };
    const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const address = `${base}/fidoapi/keys${path}`;
    const response = await transport(address, sent).catch(async (cause: unknown) => {
      throw await unreachable({ base, relyingParty, transport, cause });
    });
    const answer = (await response.json().catch(() => null)) ?? {};
    if (response.ok) return answer as T;
    const stepUp = answer.errorCode === 'E0042R' || answer.errorCode === 'E0043R';
    if (stepUp && !fresh) return ask(method, path, body, true);
    throw refusal(response, answer);
  }

  /** The browser learns what there is now, as after a sign-in. */
  async function change<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await ask<T & { signals?: Signals }>(method, path, body);
    void signalAccount(answer.signals);
    return answer;
  }

  const pathOf = (credentialId: string) => `/${encodeURIComponent(credentialId)}`;
  return {
    list: () => ask('GET', ''),
    rename: async (credentialId, deviceName) =>
      (await change<{ key: Key }>('PATCH', pathOf(credentialId), { deviceName })).key,
    remove: async (credentialId, { last } = {}) => {
      const path = pathOf(credentialId) + (last ? '?confirm=last' : '');
      return (await change<{ left: number }>('DELETE', path)).left;
    },
  };
}
