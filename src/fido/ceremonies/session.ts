import { createSecretKey } from 'node:crypto';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import session from 'express-session';
import { isLoopback } from '../../platform/config/server-options.js';
import { randomText } from '../../platform/common/random.js';

declare module 'express-session' {
  interface SessionData {
    /** Set by a begin call; a session that has it was named by a cookie that we signed. */
    begun?: true;
  }
}

export const SESSION_COOKIE = 'servicefido';

/**
 * A session is nothing but its signed name, under which pending ceremonies lie in the ceremony store. So this
 * store keeps nothing, answers at once, and a request with a signed name has a session.
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
 * Whether a browser on this machine sent the request, as Sec-Fetch-Site shows. Browsers drop `SameSite=None`
 * without `Secure`, and all but Safari treat loopback as secure even over plain HTTP.
 */
const isLoopbackBrowser = (request: Request): boolean =>
  request.headers['sec-fetch-site'] !== undefined && isLoopback(request.hostname);

const ID_BYTES = 24;

/**
 * The part of a request that express-session reads. It never gets the request itself: its `response.end =
 * function …` is a function that V8 puts among old objects, and all that such a function reaches outlives the
 * young generation's collections. That was a tenth of what a login allocates.
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
    // express-session sends no Secure cookie over a connection that is not secure.
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

  /** express-session replaces this by a function that sets the cookie first. */
  writeHead(): this {
    return this;
  }

  /** express-session would save the session here, but nothing of it is kept. */
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

/** The `next` of express-session: its store answers at once, so that the real `next` need not wait for it. */
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
    name: SESSION_COOKIE,
    // A ready key: cookie-signature hands it to createHmac as it is.
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
    const [asked, head] = [new SessionRequest(request), new SessionResponse()];
    middleware(asked as Request, head as unknown as Response, atOnce);
    request.session = asked.session;
    request.sessionID = asked.sessionID;
    response.writeHead = withCookie(
      response.writeHead as WriteHead,
      head,
    ) as typeof response.writeHead;
    next();
  };
}
