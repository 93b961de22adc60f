import { parse } from 'cookie';
import type { Request } from 'express';

/**
 * The cookies of one name as pairs `name=value`, in the order of the header: a browser sends several if their paths or
 * domains differ, and their order says nothing about which is current (RFC 6265 §5.4).
 */
export const pairsOf = ({ headers }: Pick<Request, 'headers'>, name: string): string[] =>
  (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`));

/**
 * A cookie of the request as the browser sent it, not decoded; the first if there are several of one name.
 *
 * @returns `undefined` if there is none, or it is empty
 */
export const cookieIn = ({ headers }: Pick<Request, 'headers'>, name: string): string | undefined =>
  parse(headers.cookie ?? '', { decode: (value) => value })[name] || undefined;
