import { createSecretKey } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import session from 'express-session';
import { isLoopback } from '../../config/server-options.js';
import { randomText } from '../../common/random.js';
import { callerMarks } from './caller-mark.js';

declare module 'express-session' {
  interface SessionData {
    /** Set by a begin call; a session that has it was named by a cookie that we signed. */
    begun?: true;
  }
}

export const SESSION_COOKIE = 'servicefido';

/**
 * A session is nothing but its signed name: what is pending lives in the ceremony store under it.
 * So this store keeps nothing, answers at once, and whoever shows a signed name has a session.
 */
class SignedNameStore extends session.Store {
  override get(_: string, done: (error: unknown, data: session.SessionData) => void): void {
    // express-session makes a Cookie of its own from this.
    done(null, { cookie: {} as session.Cookie, begun: true });
  }

  override set(_: string, __: session.SessionData, done?: () => void): void {
    done?.();
  }

  override destroy(_: string, done?: () => void): void {
    done?.();
  }
}

/**
 * Browsers drop `SameSite=None` without `Secure`, and treat loopback as secure even over plain
 * HTTP (Safari does not). A request that a browser sent carries Sec-Fetch-Site.
 */
const isLoopbackBrowser = (request: Request): boolean =>
  request.headers['sec-fetch-site'] !== undefined && isLoopback(request.hostname);

const ID_BYTES = 24;

/**
 * express-session for the FIDO calls.
 *
 * @param secret the key that signs the cookie, shared by all instances
 */
export function fidoSession(secret: string): RequestHandler {
  const markOf = callerMarks(secret);
  const middleware = session({
    name: SESSION_COOKIE,
    // A ready key: cookie-signature hands it to createHmac as it is.
    secret: createSecretKey(secret, 'utf8'),
    store: new SignedNameStore(),
    genid: ({ ip }: Request) => randomText(ID_BYTES) + markOf(ip),
    resave: false,
    saveUninitialized: false,
    cookie: (request: Request) => {
      const secure = request.secure || isLoopbackBrowser(request);
      return { httpOnly: true, sameSite: 'none', path: '/', secure, partitioned: secure };
    },
  });
  return (request, response, next) => {
    if (!request.secure && isLoopbackBrowser(request)) {
      // express-session sends no Secure cookie over a connection that is not.
      Object.defineProperty(request, 'secure', { value: true });
    }
    middleware(request, response, next);
  };
}
