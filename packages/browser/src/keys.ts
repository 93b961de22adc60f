/** Lists, renames, deletes and reports the keys of the signed-in user. A separate entry, since few pages need it. */
import { ServiceFidoError } from './errors.js';
import { createSend } from './server.js';
import { signalAccount } from './signals.js';
import type { ClientOptions, Signals } from './types.js';

export { ServiceFidoError };

export interface KeysOptions extends ClientOptions {
  /**
   * Returns the token of a sign-in. Called before each request. `fresh` is true if the server requires a newer,
   * verified sign-in: sign the user in again and return the new token.
   */
  token: (wants: { fresh: boolean }) => string | Promise<string>;
}

/** A key of the signed-in user. */
export interface Key {
  credentialId: string;
  /** Stored name of the key. Unique for its user. */
  deviceName: string;
  /** Name for display: the given name, else a description of the key in the browser's language. */
  label: string;
  /** Name of the model, or `null` if it is unknown. */
  authenticatorName: string | null;
  /** Time of the registration, ISO 8601 in UTC. */
  createdAt: string;
  /** Time of the last sign-in with the key, ISO 8601 in UTC. `null` if never. */
  lastUsedAt: string | null;
  /** Whether the key is synced to other devices. */
  backedUp: boolean;
  transports: string[];
  /** Whether the key can sign in. */
  enabled: boolean;
  /** Whether the token is from a sign-in with this key. */
  current: boolean;
}

export interface KeyList {
  username: string;
  displayName: string;
  /** Oldest first. */
  keys: Key[];
}

/** Client of the user's own keys. All calls reject with a ServiceFidoError. */
export interface Keys {
  /** Lists the keys of the user, including disabled keys. */
  list(): Promise<KeyList>;
  /**
   * Renames a key.
   *
   * @param deviceName new name, 1 to 255 bytes of UTF-8
   */
  rename(credentialId: string, deviceName: string): Promise<Key>;
  /**
   * Deletes a key.
   *
   * @param options `last` permits the deletion of the last key that can sign in. Without it, the server answers E0045R.
   * @returns the number of remaining keys that can sign in
   */
  remove(credentialId: string, options?: { last?: boolean }): Promise<number>;
  /**
   * Reports a key that the user did not add: it is disabled, and only an administrator can enable it. Needs a sign-in
   * with another key. Without it, the server answers E0045R.
   */
  report(credentialId: string): Promise<Key>;
}

/** Creates a client for the keys of the signed-in user. */
export function createKeys({ token, ...options }: KeysOptions): Keys {
  const send = createSend(options);

  async function call<T>(method: string, path: string, body?: object, fresh = false): Promise<T> {
    const headers = { Authorization: `Bearer ${await token({ fresh })}` };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    try {
      return await send(`keys${path}`, init);
    } catch (error) {
      const { errorCode = '' } = error as ServiceFidoError;
      if (fresh || !['E0042R', 'E0043R'].includes(errorCode)) throw error;
      return call(method, path, body, true);
    }
  }

  /** Signals the remaining keys to the browser, as after a sign-in. */
  async function change<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await call<T & { signals?: Signals }>(method, path, body);
    void signalAccount(answer.signals);
    return answer;
  }

  const pathOf = (credentialId: string) => `/${encodeURIComponent(credentialId)}`;
  return {
    list: () => call('GET', ''),
    rename: async (credentialId, deviceName) =>
      (await change<{ key: Key }>('PATCH', pathOf(credentialId), { deviceName })).key,
    remove: async (credentialId, { last } = {}) => {
      const path = pathOf(credentialId) + (last ? '?confirm=last' : '');
      return (await change<{ left: number }>('DELETE', path)).left;
    },
    report: async (credentialId) =>
      (await change<{ key: Key }>('POST', `${pathOf(credentialId)}/report`, {})).key,
  };
}
