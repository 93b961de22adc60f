import type { RequestHandler } from 'express';
import helmet from 'helmet';
import { isLoopback } from '../config/server-options.js';

/** Answers that are no pages need few headers, and nobody may keep them. */
export const apiHeaders: RequestHandler = (_request, response, next) => {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
  response.setHeader('Referrer-Policy', 'same-origin');
  next();
};

/** Pages that show users are not kept either. */
export const noStore: RequestHandler = (_request, response, next) => {
  response.setHeader('Cache-Control', 'no-store');
  next();
};

/**
 * Pages: nothing but what the service itself serves, no inline script or style, no frames.
 * `upgrade-insecure-requests` would break plain HTTP, and `no-referrer` turns the origin of our own
 * forms into `null`. HSTS stands on every answer, not on pages alone (`strictTransport`).
 */
export const pageHeaders: RequestHandler = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      fontSrc: ["'self'"],
      connectSrc: ["'self'"],
      formAction: ["'self'"],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  referrerPolicy: { policy: 'same-origin' },
  strictTransportSecurity: false,
});

const HALF_A_YEAR_SECONDS = 182 * 24 * 3600;

/**
 * RFC 6797: browsers that have come over HTTPS once use nothing else. Of this host alone: what lies below
 * it is not ours. Not of loopback names, which other programs of the machine serve over plain HTTP. For
 * servers that know HTTPS when they see it, by their own TLS or a trusted proxy.
 */
export const strictTransport: RequestHandler = (request, response, next) => {
  if (request.secure && !isLoopback(request.hostname)) {
    response.setHeader('Strict-Transport-Security', `max-age=${HALF_A_YEAR_SECONDS}`);
  }
  next();
};
