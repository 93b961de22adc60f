import type { RequestHandler } from 'express';
import helmet from 'helmet';
import type { ServerOptions } from '../config/server-options.js';

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
 * forms into `null`. HSTS means nothing where the process does not serve HTTPS itself.
 */
export const pageHeaders = ({ tlsCert }: Pick<ServerOptions, 'tlsCert'>): RequestHandler =>
  helmet({
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
    ...(tlsCert !== undefined ? {} : { strictTransportSecurity: false }),
  });
