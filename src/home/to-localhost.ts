import type { NextFunction, Request, Response } from 'express';

const LOOPBACK_ADDRESS = /^(?:127(?:\.\d{1,3}){3}|\[::1\])(?=$|:)/;

/**
 * Sends a browser that came by loopback address to `localhost`: an RP ID is a domain, so browsers
 * refuse WebAuthn on pages of an IP address (W3C WebAuthn L3 §5.1.3 step 7).
 */
export function toLocalhost(request: Request, response: Response, next: NextFunction): void {
  const host = request.headers.host ?? '';
  if (!LOOPBACK_ADDRESS.test(host)) return next();
  const name = host.replace(LOOPBACK_ADDRESS, 'localhost');
  response.redirect(302, `${request.protocol}://${name}${request.originalUrl}`);
}
