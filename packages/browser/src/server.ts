import { ServiceFidoError, errorOfAnswer } from './errors.js';
import { abortWith } from './single-flight.js';
import type { ClientOptions } from './types.js';

interface Call {
  body: object;
  signal?: AbortSignal;
  /** Lets the call complete after the user has left the page. */
  keepalive?: true;
  token?: string | undefined;
  idempotencyKey?: string | undefined;
}

/** Longest wait for the cause of a failed call. */
const CAUSE_TIMEOUT_MS = 4_000;

/**
 * Returns a function that calls one server. It resolves with the answer or rejects with a ServiceFidoError, also if a
 * proxy answers in place of the server.
 */
export function createSend({ baseUrl, relyingParty, fetch: transport = fetch }: ClientOptions) {
  const base = (baseUrl ?? ownOrigin()).replace(/(?:\/fidoapi)?\/*$/, '');

  return async function send<T>(
    path: string,
    { headers, ...init }: RequestInit & { headers?: Record<string, string> },
  ): Promise<T> {
    let response: Response;
    try {
      response = await transport(`${base}/fidoapi/${path}`, {
        ...init,
        headers: {
          ...(init.body && { 'Content-Type': 'application/json' }),
          ...(relyingParty && { 'X-ServiceFido-RelyingParty': relyingParty }),
          ...headers,
        },
      });
    } catch (cause) {
      throw await errorWithoutAnswer(init.signal, cause);
    }
    // A proxy can answer with a body that is not JSON, or not an object.
    const answer = (await response.json().catch(() => null)) ?? {};
    if (!response.ok || answer.status !== 'ok') throw errorOfAnswer(response, answer);
    return answer as T;
  };

  /**
   * Returns the error of a call without an answer. Browsers do not report that CORS blocked it. So this asks the server,
   * without credentials and without headers that need a preflight.
   */
  async function errorWithoutAnswer(signal: AbortSignal | null | undefined, cause: unknown) {
    if (signal?.aborted) return new ServiceFidoError('aborted', { cause });
    const query = relyingParty ? `?relyingParty=${encodeURIComponent(relyingParty)}` : '';
    const controller = new AbortController();
    const unlink = abortWith(signal, controller);
    const timer = setTimeout(() => controller.abort(), CAUSE_TIMEOUT_MS);
    try {
      const init = { credentials: 'omit', signal: controller.signal } as const;
      const answer = await transport(`${base}/fidoapi/test${query}`, init);
      if ((await answer.json()).originListed === false) {
        const message = `The server does not list the origin of this page, ${location.origin}.`;
        return new ServiceFidoError('bad_domain', { cause, reason: 'origin.notAllowed' }, message);
      }
    } catch {
      // The server cannot be reached, or `base` is a backend without this path.
    } finally {
      clearTimeout(timer);
      unlink();
    }
    return new ServiceFidoError('network', { cause });
  }
}

/** Returns a function that posts to one server. */
export function createPost(options: ClientOptions) {
  const send = createSend(options);
  return <T>(path: string, { body, token, idempotencyKey, ...init }: Call): Promise<T> =>
    send(path, {
      method: 'POST',
      // A cookie links the begin call and the result call, also across origins.
      credentials: 'include',
      headers: {
        ...(token && { Authorization: `Bearer ${token}` }),
        ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
      },
      body: JSON.stringify(body),
      ...init,
    });
}

/** Returns the origin of this module, or `''` (the page's origin) if a bundler has replaced its URL with a file. */
function ownOrigin(): string {
  const { protocol, origin } = new URL(import.meta.url);
  return protocol.startsWith('http') ? origin : '';
}
