import { createSecretKey } from 'node:crypto';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import session from 'express-session';
import { isLoopback } from '../../platform/config/base-address.js';
import { randomText } from '../../platform/common/random.js';

declare module 'express-session' {
  interface SessionData {
    /** Set by a begin call; a session with this flag was named by a cookie that this server signed. */
    begun?: true;
  }
}

export const FIDO_SESSION_COOKIE = 'servicefido';

/**
 * A session is only a signed name, under which the ceremony store keeps pending ceremonies. So this session store
 * stores nothing, answers synchronously, and gives every request with a signed name a session.
 */
class SignedNameStore extends session.Store {
  override get(_: string, done: (error: unknown, data: session.SessionData) => void): void {
    // express-session creates its own Cookie from this.
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
 * Whether a browser on this machine sent the request, as Sec-Fetch-Site shows. Browsers drop `SameSite=None`
 * without `Secure`, and all but Safari treat loopback as secure even over plain HTTP.
 */
const isLoopbackBrowser = (request: Request): boolean =>
  request.headers['sec-fetch-site'] !== undefined && isLoopback(request.hostname);

const ID_BYTES = 24;

/**
 * The part of a request that express-session reads. It never receives the request itself: it assigns a function to
 * `response.end`, which V8 allocates among old objects, and everything that this function references survives
 * the collections of the young generation. This was a tenth of the allocations of a login.
 */
class SessionRequest {
  declare session: Request['session'];
  declare sessionID: string;
  readonly headers: Request['headers'];
  readonly originalUrl: string;
  readonly ip: string | undefined;
  readonly secure: boolean;

  constructor(request: Request) {
    this.headers = { cookie: request.headers.cookie };
    this.originalUrl = request.originalUrl;
    this.ip = request.ip;
    // express-session sends a Secure cookie only over a secure connection.
    this.secure = request.secure || isLoopbackBrowser(request);
  }
}

/** The part of a response that express-session uses: it sets a cookie when the head is written. */
class SessionResponse {
  cookies: string[] = [];

  getHeader(): undefined {}

  setHeader(_: string, cookies: string[]): void {
    this.cookies = cookies;
  }

  /** express-session replaces this with a function that sets the cookie first. */
  writeHead(): this {
    return this;
  }

  /** express-session would save the session here, but there is nothing to save. */
  end(): this {
    return this;
  }
}

type WriteHead = (this: Response, ...head: unknown[]) => Response;

/** Writes the head as `writeHead` does, with the cookie. */
function withCookie(writeHead: WriteHead, head: SessionResponse): WriteHead {
  return function (...given) {
    head.writeHead();
    for (const cookie of head.cookies) this.appendHeader('Set-Cookie', cookie);
    return writeHead.apply(this, given);
  };
}

/** Passed to express-session as `next`: its store answers synchronously, so the real `next` need not wait for it. */
const atOnce: NextFunction = (error?: unknown) => {
  if (error) throw error;
};

/**
 * express-session for the FIDO calls.
 *
 * @param secret the key that signs the cookie, shared by all instances
 */
export function fidoSession(secret: string): RequestHandler {
  const middleware = session({
    name: FIDO_SESSION_COOKIE,
    // A key object: cookie-signature passes it to createHmac unchanged.
    secret: createSecretKey(secret, 'utf8'),
    store: new SignedNameStore(),
    genid: () => randomText(ID_BYTES),
    resave: false,
    saveUninitialized: false,
    cookie: ({ secure }: Request) => {
      return { httpOnly: true, sameSite: 'none', path: '/', secure, partitioned: secure };
    },
  });
  return (request, response, next) => {
    const sessionRequest = new SessionRequest(request);
    const head = new SessionResponse();
    middleware(sessionRequest as Request, head as unknown as Response, atOnce);
    request.session = sessionRequest.session;
    request.sessionID = sessionRequest.sessionID;
    response.writeHead = withCookie(
      response.writeHead as WriteHead,
      head,
    ) as typeof response.writeHead;
    next();
  };
}
