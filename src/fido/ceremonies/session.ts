import { createSecretKey } from 'node:crypto';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import session from 'express-session';
import { isLoopback } from '../../platform/config/base-address.js';
import { randomText } from '../../platform/common/random.js';
import { pairsOf } from '../../platform/http/cookies.js';

declare module 'express-session' {
  interface SessionData {
    /** Set by a begin call; a session with this flag was named by a cookie that this server signed. */
    begun?: true;
  }
}

declare module 'express-serve-static-core' {
  interface Request {
    /** The sessions of all signed cookies; set only if the request contains several session cookies. */
    sessionIds?: readonly string[];
  }
}

export const FIDO_SESSION_COOKIE = 'servicefido';
const START = `${FIDO_SESSION_COOKIE}=`;

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

/** Whether the session's cookie is `Secure`: browsers drop one for other sites that is not. */
export const hasSecureCookie = (request: Request): boolean =>
  request.secure || isLoopbackBrowser(request);

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

  constructor(request: Request, cookie: string | undefined) {
    this.headers = { cookie };
    this.originalUrl = request.originalUrl;
    this.ip = request.ip;
    // express-session sends a Secure cookie only over a secure connection.
    this.secure = hasSecureCookie(request);
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

/** A second cookie is rare; more than these are noise or an attack. */
const MOST_COOKIES = 8;

/** The values of the header to try: the header itself, or each of several session cookies. */
function cookiesOf(request: Request): readonly (string | undefined)[] {
  const { cookie } = request.headers;
  const isOne = cookie?.indexOf(START) === cookie?.lastIndexOf(START);
  return isOne ? [cookie] : pairsOf(request, FIDO_SESSION_COOKIE).slice(0, MOST_COOKIES);
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
  const open = (request: Request, cookie: string | undefined) => {
    const sessionRequest = new SessionRequest(request, cookie);
    const head = new SessionResponse();
    middleware(sessionRequest as Request, head as unknown as Response, atOnce);
    return { sessionRequest, head };
  };
  return (request, response, next) => {
    const [first, second] = cookiesOf(request);
    let { sessionRequest, head } = open(request, first);
    if (second !== undefined) {
      const signed = cookiesOf(request)
        .map((cookie) => open(request, cookie))
        .filter((one) => one.sessionRequest.session.begun);
      ({ sessionRequest, head } = signed[0] ?? { sessionRequest, head });
      request.sessionIds = signed.map((one) => one.sessionRequest.sessionID);
    }
    request.session = sessionRequest.session;
    request.sessionID = sessionRequest.sessionID;
    response.writeHead = withCookie(
      response.writeHead as WriteHead,
      head,
    ) as typeof response.writeHead;
    next();
  };
}
