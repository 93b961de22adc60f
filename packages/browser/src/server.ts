import { ServiceFidoError } from './errors.js';
import type { ClientOptions, UnknownCredential } from './types.js';

interface Call {
  body: object;
  signal?: AbortSignal;
  /** The page may be left before it is answered. */
  keepalive?: true;
  token?: string | undefined;
  idempotencyKey?: string | undefined;
}

/** Makes the function that posts to one server: it resolves with the answer, or throws a ServiceFidoError. */
export function serverAt({ baseUrl, relyingParty, fetch: transport = fetch }: ClientOptions) {
  const base = (baseUrl ?? ownOrigin()).replace(/\/+$/, '');

  return async function post<T>(path: string, call: Call): Promise<T> {
    const { body, token, idempotencyKey, ...more } = call;
    const headers: Record<string, string> = { 'Content-Type': 'application/json' };
    if (relyingParty) headers['X-ServiceFido-RelyingParty'] = relyingParty;
    if (token) headers['Authorization'] = `Bearer ${token}`;
    if (idempotencyKey) headers['Idempotency-Key'] = idempotencyKey;
    let response: Response;
    try {
      response = await transport(`${base}/fidoapi/${path}`, {
        method: 'POST',
        // The cookie that links begin and complete travels across origins too.
        credentials: 'include',
        headers,
        body: JSON.stringify(body),
        ...more,
      });
    } catch (cause) {
      throw await unreachable({ base, relyingParty, transport, cause });
    }
    // A proxy in between may answer with something that is not JSON, or no object.
    const answer = (await response.json().catch(() => null)) ?? {};
    if (!response.ok || answer.status !== 'ok') throw refusal(response, answer);
    return answer as T;
  };
}

interface Unreachable {
  base: string;
  relyingParty: string | undefined;
  transport: typeof fetch;
  cause: unknown;
}

/**
 * Why a call got no answer. Browsers do not say that CORS forbade it; the server does, without credentials and
 * without a header that would need a preflight.
 */
export async function unreachable({ base, relyingParty, transport, cause }: Unreachable) {
  const query = relyingParty ? `?relyingParty=${encodeURIComponent(relyingParty)}` : '';
  try {
    const answer = await transport(`${base}/fidoapi/test${query}`, { credentials: 'omit' });
    if ((await answer.json()).originListed === false) {
      const why = `The server does not list the origin of this page, ${location.origin}.`;
      return new ServiceFidoError('bad_domain', { cause, reason: 'origin.notAllowed' }, why);
    }
  } catch {
    // It cannot be reached, or is a backend without this path.
  }
  return new ServiceFidoError('network', { cause });
}

/** Where this module was loaded from; of a bundle that knows only a file, the page's own origin. */
export function ownOrigin(): string {
  const { protocol, origin } = new URL(import.meta.url);
  return protocol.startsWith('http') ? origin : '';
}

interface Refusal {
  errorCode?: string;
  errorMessage?: string;
  reason?: string;
  requestId?: string;
  domains?: string[];
  unknownCredential?: UnknownCredential;
}

export function refusal({ status, headers }: Response, answer: Refusal): ServiceFidoError {
  const { errorCode, errorMessage, reason, domains, unknownCredential } = answer;
  const requestId = answer.requestId ?? headers.get('X-Request-Id');
  const retryAfter = Number(headers.get('Retry-After'));
  return new ServiceFidoError(
    errorCode === 'E0024R' ? 'expired' : 'server',
    {
      status,
      ...(errorCode && { errorCode }),
      ...(reason && { reason }),
      ...(domains && { domains }),
      ...(unknownCredential && { unknownCredential }),
      ...(requestId && { requestId }),
      ...(retryAfter > 0 && { retryAfter }),
    },
    errorMessage,
  );
}
