import type { Request } from 'express';

/** Beginning of the session cookie's name; the console appends its port. */
export const CONSOLE_SESSION_COOKIE = '__Host-servicefido-console';

/**
 * Whether a request has neither password nor session: public pages require neither, and errors may occur before the
 * caller is identified. This decides only what a page shows, never what a caller may do.
 */
export const isVisitor = ({ user, headers }: Request): boolean =>
  user === undefined &&
  headers.authorization === undefined &&
  !headers.cookie?.includes(CONSOLE_SESSION_COOKIE);

/**
 * Whether a URL or an origin has the host and port of the request, without regard to case and the default port of its
 * scheme (RFC 9110 §4.2.3).
 */
export function hasOwnHost(url: string, { host = '' }: Pick<Request, 'host'>): boolean {
  if (!URL.canParse(url)) return false;
  const named = new URL(url);
  if (!/^https?:$/.test(named.protocol)) return false;
  const own = `${named.protocol}//${host}`;
  return URL.canParse(own) && new URL(own).host === named.host;
}

/** A path on this server; two slashes would be followed by the name of another server. */
const OWN_PATH = /^\/(?!\/)/;

/**
 * The link back on an error page: the page of this server that linked here, else the same page without its
 * query. `undefined` if there is neither.
 */
export function backLink(request: Request): string | undefined {
  const { method, originalUrl, path } = request;
  const ways = [refererOf(request), method === 'GET' ? path : undefined];
  return ways.find((way) => way !== undefined && way !== originalUrl && OWN_PATH.test(way));
}

/** The page of this server whose link or form this request is. */
export function pageBefore(request: Request): string | undefined {
  const way = refererOf(request);
  return way !== undefined && OWN_PATH.test(way) ? way : undefined;
}

function refererOf(request: Request): string | undefined {
  const { referer } = request.headers;
  if (referer === undefined || !hasOwnHost(referer, request)) return undefined;
  const page = new URL(referer);
  return page.pathname + page.search;
}
