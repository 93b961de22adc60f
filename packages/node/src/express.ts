import type { IncomingMessage, ServerResponse } from 'node:http';
import { bearerOf, challengeOf } from './bearer.js';
import {
  checkGuard,
  TokenError,
  type PasskeyClaims,
  type Requirements,
  type TokenVerifier,
} from './token-verifier.js';

export { passkeyRoutes } from './express-routes.js';
export type { ParsedRequest, PasskeyHooks, Registrant } from './express-routes.js';

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- Express declares its types in this namespace
  namespace Express {
    interface Request {
      /** Claims of the verified token. Set by `requirePasskey()`. */
      passkey?: PasskeyClaims;
    }
  }
}

type Request = IncomingMessage & { passkey?: PasskeyClaims };
type Next = (error?: unknown) => void;

/**
 * Returns middleware that requires a valid token in `Authorization: Bearer …` and sets `request.passkey` to its
 * claims. Without a valid token it answers 401 with the challenge of RFC 6750, or of RFC 9470 if another sign-in can
 * meet the requirements. If the server's public keys cannot be fetched, it calls `next` with a KeysUnavailableError
 * (status 503).
 *
 * @param requirements requirements for the sign-in; default: none
 * @throws TypeError if an argument is wrong, or a requirement is unknown
 */
export function requirePasskey(
  verifier: TokenVerifier,
  requirements: Requirements = {},
): (request: Request, response: ServerResponse, next: Next) => Promise<void> {
  checkGuard(verifier, requirements);
  return async (request, response, next) => {
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
}

function refuse(response: ServerResponse, challenge: string, message = 'Please sign in.'): void {
  const body = JSON.stringify({ status: 'failed', errorMessage: message });
  response.statusCode = 401;
  response.setHeader('WWW-Authenticate', challenge);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.end(body);
}
