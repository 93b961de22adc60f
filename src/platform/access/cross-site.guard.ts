import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { ApiError } from '../errors/api-error.js';
import { Refuses } from '../errors/refusals.js';

/** Whether somebody opens a page: by `Sec-Fetch-Mode`, where the browser sends it, and by `Accept`. */
export const isNavigation = (request: Request): boolean => {
  const mode = request.headers['sec-fetch-mode'];
  return (mode === undefined || mode === 'navigate') && request.accepts('json', 'html') === 'html';
};

/**
 * Whether a browser sent this, as far as can be determined. To an address that it trusts (HTTPS, the own machine) a
 * browser sends `Sec-Fetch-Site`; elsewhere only its user agent is left, and that it wants a page.
 */
export function isBrowser(request: Request): boolean {
  if (request.headers['sec-fetch-site'] !== undefined) return true;
  return hasBrowserName(request) && isNavigation(request);
}

/** PowerShell and WinHttp have user agents that begin like those of browsers, and contain their own names. */
function hasBrowserName({ headers }: Request): boolean {
  const program = headers['user-agent'] ?? '';
  return program.startsWith('Mozilla/') && !/PowerShell|WinHttp/i.test(program);
}

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether the method alone says that nothing is changed. */
export const isReading = ({ method }: Request): boolean => READING.has(method);

/**
 * Whether a browser says that it sent this. Browsers add `Origin` to every POST, and `Sec-Fetch-Site`
 * to whatever they send to an address that they trust (HTTPS, the own machine).
 */
export const isFromPage = ({ headers }: Pick<Request, 'headers'>): boolean =>
  headers['sec-fetch-site'] !== undefined || headers.origin !== undefined;

/**
 * Refuses a changing request that another site caused, as far as the request shows, or that a browser
 * sent without anybody asking: browsers attach HTTP Basic credentials to links, images and forms of
 * any page.
 *
 * @throws ApiError E0043R
 */
function refuseForeign({ headers, host }: Request): void {
  const { origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw new ApiError('E0043R', 'crossSite.foreign');
  }
  if (origin !== undefined && origin.replace(/^https?:\/\//, '') !== host) {
    throw new ApiError('E0043R', 'crossSite.origin');
  }
  if (`${headers['sec-purpose'] ?? ''}`.includes('prefetch')) {
    throw new ApiError('E0043R', 'crossSite.prefetch');
  }
}

/**
 * Whether a browser may have sent this GET because somebody led it here: a typed address, a link and the redirect of a
 * foreign site all come with `Sec-Fetch-Site: none`. Without that header only the user agent is left; a
 * `Sec-Fetch-Mode` alone says nothing, since Node's `fetch` sends one.
 */
function isLed(request: Request): boolean {
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode = 'navigate' } = request.headers;
  if (site !== undefined) return site !== 'same-origin' || mode === 'navigate';
  return hasBrowserName(request);
}

/**
 * For handlers that change something by GET too (`manageusers`, `invoicelog=yes`), which is for programs. Refuses a
 * GET that a browser may have been led to, a HEAD, and with any method what another site caused.
 *
 * @throws ApiError E0043R
 */
export function refuseCrossSite(request: Request): void {
  if (request.method === 'HEAD') {
    throw new ApiError('E0043R', 'crossSite.head');
  }
  refuseForeign(request);
  if (request.method === 'GET' && isLed(request)) {
    throw new ApiError('E0043R', 'crossSite.browserGet');
  }
}

/** Refuses changing requests that another site caused (E0043R). */
@Injectable()
@Refuses('E0043R')
export class CrossSiteGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    if (!isReading(request)) refuseForeign(request);
    return true;
  }
}
