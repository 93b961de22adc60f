import type { RequestHandler } from 'express';
import type { TenantDirectory } from './tenant-directory.js';

const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, POST, PATCH, DELETE',
  // Besides those that we read, what libraries for tracing and for requests add by themselves.
  'Access-Control-Allow-Headers':
    'content-type, x-servicefido-relyingparty, authorization, idempotency-key, ' +
    'traceparent, tracestate, x-requested-with',
  'Access-Control-Max-Age': '600',
};

/** What a page's script may read of an answer besides its body. */
const EXPOSED = 'Retry-After, X-Request-Id, RateLimit, RateLimit-Policy';

/**
 * CORS with credentials for the FIDO calls: pages of any relying party's origins may call, and read
 * errors too; the call itself decides which relying party it is for. A preflight does not name one.
 */
export function fidoCors(directory: TenantDirectory): RequestHandler {
  return (request, response, next) => {
    const { origin } = request.headers;
    response.setHeader('Vary', 'Origin');
    const known = origin !== undefined && directory.current.knowsOrigin(origin);
    if (known) {
      response.setHeader('Access-Control-Allow-Origin', origin);
      response.setHeader('Access-Control-Allow-Credentials', 'true');
      response.setHeader('Access-Control-Expose-Headers', EXPOSED);
    }
    if (request.method !== 'OPTIONS') return next();
    if (known) {
      for (const [name, value] of Object.entries(PREFLIGHT)) response.setHeader(name, value);
    }
    response.statusCode = 204;
    response.end();
  };
}
