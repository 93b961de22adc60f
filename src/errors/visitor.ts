import type { Request } from 'express';

/**
 * Whether a page is for somebody who shows no password: public pages ask for none, and errors come before
 * anybody is asked. It decides what a page shows, and nothing that anybody may do.
 */
export const isVisitor = ({ user, headers }: Request): boolean =>
  user === undefined && headers.authorization === undefined;
