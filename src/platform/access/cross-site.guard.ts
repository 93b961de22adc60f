import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { ApiError, Refuses } from '../errors/api-error.js';
import { hasOwnHost } from '../errors/visitor.js';

/**
 * Whether a browser opens a page: `Accept` prefers HTML, and `Sec-Fetch-Mode` says `navigate`. Browsers send no
 * `Sec-Fetch-…` over plain HTTP; then the user agent decides. `Accept` alone is not enough: Java's default prefers HTML
 * too.
 */
export function isNavigation(request: Request): boolean {
  const { headers } = request;
  const isOpening = Object.keys(headers).some((name) => name.startsWith('sec-fetch-'))
    ? headers['sec-fetch-mode'] === 'navigate'
    : headers['user-agent']?.startsWith('Mozilla/') === true;
  return isOpening && request.accepts('json', 'html') === 'html';
}

/**
 * Whether a browser sent the request, as far as this can be determined. Browsers send `Sec-Fetch-Site` to an address
 * that they trust (HTTPS, their own machine); elsewhere only the user agent and the accepted type remain.
 */
export function isBrowser(request: Request): boolean {
  if (request.headers['sec-fetch-site'] !== undefined) return true;
  return hasBrowserName(request) && isNavigation(request);
}

/** User agents of PowerShell and WinHttp begin like a browser's, and contain their own names. */
function hasBrowserName({ headers }: Request): boolean {
  const program = headers['user-agent'] ?? '';
  return program.startsWith('Mozilla/') && !/PowerShell|WinHttp/i.test(program);
}

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether the method changes nothing by definition. */
export const isReading = ({ method }: Request): boolean => READING.has(method);

/**
 * Whether the headers show that a browser sent the request. Browsers add `Origin` to every POST, and `Sec-Fetch-Site`
 * to every request to an address that they trust (HTTPS, their own machine).
 */
export const isFromPage = ({ headers }: Pick<Request, 'headers'>): boolean =>
  headers['sec-fetch-site'] !== undefined || headers.origin !== undefined;

/**
 * Refuses a changing request that another site caused, as far as the request shows, or that a browser sent without
 * any action of its user: browsers attach HTTP Basic credentials to links, images and forms of any page.
 *
 * @throws ApiError E0043R
 */
function refuseForeign(request: Request): void {
  const { headers } = request;
  const { origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw new ApiError('E0043R', 'crossSite.foreign');
  }
  if (origin !== undefined && !hasOwnHost(origin, request)) {
    // Only a page of this server is of the same origin: so a proxy has replaced `Host`.
    if (site === 'same-origin')
      throw new ApiError('E0043R', 'proxy.host', { origin, host: request.host });
    throw new ApiError('E0043R', 'crossSite.origin');
  }
  if (`${headers['sec-purpose'] ?? ''}`.includes('prefetch')) {
    throw new ApiError('E0043R', 'crossSite.prefetch');
  }
}

/**
 * Whether a browser may have been led to send this GET: a typed address, a link and the redirect of a foreign site
 * all come with `Sec-Fetch-Site: none`. Without that header only the user agent remains; `Sec-Fetch-Mode` alone
 * proves nothing, since Node's `fetch` sends it.
 */
function isLed(request: Request): boolean {
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode = 'navigate' } = request.headers;
  if (site !== undefined) return site !== 'same-origin' || mode === 'navigate';
  return hasBrowserName(request);
}

/**
 * For handlers that also change something by GET (`manageusers`, `invoicelog=yes`), which is for programs. Refuses a
 * GET that a browser may have been led to send, a HEAD, and, with any method, a request that another site caused.
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
