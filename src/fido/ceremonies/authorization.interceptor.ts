import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request } from 'express';
import { map, type Observable } from 'rxjs';
import { ApiError, Refuses } from '../../platform/errors/api-error.js';
import { problem, sentenceOf } from '../../platform/errors/reasons.js';
import { BEARER_CHALLENGE, SignInTokens } from '../sign-in-tokens.js';

/**
 * A variable that was not set or not replaced, or a value with its quotes, as programs write them into the header. No
 * token begins like these (RFC 6750 §2.1).
 */
const NO_TOKEN = /^Bearer(?:\s+(?:undefined|null|none|nil|(?:["'$]|\{\{).*))?\s*$/i;
const IGNORED = sentenceOf(problem('authorization.ignored'));

interface BeginAnswer {
  readonly challenge: string;
  readonly warnings?: readonly string[];
}

const isBeginAnswer = (answer: object): answer is BeginAnswer => 'challenge' in answer;

/**
 * Refuses a Bearer without a token, whose sender believes that it sent a key. Names any other header `Authorization` that means
 * nothing here in the `warnings` of a begin call: proxies and other programs may have added it.
 */
@Injectable()
@Refuses('E0042R')
export class AuthorizationInterceptor implements NestInterceptor<object, object> {
  constructor(private readonly tokens: SignInTokens) {}

  /** @throws ApiError E0042R */
  intercept(context: ExecutionContext, next: CallHandler<object>): Observable<object> {
    const { headers, caller } = context.switchToHttp().getRequest<Request>();
    const { authorization } = headers;
    if (authorization === undefined || authorization === '' || caller?.key) return next.handle();
    if (NO_TOKEN.test(authorization)) {
      throw new ApiError('E0042R', 'authorization.empty', {}, { headers: BEARER_CHALLENGE });
    }
    if (this.tokens.nameOwnKey(authorization)) return next.handle();
    return next
      .handle()
      .pipe(
        map((answer) =>
          isBeginAnswer(answer)
            ? { ...answer, warnings: [...(answer.warnings ?? []), IGNORED] }
            : answer,
        ),
      );
  }
}
