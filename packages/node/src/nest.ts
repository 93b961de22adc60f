import {
  ServiceUnavailableException,
  UnauthorizedException,
  createParamDecorator,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { bearerOf, challengeOf } from './bearer.js';
import {
  TokenError,
  type PasskeyClaims,
  type Requirements,
  type TokenVerifier,
} from './token-verifier.js';

interface Request {
  headers: { authorization?: string };
  passkey?: PasskeyClaims;
}

/** Express and Fastify both have it. */
interface Response {
  header(name: string, value: string): unknown;
}

/**
 * `@UseGuards(new PasskeyGuard(verifier, { maxAge: 300 }))`: lets a request pass that brings a good token
 * as `Authorization: Bearer …`; `@Passkey()` hands its claims to the handler. Others are answered 401 with
 * the challenge of RFC 6750, or RFC 9470 where the user only has to sign in again; 503 where the server's
 * keys cannot be had.
 */
export class PasskeyGuard implements CanActivate {
  constructor(
    private readonly verifier: TokenVerifier,
    private readonly requirements: Requirements = {},
  ) {}

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

/** Claims of the token that passed the `PasskeyGuard`. */
export const Passkey: () => ParameterDecorator = createParamDecorator(
  (_data: unknown, context: ExecutionContext) =>
    context.switchToHttp().getRequest<Request>().passkey,
);
