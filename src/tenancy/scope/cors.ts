import type { RequestHandler } from 'express';
import type { RelyingPartyCache } from './relying-party-cache.js';

const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, POST, PATCH, DELETE',
  // The headers that the server reads, and those that tracing and HTTP libraries add.
  'Access-Control-Allow-Headers':
    'content-type, x-servicefido-relyingparty, authorization, idempotency-key, ' +
    'traceparent, tracestate, x-requested-with',
  'Access-Control-Max-Age': '600',
};

/** The response headers that a page's script may read. */
const EXPOSED = 'Retry-After, X-Request-Id, RateLimit, RateLimit-Policy';

/**
 * CORS with credentials for the FIDO calls. A preflight does not name a relying party: pages of any
 * relying party's origins may call and read errors, and the call itself determines its relying
 * party.
 */
export function fidoCors(relyingParties: RelyingPartyCache): RequestHandler {
  return (request, response, next) => {
    const { origin } = request.headers;
    response.setHeader('Vary', 'Origin');
    const known = origin !== undefined && relyingParties.current.knowsOrigin(origin);
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
