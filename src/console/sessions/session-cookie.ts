import { hash } from 'node:crypto';
import type { CookieOptions, Request } from 'express';
import { fewRandomBytes } from '../../common/random.js';
import { isLoopback } from '../../config/server-options.js';
import { SESSION_COOKIE } from '../../errors/visitor.js';
import { cookieIn } from '../../http/cookies.js';

const ID_BYTES = 16;
const SECRET_BYTES = 32;
const VALUE = /^[\w-]{64}$/;

/** What a cookie names: the session's row, and the secret that proves it. */
export interface SessionName {
  readonly id: Buffer;
  readonly secret: Buffer;
}

export const newSecret = (): Buffer => fewRandomBytes(SECRET_BYTES);

export const hashOf = (secret: Buffer): Buffer => hash('sha256', secret, 'buffer');

/**
 * `__Host-` keeps siblings' and parents' domains from setting it, and plain HTTP from seeing it (RFC 6265bis
 * §4.1.3.2). Cookies do not tell ports apart: with its port in the name, two servers of one machine do not sign
 * each other out.
 */
export function cookieName({ headers }: Pick<Request, 'headers'>): string {
  const [, port] = /:(\d{1,5})$/.exec(headers.host ?? '') ?? [];
  return port === undefined ? SESSION_COOKIE : `${SESSION_COOKIE}-${port}`;
}

/**
 * `Lax`: links of others lead to pages of the administration, which change nothing; forms and scripts of others
 * come without it. It ends with the browser, and on the server by its own clock.
 */
const OPTIONS: CookieOptions = { httpOnly: true, secure: true, sameSite: 'lax', path: '/' };

export function readCookie(request: Request): SessionName | undefined {
  const value = cookieIn(request, cookieName(request));
  if (value === undefined || !VALUE.test(value)) return undefined;
  const bytes = Buffer.from(value, 'base64url');
  return { id: bytes.subarray(0, ID_BYTES), secret: bytes.subarray(ID_BYTES) };
}

export function writeCookie(request: Request, { id, secret }: SessionName): void {
  const value = Buffer.concat([id, secret]).toString('base64url');
  request.res?.cookie(cookieName(request), value, OPTIONS);
}

export function clearCookie(request: Request): void {
  request.res?.clearCookie(cookieName(request), OPTIONS);
}

/** Safari takes no `Secure` cookie over plain HTTP, not even from the own machine. */
const isSafari = (program: string): boolean =>
  program.includes('Safari/') && !/Chrom(?:e|ium)\//.test(program);

/**
 * Whether the browser keeps the cookie: it came over HTTPS, or says `Sec-Fetch-Site`, which browsers say to
 * addresses that they take for secure, whatever a proxy in front has made of it.
 */
export function keepsSessions({ headers, secure, hostname }: Request): boolean {
  if (secure) return true;
  if (headers['sec-fetch-site'] === undefined) return false;
  return !(isLoopback(hostname) && isSafari(headers['user-agent'] ?? ''));
}
