import type { Request } from 'express';

/** What the cookie of a session begins with: the console adds its port. */
export const SESSION_COOKIE = '__Host-servicefido-console';

/**
 * Whether a page is for somebody who shows neither a password nor a session: public pages ask for none, and
 * errors come before anybody is asked. It decides what a page shows, and nothing that anybody may do.
 */
export const isVisitor = ({ user, headers }: Request): boolean =>
  user === undefined &&
  headers.authorization === undefined &&
  !headers.cookie?.includes(SESSION_COOKIE);
