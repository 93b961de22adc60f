import type { Request } from 'express';

/** Beginning of the name of the session cookie; the console adds its port. */
export const SESSION_COOKIE = '__Host-servicefido-console';

/**
 * Whether a request comes without password and session: public pages ask for neither, and errors may come
 * before anybody is asked. This decides only what a page shows, never what anybody may do.
 */
export const isVisitor = ({ user, headers }: Request): boolean =>
  user === undefined &&
  headers.authorization === undefined &&
  !headers.cookie?.includes(SESSION_COOKIE);

/** A path on this server; after two slashes, the name of another server would follow. */
const OWN_PATH = /^\/(?!\/)/;

/**
 * Where an error page leads back to: the page of this server that linked here, else the same page without its
 * query. `undefined` where there is neither.
 */
export function wayBack({ method, headers, originalUrl, path }: Request): string | undefined {
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
