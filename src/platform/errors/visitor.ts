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
