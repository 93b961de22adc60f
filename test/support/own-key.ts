import { bearer } from './application-keys.js';
import { FidoClient } from './fido-client.js';

/** Registers a user with two keys, who signs in with the first, and returns a function that makes calls for the second. */
export async function callerForOwnKey(url: string, username: string) {
  const client = await FidoClient.registered(url, username);
  const { keyId } = await FidoClient.registered(url, username);
  const { body } = await client.signIn(username);
  const headers = bearer(String(body['token']));
  return (method: 'PATCH' | 'DELETE' | 'POST', change: object = {}) =>
    client.sendJson(method, `/fidoapi/keys/${keyId}${method === 'POST' ? '/report' : ''}`, {
      headers,
      body: change,
    });
}
