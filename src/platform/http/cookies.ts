import { parse } from 'cookie';
import type { Request } from 'express';

/**
 * A cookie of the request as the browser sent it, not decoded; the first if there are several of one name.
 *
 * @returns `undefined` if there is none, or it is empty
 */
export const cookieIn = ({ headers }: Pick<Request, 'headers'>, name: string): string | undefined =>
  parse(headers.cookie ?? '', { decode: (value) => value })[name] || undefined;
