import { Injectable, Logger } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { isVisitor } from '../errors/visitor.js';
import { ANYBODY, accountOf } from './accounts/account.js';
import { BasicAuthGuard } from './basic/basic-auth.guard.js';
import { CallerGuard } from './caller.guard.js';
import { FormTokens } from './form-token.js';

/**
 * For a page that is open to everybody, and tells more to people who are signed in: finds out who calls, and
 * lets everybody in. A caller with wrong credentials sees what a stranger sees, as everybody does while the
 * database cannot be reached; guesses are counted as elsewhere.
 */
@Injectable()
export class OptionalCallerGuard implements CanActivate {
  constructor(
    private readonly caller: CallerGuard,
    private readonly basic: BasicAuthGuard,
    private readonly tokens: FormTokens,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    if (isVisitor(request) && this.basic.asks) return true;
    try {
      await this.caller.canActivate(context);
      request.formToken = this.tokens.issue(accountOf(request) ?? ANYBODY);
    } catch (error) {
      // A wrong password is logged as where one is required: with the address, and never with the name.
      const { cause } = error as Error;
      if (cause instanceof Error) Logger.warn(cause.message, 'Security');
    }
    return true;
  }
}
