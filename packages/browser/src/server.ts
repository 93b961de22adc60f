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
      throw new ServiceFidoError('network', { cause });
    }
    // A proxy in between may answer with something that is not JSON, or no object.
    const answer = (await response.json().catch(() => null)) ?? {};
    if (!response.ok || answer.status !== 'ok') throw refusal(response, answer);
    return answer as T;
  };
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
