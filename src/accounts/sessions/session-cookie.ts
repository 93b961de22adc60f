import { createHmac } from 'node:crypto';
import type { CookieOptions, Request } from 'express';
import { pooledRandomBytes } from '../../platform/common/random.js';
import { isLoopback } from '../../platform/config/base-address.js';
import { CONSOLE_SESSION_COOKIE } from '../../platform/errors/visitor.js';
import { cookieIn } from '../../platform/http/cookies.js';
import type { ConsoleSession } from './console-session.entity.js';

const ID_BYTES = 16;
const SECRET_BYTES = 32;
const VALUE = /^[\w-]{64}$/;

/** The cookie's value: the ID of the session's row, and the secret that proves it. */
export interface SessionName {
  readonly id: Buffer;
  readonly secret: Buffer;
}

export const newSessionSecret = (): Buffer => pooledRandomBytes(SECRET_BYTES);

/**
 * Derives the secret that replaces the current one. It is always the same, so that it can be sent again if
 * its answer was lost. A thief of the cookie does not know the account's mark, and the database does not
 * contain the cookie's secret: neither alone reveals the next one.
 */
export const nextSessionSecret = (
  shown: Buffer,
  { id, mark, rotatedAt }: Pick<ConsoleSession, 'id' | 'mark' | 'rotatedAt'>,
): Buffer => createHmac('sha256', mark).update(shown).update(id).update(`${rotatedAt}`).digest();

/**
 * The name of a cookie. `__Host-` prevents sibling and parent domains from setting it, and plain HTTP from
 * reading it (RFC 6265bis §4.1.3.2). Cookies do not distinguish ports: since the port is in the name, two
 * servers on one machine do not sign each other out.
 */
export function cookieName(base: string, { headers }: Pick<Request, 'headers'>): string {
  const [, port] = /:(\d{1,5})$/.exec(headers.host ?? '') ?? [];
  return port === undefined ? base : `${base}-${port}`;
}

const sessionCookie = (request: Request): string => cookieName(CONSOLE_SESSION_COOKIE, request);

/**
 * `Lax`: links on other sites lead to pages of the administration, which change nothing; requests by forms
 * and scripts of other sites carry no cookie. It ends with the browser, and the server ends its session by
 * its own clock.
 */
export const COOKIE_OPTIONS: CookieOptions = {
  httpOnly: true,
  secure: true,
  sameSite: 'lax',
  path: '/',
};

export function readCookie(request: Request): SessionName | undefined {
  const value = cookieIn(request, sessionCookie(request));
  if (value === undefined || !VALUE.test(value)) return undefined;
  const bytes = Buffer.from(value, 'base64url');
  return { id: bytes.subarray(0, ID_BYTES), secret: bytes.subarray(ID_BYTES) };
}

export function writeCookie(request: Request, { id, secret }: SessionName): void {
  const value = Buffer.concat([id, secret]).toString('base64url');
  request.res?.cookie(sessionCookie(request), value, COOKIE_OPTIONS);
}

export function clearCookie(request: Request): void {
  request.res?.clearCookie(sessionCookie(request), COOKIE_OPTIONS);
}

/** Safari accepts no `Secure` cookie over plain HTTP, not even from the local machine. */
const isSafari = (program: string): boolean =>
  program.includes('Safari/') && !/Chrom(?:e|ium)\//.test(program);

/**
 * Whether the browser keeps the cookie: the request came over HTTPS, or contains `Sec-Fetch-Site`, which
 * browsers send to addresses that they consider secure, even if a proxy forwards the request over plain
 * HTTP.
 */
export function keepsSessions({ headers, secure, hostname }: Request): boolean {
  if (secure) return true;
  if (headers['sec-fetch-site'] === undefined) return false;
  return !(isLoopback(hostname) && isSafari(headers['user-agent'] ?? ''));
}
