import type { IncomingMessage, ServerResponse } from 'node:http';
import { bearerOf, challengeOf } from './bearer.js';
import {
  TokenError,
  type PasskeyClaims,
  type Requirements,
  type TokenVerifier,
} from './token-verifier.js';

export { passkeyRoutes } from './express-routes.js';
export type { ParsedRequest, PasskeyHooks, Registrant } from './express-routes.js';

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- so do Express's types
  namespace Express {
    interface Request {
      /** Who signed in, behind `requirePasskey()`. */
      passkey?: PasskeyClaims;
    }
  }
}

type Request = IncomingMessage & { passkey?: PasskeyClaims };
type Next = (error?: unknown) => void;

/**
 * Lets a request pass that brings a good token as `Authorization: Bearer …`, and puts its claims into
 * `request.passkey`. Others are answered 401 with the challenge of RFC 6750, or RFC 9470 where the user
 * only has to sign in again; where the server's keys cannot be read, an error with the status 503 is passed on.
 */
export const requirePasskey =
  (verifier: TokenVerifier, requirements: Requirements = {}) =>
  async (request: Request, response: ServerResponse, next: Next): Promise<void> => {
    const token = bearerOf(request.headers.authorization);
    try {
      if (token === undefined) return refuse(response, challengeOf(undefined, requirements));
      request.passkey = await verifier.verify(token, requirements);
    } catch (error) {
      if (!(error instanceof TokenError)) return next(error);
      return refuse(response, challengeOf(error, requirements), error.message);
    }
    next();
  };

function refuse(response: ServerResponse, challenge: string, why = 'Please sign in.'): void {
  const body = JSON.stringify({ status: 'failed', errorMessage: why });
  response.statusCode = 401;
  response.setHeader('WWW-Authenticate', challenge);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.end(body);
}
