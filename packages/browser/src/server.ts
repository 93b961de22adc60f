import { ServiceFidoError, errorOfAnswer } from './errors.js';
import type { ClientOptions } from './types.js';

interface Call {
  body: object;
  signal?: AbortSignal;
  /** Lets the call complete after the user has left the page. */
  keepalive?: true;
  token?: string | undefined;
  idempotencyKey?: string | undefined;
}

/** Returns a function that posts to one server. It resolves with the answer or rejects with a ServiceFidoError. */
export function createPost({ baseUrl, relyingParty, fetch: transport = fetch }: ClientOptions) {
  const base = (baseUrl ?? ownOrigin()).replace(/(?:\/fidoapi)?\/*$/, '');

  return async function post<T>(path: string, call: Call): Promise<T> {
    const { body, token, idempotencyKey, ...init } = call;
    const headers: Record<string, string> = { 'Content-Type': 'application/json' };
    if (relyingParty) headers['X-ServiceFido-RelyingParty'] = relyingParty;
    if (token) headers['Authorization'] = `Bearer ${token}`;
    if (idempotencyKey) headers['Idempotency-Key'] = idempotencyKey;
    let response: Response;
    try {
      response = await transport(`${base}/fidoapi/${path}`, {
        method: 'POST',
        // A cookie links the begin call and the result call, also across origins.
        credentials: 'include',
        headers,
        body: JSON.stringify(body),
        ...init,
      });
    } catch (cause) {
      throw await errorWithoutAnswer({ base, relyingParty, transport, cause });
    }
    // A proxy can answer with a body that is not JSON, or not an object.
    const answer = (await response.json().catch(() => null)) ?? {};
    if (!response.ok || answer.status !== 'ok') throw errorOfAnswer(response, answer);
    return answer as T;
  };
}

interface FailedCall {
  base: string;
  relyingParty: string | undefined;
  transport: typeof fetch;
  cause: unknown;
}

/**
 * Returns the error of a call without an answer. Browsers do not report that CORS blocked it. So this asks the server,
 * without credentials and without headers that need a preflight.
 */
export async function errorWithoutAnswer({ base, relyingParty, transport, cause }: FailedCall) {
  const query = relyingParty ? `?relyingParty=${encodeURIComponent(relyingParty)}` : '';
  try {
    const answer = await transport(`${base}/fidoapi/test${query}`, { credentials: 'omit' });
    if ((await answer.json()).originListed === false) {
      const message = `The server does not list the origin of this page, ${location.origin}.`;
      return new ServiceFidoError('bad_domain', { cause, reason: 'origin.notAllowed' }, message);
    }
  } catch {
    // The server cannot be reached, or `base` is a backend without this path.
  }
  return new ServiceFidoError('network', { cause });
}

/** Returns the origin of this module, or `''` (the page's origin) if a bundler has replaced its URL with a file. */
export function ownOrigin(): string {
  const { protocol, origin } = new URL(import.meta.url);
  return protocol.startsWith('http') ? origin : '';
}
