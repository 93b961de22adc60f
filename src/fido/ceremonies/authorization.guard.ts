import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { hasMisplacedKey } from '../../platform/access/accounts/key-secret.js';
import { ApiError, Refuses } from '../../platform/errors/api-error.js';
import { problem, sentenceOf } from '../../platform/errors/reasons.js';
import { BEARER_CHALLENGE, SignInTokens } from '../sign-in-tokens.js';

declare module 'express-serve-static-core' {
  interface Request {
    /** Set by `AuthorizationGuard` if the header `Authorization` means nothing here. */
    ignoresAuthorization?: boolean;
  }
}

/**
 * A variable that was not set or not replaced, or a value with its quotes, as programs write them into the header. No
 * token begins like these (RFC 6750 §2.1).
 */
const NO_TOKEN = /^Bearer(?:\s+(?:undefined|null|none|nil|(?:["'$]|\{\{).*))?\s*$/i;
const IGNORED = sentenceOf(problem('authorization.ignored'));
const MISPLACED = sentenceOf(problem('authorization.keyElsewhere'));

/**
 * Refuses a Bearer without a token, whose sender believes that it sent a key. Lets pass any other header `Authorization`
 * that means nothing here: proxies and other programs may have added it.
 */
@Injectable()
@Refuses('E0042R')
export class AuthorizationGuard implements CanActivate {
  constructor(private readonly tokens: SignInTokens) {}

  /** @throws ApiError E0042R */
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const { authorization } = request.headers;
    if (authorization === undefined || authorization === '' || request.caller?.key) return true;
    if (NO_TOKEN.test(authorization)) {
      throw new ApiError('E0042R', 'authorization.empty', {}, { headers: BEARER_CHALLENGE });
    }
    request.ignoresAuthorization = !this.tokens.nameOwnKey(authorization);
    return true;
  }
}

/** Warnings for the answer of a begin call about its caller's headers; requires `AuthorizationGuard`. */
export const authorizationWarnings = (request: Request): readonly string[] => [
  ...(request.ignoresAuthorization ? [IGNORED] : []),
  ...(hasMisplacedKey(request) ? [MISPLACED] : []),
];
