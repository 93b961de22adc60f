import {
  ServiceUnavailableException,
  UnauthorizedException,
  createParamDecorator,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { bearerOf, challengeOf } from './bearer.js';
import {
  checkGuard,
  TokenError,
  type PasskeyClaims,
  type Requirements,
  type TokenVerifier,
} from './token-verifier.js';

interface Request {
  headers: { authorization?: string };
  passkey?: PasskeyClaims;
}

/** The part of a response that Express and Fastify share. */
interface Response {
  header(name: string, value: string): unknown;
}

/**
 * Guard that requires a valid token in `Authorization: Bearer …`, for example
 * `@UseGuards(new PasskeyGuard(verifier, { maxAge: 300 }))`. The decorator `@Passkey()` injects the claims into the
 * handler. Without a valid token the guard answers 401 with the challenge of RFC 6750, or of RFC 9470 if another
 * sign-in can meet the requirements. If the server's public keys cannot be fetched, it answers 503.
 */
export class PasskeyGuard implements CanActivate {
  /**
   * @param requirements requirements for the sign-in; default: none
   * @throws TypeError if an argument is wrong, or a requirement is unknown
   */
  constructor(
    private readonly verifier: TokenVerifier,
    private readonly requirements: Requirements = {},
  ) {
    checkGuard(verifier, requirements);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const token = bearerOf(request.headers.authorization);
    if (token === undefined) throw this.refusal(context);
    try {
      request.passkey = await this.verifier.verify(token, this.requirements);
    } catch (error) {
      if (error instanceof TokenError) throw this.refusal(context, error);
      throw new ServiceUnavailableException(undefined, { cause: error });
    }
    return true;
  }

  private refusal(context: ExecutionContext, error?: TokenError): UnauthorizedException {
    const response = context.switchToHttp().getResponse<Response>();
    response.header('WWW-Authenticate', challengeOf(error, this.requirements));
    return new UnauthorizedException(error?.message ?? 'Please sign in.');
  }
}

/** Parameter decorator that injects the claims of the token, which `PasskeyGuard` has verified. */
export const Passkey: () => ParameterDecorator = createParamDecorator(
  (_data: unknown, context: ExecutionContext) =>
    context.switchToHttp().getRequest<Request>().passkey,
);
