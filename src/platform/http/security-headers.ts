import type { RequestHandler } from 'express';
import helmet from 'helmet';
import { isLoopback } from '../config/base-address.js';
import { DAY_SECONDS } from '../common/durations.js';

/** Headers of answers that are not pages: they need few, and must not be cached. */
export const apiHeaders: RequestHandler = (_request, response, next) => {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
  response.setHeader('Referrer-Policy', 'same-origin');
  next();
};

/** For pages that show users: they must not be cached either. */
export const noStore: RequestHandler = (_request, response, next) => {
  response.setHeader('Cache-Control', 'no-store');
  next();
};

/**
 * Headers of pages, which load only resources of the service itself, without inline scripts or styles, and may not
 * be framed. `upgrade-insecure-requests` would break plain HTTP, and `no-referrer` turns the origin of our
 * own forms into `null`. HSTS is set on every answer, not only on pages, by `strictTransport`.
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

/**
 * Headers of the files that pages load: those of `pageHeaders` that concern files. The others concern documents, and a
 * page would receive their half a kilobyte again with each of its thirty files.
 */
export const fileHeaders: RequestHandler = (_request, response, next) => {
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  next();
};

const HALF_A_YEAR_SECONDS = 182 * DAY_SECONDS;

/**
 * HSTS (RFC 6797): browsers that used HTTPS once use nothing else from then on. It covers only this host, since its
 * subdomains are not ours, and no loopback names, under which other programs of the machine use plain HTTP.
 * It is for servers that use HTTPS, by their own TLS or behind a trusted proxy.
 */
export const strictTransport: RequestHandler = (request, response, next) => {
  if (request.secure && !isLoopback(request.hostname)) {
    response.setHeader('Strict-Transport-Security', `max-age=${HALF_A_YEAR_SECONDS}`);
  }
  next();
};
