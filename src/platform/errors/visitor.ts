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

/** A path on this server; two slashes would be followed by the name of another server. */
const OWN_PATH = /^\/(?!\/)/;

/**
 * The link back on an error page: the page of this server that linked here, else the same page without its
 * query. `undefined` if there is neither.
 */
export function backLink({ method, headers, originalUrl, path }: Request): string | undefined {
  const ways = [refererOf(headers), method === 'GET' ? path : undefined];
  return ways.find((way) => way !== undefined && way !== originalUrl && OWN_PATH.test(way));
}

/** The page of this server whose link or form this request is. */
export function pageBefore({ headers }: Request): string | undefined {
  const way = refererOf(headers);
  return way !== undefined && OWN_PATH.test(way) ? way : undefined;
}

function refererOf({ referer, host }: Request['headers']): string | undefined {
  if (referer === undefined || !URL.canParse(referer)) return undefined;
  const page = new URL(referer);
  return page.host === host ? page.pathname + page.search : undefined;
}
